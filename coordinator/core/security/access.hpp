#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "common/messages/role.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/ledger/keys.hpp"
#include "coordinator/core/options.hpp"

namespace muster::coordinator {

/// A caller whose key is admitted, or who needs none.
struct Identity {
    std::string name;  ///< Empty: an operator of this host.
    Role role = Role::agent;
};

/// The request with the name of its sender as author: the sender's word counts on this host only.
[[nodiscard]] FromOperator signed_by(const Identity& identity, const FromOperator& input);

/// Decides who may do what, by the keys that are admitted now, and for what changes anything also
/// by those that will be after all pending writes. So a key that was revoked is refused with its
/// next message.
class Access {
public:
    Access(const CoordinatorOptions& options, const Keys& keys) : options_{options}, keys_{keys} {}

    /// Whether the caller may send this request, and under which name. `denied`: it may not.
    [[nodiscard]] Result<Identity> may_send(const Caller& caller, const RequestBody& request,
                                            CivilMs now) const;
    [[nodiscard]] Result<Identity> may_send(const Caller& caller, const CoreRequestBody& request,
                                            CivilMs now) const;
    /// Whether the agent that sent a hello may speak for this name.
    [[nodiscard]] Result<void> may_join(const Caller& caller, const std::string& name,
                                        CivilMs now) const;
    /// Whether a connection that proved this key still speaks for the name.
    [[nodiscard]] bool still_speaks(const PublicKey& key, const std::string& name,
                                    CivilMs now) const;
    /// The keys that may connect as agents, or as operators, in order.
    [[nodiscard]] std::vector<PublicKey> admitted(bool agents) const;

private:
    friend struct CoreFields;

    /// `row`: of the name whose key the caller proved; null: it is nobody's.
    [[nodiscard]] static Result<Identity> identify(const Caller& caller, CivilMs now,
                                                   const StoredKey* row);
    template <class Body>
    [[nodiscard]] static Result<Identity> judge(const Caller& caller, const Body& request,
                                                CivilMs now, const StoredKey* row);

    const CoordinatorOptions& options_;
    const Keys& keys_;
};

}  // namespace muster::coordinator
