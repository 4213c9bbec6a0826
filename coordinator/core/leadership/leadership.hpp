#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

/// A lease of the election's store: it ends by itself unless it is renewed.
enum class LeaseId : std::int64_t {};

/// What happens to a coordinator in an election.
namespace election {

// ---- inputs ----

/// The store shows that this coordinator leads.
struct LeaderSeen {
    LeaderId leader;
};
/// The store shows that nobody leads.
struct NobodyLeads {};
/// The store gave a lease, or renewed ours. `asked`: when the request was sent; so the lease lasts
/// at least until `asked` + `lasts`.
struct LeaseGiven {
    LeaseId lease{};
    Instant asked;
    Duration lasts{};
};
/// The store does not know our lease any more.
struct LeaseUnknown {};
/// We have the lead, in this epoch.
struct Won {
    Epoch epoch{};
};
/// Another coordinator had been faster.
struct Lost {};
/// The last order could not be carried out, or it is not known whether it was.
struct Failed {
    std::string why;
};
/// The operator wants another leader.
struct Resign {
    std::string why;
};
/// A deadline has passed.
struct Wake {};

using Input = std::variant<LeaderSeen, NobodyLeads, LeaseGiven, LeaseUnknown, Won, Lost, Failed,
                           Resign, Wake>;

// ---- outputs ----

/// Asks for a lease. The answer is LeaseGiven or Failed.
struct AskLease {};
/// Takes the lead if nobody has it, for as long as the lease lasts. It counts as won, too, if we
/// already have it by this lease. The answer is Won, Lost or Failed.
struct Campaign {
    LeaseId lease{};
};
/// The answer is LeaseGiven, LeaseUnknown or Failed.
struct Renew {
    LeaseId lease{};
};
/// Ends the lease at once, and the lead with it. It has no answer.
struct Release {
    LeaseId lease{};
};

using Order = std::variant<std::monostate, AskLease, Campaign, Renew, Release>;

/// Why a leader steps down that could not renew its lease.
inline constexpr std::string_view lease_lapsed = "the lease could not be renewed in time";

struct Output {
    Order order{};
    std::optional<Epoch> leads{};             ///< From now on.
    std::optional<std::string> steps_down{};  ///< From now on, and why. Nothing follows.
};

}  // namespace election

/// Leadership among several coordinators that share a store: one at most acts at any time.
///
/// Whoever holds the key of the leader leads, and the key lasts as long as a lease. The lease is
/// counted from the moment its request was sent, so it ends here before it ends in the store: the
/// last hundredth and 100 ms of it are not used, for clocks that run apart and for the time between
/// a decision and its effect.
///
/// Pure: the shell talks to the store, carries out one order at a time and gives its answer. After
/// `steps_down` it makes a new object.
class Leadership {
public:
    /// `lasts`: how long the lease that is asked for is to last.
    Leadership(const LeaderId& self, Duration lasts) : self_{self}, lasts_{lasts} {}

    [[nodiscard]] election::Output step(Instant now, const election::Input& input);
    [[nodiscard]] Instant next_deadline() const;
    /// The leader may act until then, exclusive. Nothing: we do not lead.
    [[nodiscard]] std::optional<Instant> leads_until() const;
    /// Who leads, as far as this follower knows.
    [[nodiscard]] std::optional<LeaderId> leader() const;

private:
    struct Lease {
        LeaseId id{};
        Instant asked;
        Duration lasts{};

        [[nodiscard]] Instant until() const;
    };
    /// It waits until nobody leads.
    struct Follower {
        std::optional<LeaderId> leader;
    };
    /// It tries to lead.
    struct Candidate {
        std::optional<Lease> lease;
        std::optional<Instant>
            again;  ///< When to try again. Nothing: an order is being carried out.
    };
    struct Leader {
        Lease lease;
        std::optional<Instant> renew;  ///< When. Nothing: it is being renewed.
    };
    struct Over {};

    [[nodiscard]] election::Output on(Follower& at, Instant now, const election::Input& input);
    [[nodiscard]] election::Output on(Candidate& at, Instant now, const election::Input& input);
    [[nodiscard]] election::Output on(Leader& at, Instant now, const election::Input& input);
    [[nodiscard]] election::Output on(Over& at, Instant now, const election::Input& input);
    [[nodiscard]] election::Output try_to_lead(Candidate& at, Instant now) const;
    [[nodiscard]] election::Output step_down(std::string why, election::Order order = {});
    [[nodiscard]] Duration pause() const { return lasts_ / 10; }

    LeaderId self_;
    Duration lasts_;
    std::variant<Follower, Candidate, Leader, Over> state_;
};

}  // namespace muster::coordinator
