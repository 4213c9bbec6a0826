#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/messages/message.hpp"

namespace muster::coordinator {

/// Whose order a copy follows. A copy that this leadership ordered wins over one that nobody may
/// have ordered.
enum class Origin : std::uint8_t {
    ordered,          ///< By this leadership, or the copy was there when it began.
    perhaps_ordered,  ///< Perhaps ordered by an earlier leadership.
    unproven,         ///< The same, but it has no proof of that, and may lack it.
    unordered,        ///< Only its node reports it: nobody ordered it there.
};

[[nodiscard]] constexpr bool is_perhaps_ordered(Origin origin) {
    return origin == Origin::perhaps_ordered || origin == Origin::unproven;
}

/// The trust in copies that a node reports and this leadership did not order there.
struct Trust {
    Origin origin = Origin::ordered;
    Generation believed{};  ///< Up to this generation they count as ordered.
    bool of_store = false;  ///< The store knew the node when the leadership began.
    /// Their proofs of order limit this trust. Null: there are no proofs.
    const struct ProofJudge* proofs = nullptr;
};

/// Orders for a copy that no report has decided yet.
struct CopyOrders {
    bool starting : 1 = false;    ///< A start is in flight: the copy may start at any time.
    bool stopping : 1 = false;    ///< A stop is in flight.
    bool moving : 1 = false;      ///< The target of a move.
    bool replacing : 1 = false;   ///< A start of a higher generation was sent for it.
    bool taken_down : 1 = false;  ///< It ran when that start was sent, and has not run since.

    friend bool operator==(const CopyOrders&, const CopyOrders&) = default;
};

/// A copy of an instance on a node: reported, ordered, or both.
struct Copy {
    Generation generation{};  ///< Reported; if only ordered, the ordered one.
    CivilMs started{};
    Ordinal ordinal = 0;
    NodeIndex node{};
    /// When a pass first saw its present run: the last 32 bits of the milliseconds of an Instant.
    std::uint32_t run_seen_ms = 0;
    InstanceState state = InstanceState::pending;
    Origin origin = Origin::ordered;
    CopyOrders orders;
    bool reported : 1 = false;
    bool faulty : 1 = false;  ///< Its last run ended by a signal, or with an exit code above 0.
    bool erased : 1 = false;  ///< Not a copy any more; removed at the next reading.
    bool run_seen : 1 = false;
    /// Its present run, or its last run if it has ended, lasted min_healthy.
    bool healthy : 1 = false;
    /// In this generation a run ended before min_healthy, and no run has lasted since.
    bool ended_early : 1 = false;

    friend bool operator==(const Copy&, const Copy&) = default;
};
static_assert(sizeof(Copy) == 32, "there are a million of them");

[[nodiscard]] constexpr bool may_run(InstanceState state) {
    return state != InstanceState::exited && state != InstanceState::failed;
}
/// The copy runs or may run: it has not ended for good.
[[nodiscard]] constexpr bool may_run(const Copy& copy) {
    return !copy.reported || may_run(copy.state);
}
/// An order of this store stands behind the copy: it counts, and may stay.
[[nodiscard]] constexpr bool is_ours(const Copy& copy) {
    return copy.generation != Generation{} && copy.origin != Origin::unordered;
}
/// The copy runs, or ran to its end.
[[nodiscard]] constexpr bool has_run(InstanceState state) {
    return state == InstanceState::running || state == InstanceState::exited;
}

/// An instance that a node should run and does not report.
struct Vanished {
    TaskIndex task{};
    Ordinal ordinal = 0;
    Generation generation{};

    friend bool operator==(const Vanished&, const Vanished&) = default;
};

/// An instance that ended well.
struct EndedWell {
    TaskIndex task{};
    Ordinal ordinal = 0;

    friend bool operator==(const EndedWell&, const EndedWell&) = default;
};

/// The findings of applying a report.
struct Applied {
    bool sound = true;  ///< False: an instance was listed twice or out of order (GO-D15).
    bool changed = false;
    bool ended = false;  ///< Some copy ended or is gone: a pass follows at once.
    // New and changed instances. The pointers refer to the applied report.
    std::vector<const InstanceReport*> instances;
    std::vector<const InstanceId*> gone;  ///< The same for instances that a delta lists as gone.
    /// Those of `instances` of the wanted generation that run or may run and count as ordered.
    std::vector<const InstanceReport*> accounted;
    /// The instance with the highest generation that our store never gave to its task.
    const InstanceReport* foreign = nullptr;
    /// Instances that this leadership did not order there: the first, and their number.
    const InstanceReport* claimed = nullptr;
    std::size_t claims = 0;
    /// Instances without the proof that they need: the first, and their number. They are not among
    /// the claimed.
    const InstanceReport* stray = nullptr;
    std::size_t strays = 0;
    /// Instances that ran or should run and are gone, without a reported end and without a stop.
    std::vector<Vanished> vanished;
    /// Instances of the wanted generation that ended well, of tasks that run to their end. Includes
    /// ends that were known before.
    std::vector<EndedWell> ended_well;
};

}  // namespace muster::coordinator
