#pragma once

#include <cstddef>
#include <memory>

#include "common/crypto/key.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "coordinator/requests/operator_endpoint.hpp"
#include "coordinator/requests/standing.hpp"
#include "coordinator/requests/worker.hpp"
#include "coordinator/store/store.hpp"

namespace muster::coordinator {

/// Answers without the core: about the process, about the other coordinators, and from the store.
class ProcessAnswers {
public:
    /// `orders`: the key of the audit's chain.
    ProcessAnswers(Worker& worker, const Standing& standing, const SecretKey& orders)
        : worker_{worker}, standing_{standing}, orders_{orders} {}

    /// Where the audit is. Null: this coordinator does not lead.
    void use(const Store* store) { store_ = store; }

    void answer(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker, RequestId id,
                const ShellRequest& request);

private:
    void answer_from_store(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                           RequestId id, const ShellRequest& request);
    void show_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker, RequestId id,
                    const AuditShowRequest& request);
    /// Checks one page after the other, so that other work of the worker comes between.
    void verify_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                      RequestId id, std::shared_ptr<ChainCheck> check);

    Worker& worker_;
    const Standing& standing_;
    SecretKey orders_;
    const Store* store_ = nullptr;
    std::size_t auditing_ = 0;  // Requests about the audit at the worker.
};

}  // namespace muster::coordinator
