#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/messages/message.hpp"

namespace muster::coordinator {

/// Whose order a copy follows. One of this leadership never gives way to one that may be none.
enum class Origin : std::uint8_t {
    ordered,  ///< Of this leadership, or the copy was there when it began.
    unasked,  ///< Perhaps of an earlier leadership.
    claimed,  ///< Of nobody: its node says so, and nothing of it was ever ordered there.
};

/// What is thought of copies that a node reports and this leadership did not order there.
struct Trust {
    Origin origin = Origin::ordered;
    Generation believed{};  ///< Up to this generation they count as ordered.
    bool of_store = false;  ///< The store knew the node when the leadership began.
};

/// What was ordered of a copy, as far as no report has made it past.
struct CopyOrders {
    bool starting : 1 = false;    ///< A start is in flight: it may come to be at any time.
    bool stopping : 1 = false;    ///< A stop is in flight.
    bool moving : 1 = false;      ///< The target of a move.
    bool replacing : 1 = false;   ///< A start of a higher generation went to it.
    bool taken_down : 1 = false;  ///< It ran when that start went; it has not run since.

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
    bool faulty : 1 = false;  ///< It ended last by a signal, or with an exit code above 0.
    bool erased : 1 = false;  ///< Not a copy any more; swept at the next reading.
    bool run_seen : 1 = false;
    bool healthy : 1 = false;  ///< Its present run, or the one that ended it, took min_healthy.
    /// In this generation a run of it was seen to end before min_healthy, and none has lasted
    /// since.
    bool ended_early : 1 = false;

    friend bool operator==(const Copy&, const Copy&) = default;
};
static_assert(sizeof(Copy) == 32, "there are a million of them");

[[nodiscard]] constexpr bool may_run(InstanceState state) {
    return state != InstanceState::exited && state != InstanceState::failed;
}
/// It runs, or may come to run: it has not ended for good.
[[nodiscard]] constexpr bool may_run(const Copy& copy) {
    return !copy.reported || may_run(copy.state);
}
/// It is a copy of ours, not only said to be one: it counts, and may stay.
[[nodiscard]] constexpr bool is_ours(const Copy& copy) {
    return copy.generation != Generation{} && copy.origin != Origin::claimed;
}
/// It runs, or ran to its end.
[[nodiscard]] constexpr bool has_run(InstanceState state) {
    return state == InstanceState::running || state == InstanceState::exited;
}

/// An instance that a node was to run, and that is not there.
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

/// What applying a report found.
struct Applied {
    bool sound = true;  ///< False: an instance was listed twice or out of order (GO-D15).
    bool changed = false;
    bool ended = false;  ///< Some copy stopped running or is gone: reason to plan at once.
    // What was not held so before, pointing into what was applied.
    std::vector<const InstanceReport*> instances;
    std::vector<const InstanceId*> gone;  ///< Of a delta.
    /// Of these instances those that run or may run, by an order or the word of a node of our
    /// store.
    std::vector<const InstanceReport*> accounted;
    /// Of a generation that our store has not given to its task: the latest of them.
    const InstanceReport* not_ours = nullptr;
    /// Not ordered there by this leadership: the first of them, and how many there are.
    const InstanceReport* claimed = nullptr;
    std::size_t claims = 0;
    /// What ran, or was to run, and is gone: it has not ended, nor was it to be stopped.
    std::vector<Vanished> vanished;
    /// In the wanted generation, of tasks that run to their end; also those known to have.
    std::vector<EndedWell> ended_well;
};

}  // namespace muster::coordinator
