#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/messages/operator/keys.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/options.hpp"

namespace muster::coordinator {

/// Hosts that ask to be admitted: with a token at once, otherwise once an admin accepts them.
/// Nobody is admitted by itself.
class Enrolments {
public:
    /// A host that asked without a token.
    struct Pending {
        std::string name;
        PublicKey key;
        CivilMs since{};
    };

    Enrolments(const CoordinatorOptions& options, Ledger& ledger)
        : options_{options}, ledger_{ledger} {}

    void on_request(const RequestContext& context, const EnrolRequest& request);

    /// Hosts may connect to the endpoint for enrolment: a token is open, or none is needed to ask.
    [[nodiscard]] bool is_open(CivilMs now) const;
    [[nodiscard]] const std::deque<Pending>& pending() const { return pending_; }
    /// The host of this name and fingerprint, which no longer waits.
    [[nodiscard]] Result<Pending> take(std::string_view name, std::string_view print);

private:
    friend struct CoreFields;

    [[nodiscard]] Result<Answered> admit(const RequestContext& context,
                                         const EnrolRequest& request);
    /// The token of this secret, or why it admits no such name.
    [[nodiscard]] Result<StoredToken> token_for(const EnrolRequest& request, CivilMs now) const;
    [[nodiscard]] Result<Answered> wait(const RequestContext& context, const EnrolRequest& request);
    [[nodiscard]] EnrolReply reply(const RequestContext& context, const std::string& name) const;

    const CoordinatorOptions& options_;
    Ledger& ledger_;
    std::deque<Pending> pending_;
};

/// The id of the token with this hash.
[[nodiscard]] std::string token_id(const PublicKey& hash);

}  // namespace muster::coordinator
