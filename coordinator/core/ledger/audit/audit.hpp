#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/ledger/keys.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The end of the audit: numbers and chains new rows.
///
/// If the head of the store has no right seal, somebody edited it. Then one number is left out, so
/// that the check finds a gap there even after new rows have been written.
class Audit {
public:
    Audit(const SecretKey& order_key, const std::vector<AuditHead>& stored);

    /// Adds the writes of the next row. It gets its number and its hash here.
    void add(StoredAudit row, std::vector<Write>& writes);
    /// Whether a refusal that has no other write is kept: only some a second are, so that nobody
    /// can fill the store. The next row has the number of the others.
    [[nodiscard]] bool admits_refusal(CivilMs now);

    /// A restored core has no key before.
    void resume(const SecretKey& order_key);

private:
    friend struct CoreFields;

    SecretKey key_;
    AuditHead head_;
    std::int64_t second_ = 0;  // Of the civil clock,
    std::uint32_t kept_ = 0;   // and the refusals that were kept in it.
    std::uint64_t dropped_ = 0;
};

/// A row that says who asks for what.
[[nodiscard]] StoredAudit audit_row(const FromOperator& input, const Keys& keys);
[[nodiscard]] StoredAudit audit_row(const Denied& input, const Keys& keys);
/// The same for an action without a request.
[[nodiscard]] StoredAudit audit_row(const Caller& by, std::string_view action, const Keys& keys);

/// What a change did, in at most limits::sentence_bytes: `web scale 3 -> 5`.
[[nodiscard]] std::string summary_of(const ReplyBody& reply);
/// Sets the result and the detail of the row.
void set_result(StoredAudit& row, const Result<ReplyBody>& result);

}  // namespace muster::coordinator
