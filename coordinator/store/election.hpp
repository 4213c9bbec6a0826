#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/cluster.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/store/store.hpp"

namespace muster::coordinator {

/// A leadership that has begun: its epoch is durable.
struct Lead {
    std::unique_ptr<Store> store;
    StoreImage image;
};

/// Who leads, as far as is known.
struct LeaderSign {
    std::string name{};       ///< Of its host; empty: nobody, or it is not known.
    std::string operators{};  ///< Its endpoint for operators.
    Epoch epoch{};

    friend bool operator==(const LeaderSign&, const LeaderSign&) = default;
};

/// What a coordinator says of itself to the others.
struct OwnState {
    std::string operators;     ///< Its endpoint for operators.
    std::uint32_t agents = 0;  ///< Connected ones.

    friend bool operator==(const OwnState&, const OwnState&) = default;
};

/// How a coordinator comes to lead, and until when: one for each kind of store.
class Election {
public:
    Election() = default;
    virtual ~Election() = default;
    Election(const Election&) = delete;
    Election& operator=(const Election&) = delete;

    /// Readable when one of the following may have changed.
    [[nodiscard]] virtual int fd() const = 0;
    /// From now on this coordinator may lead, because others can reach it.
    virtual void stand(const OwnState& own) = 0;
    /// What a coordinator that does not lead may answer from: the store as it is, if it is known
    /// and changed since the last call.
    [[nodiscard]] virtual std::optional<StoreImage> follow() = 0;
    /// All coordinators, the leader first.
    [[nodiscard]] virtual std::vector<CoordinatorView> coordinators() const = 0;
    /// The lead, once. Nothing: another coordinator leads, or may lead. An error is why this one
    /// cannot; `unreachable`: it may in another election.
    [[nodiscard]] virtual Result<std::optional<Lead>> take_lead() = 0;
    [[nodiscard]] virtual LeaderSign leader() const = 0;
    /// The leader acts before this instant only.
    [[nodiscard]] virtual Instant leads_until() const = 0;
    /// Why the leadership is over: known before its store fails for that reason, and not later than
    /// leads_until().
    [[nodiscard]] virtual std::optional<std::string> over() const = 0;
    /// Names the servers of the store that do not answer, and why. Nothing: all of them do.
    [[nodiscard]] virtual std::optional<std::string> trouble() const { return std::nullopt; }
    /// Lets the next one lead at once. After the store is closed.
    virtual void resign() = 0;
};

}  // namespace muster::coordinator
