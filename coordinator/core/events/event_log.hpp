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

/// What happened, for people and for programs that follow: numbered from 1 in each leadership,
/// published once, and kept in a bounded ring for those who missed some.
///
///     node.      each row of the table in lifecycle.cpp, refused, bad_report
///     task.      added changed scaled removed restarted, converged unplaced failed
///     instance.  start stop (ordered, and why), started backoff exited failed stopped refused
///     leader.elected  recovery.ended  store.accepted  setting.changed
///     round.closed     each; but of quiet ones in a row, in which nothing else happened, the ring
///                     keeps the last, so that they do not push everything else out of it
///
/// Events of instances are bounded per round: a cold start of a million instances or a fleet in a
/// crash loop would only push out everything else. What was left out is counted.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class EventLog {
public:
    static constexpr std::uint32_t instance_events_per_round = 1'000;

    explicit EventLog(Epoch epoch) : epoch_{epoch} {}

    void add(CivilMs at, std::string topic, std::string_view name, std::string detail);
    void add_of_instance(CivilMs at, std::string topic, const InstanceId& id, std::string detail);
    /// A round closed; quiet: it differs in nothing from the one before.
    void add_round(CivilMs at, std::string_view name, std::string detail, bool quiet);
    /// How many events of instances were left out since the last call.
    [[nodiscard]] std::uint32_t round_closed();

    /// From now on events are of this epoch; their numbers go on.
    void set_epoch(Epoch epoch) { epoch_ = epoch; }

    /// Those not published yet.
    [[nodiscard]] std::vector<Event> take_new();
    // Of those published:
    /// Of this name and topic, the latest first.
    [[nodiscard]] std::vector<Event> of_name(std::string_view name, std::string_view topic,
                                             std::size_t most) const;
    [[nodiscard]] EventsReply since(std::uint64_t sequence, std::uint32_t limit) const;

private:
    friend struct CoreFields;  // Which records it.

    Epoch epoch_;
    std::uint64_t last_ = 0;
    std::deque<Event> kept_;     // In the order of their numbers, which may have gaps.
    bool ends_quietly_ = false;  // The last of all is a quiet round.
    std::vector<Event> fresh_;   // Not published yet, and not among those kept.
    std::uint32_t of_instances_ = 0;
};

}  // namespace muster::coordinator
