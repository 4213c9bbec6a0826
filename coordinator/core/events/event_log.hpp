#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

namespace muster::coordinator {

/// Events for people and programs: numbered from 1 in each leadership, published once, and kept in
/// a bounded ring for subscribers that missed some.
///
///     node.      each row of the table in lifecycle.cpp, refused, bad_report
///     task.      added changed scaled removed restarted, converged unplaced failed
///     instance.  start stop (ordered, and why), started backoff exited failed stopped refused
///     leader.elected  recovery.ended  store.accepted  setting.changed
///     round.closed    every round; of several quiet rounds in a row, in which nothing else
///                     happened, the ring keeps only the last
///
/// Events of instances are bounded per round: otherwise a cold start of a million instances, or a
/// fleet in a crash loop, would push out all other events. Omitted events are counted.
///
/// Owned by Coordinator.
class EventLog {
public:
    static constexpr std::uint32_t instance_events_per_round = 1'000;

    explicit EventLog(Epoch epoch) : epoch_{epoch} {}

    void add(CivilMs at, std::string topic, std::string_view name, std::string detail);
    void add_of_instance(CivilMs at, std::string topic, const InstanceId& id, std::string detail);
    /// A round closed. `quiet`: it does not differ from the round before.
    void add_round(CivilMs at, std::string_view name, std::string detail, bool quiet);
    /// The number of events of instances that were omitted since the last call.
    [[nodiscard]] std::uint32_t round_closed();

    /// Later events have this epoch; their numbers continue.
    void set_epoch(Epoch epoch) { epoch_ = epoch; }

    /// The events that are not published yet.
    [[nodiscard]] std::vector<Event> take_new();
    // Published events:
    /// Events of this name and topic, the latest first.
    [[nodiscard]] std::vector<Event> of_name(std::string_view name, std::string_view topic,
                                             std::size_t most) const;
    [[nodiscard]] EventsReply since(std::uint64_t sequence, std::uint32_t limit) const;

private:
    friend struct CoreFields;

    Epoch epoch_;
    std::uint64_t last_ = 0;
    std::deque<Event> kept_;     // In the order of their numbers, with possible gaps.
    bool ends_quietly_ = false;  // The last event is a quiet round.
    std::vector<Event> fresh_;   // Not published yet, and not in `kept_`.
    std::uint32_t of_instances_ = 0;
};

}  // namespace muster::coordinator
