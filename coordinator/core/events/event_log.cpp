#include "coordinator/core/events/event_log.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"

namespace muster::coordinator {

void EventLog::add(CivilMs at, std::string topic, std::string_view name, std::string detail) {
    Event& event = fresh_.emplace_back();
    event.epoch = epoch_;
    event.sequence = ++last_;
    event.at = at;
    event.topic = std::move(topic);
    event.name = name;
    event.detail = std::move(detail);
    ends_quietly_ = false;
}

void EventLog::add_round(CivilMs at, std::string_view name, std::string detail, bool quiet) {
    if (quiet && ends_quietly_ && fresh_.empty()) {
        kept_.pop_back();
    }
    add(at, "round.closed", name, std::move(detail));
    ends_quietly_ = quiet;
}

void EventLog::add_of_instance(CivilMs at, std::string topic, const InstanceId& id,
                               std::string detail) {
    if (++of_instances_ <= instance_events_per_round) {
        add(at, std::move(topic), to_string(id), std::move(detail));
    }
}

std::uint32_t EventLog::round_closed() {
    const std::uint32_t seen = std::exchange(of_instances_, 0);
    return seen > instance_events_per_round ? seen - instance_events_per_round : 0;
}

std::vector<Event> EventLog::take_new() {
    const std::size_t lasting = std::min(fresh_.size(), limits::events_kept);
    const std::size_t room = limits::events_kept - lasting;
    if (kept_.size() > room) {
        kept_.erase(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(room));
    }
    kept_.insert(kept_.end(), fresh_.end() - static_cast<std::ptrdiff_t>(lasting), fresh_.end());
    return std::exchange(fresh_, {});
}

std::vector<Event> EventLog::of_name(std::string_view name, std::string_view topic,
                                     std::size_t most) const {
    std::vector<Event> found;
    for (auto event = kept_.rbegin(); event != kept_.rend() && found.size() < most; ++event) {
        if (event->name == name && event->topic.starts_with(topic)) {
            found.push_back(*event);
        }
    }
    return found;
}

EventsReply EventLog::since(std::uint64_t sequence, std::uint32_t limit) const {
    EventsReply reply{.epoch = epoch_, .first_kept = last_ - fresh_.size() + 1, .events = {}};
    if (!kept_.empty()) {
        reply.first_kept = kept_.front().sequence;
    }
    const auto begin = std::ranges::upper_bound(kept_, sequence, {}, &Event::sequence);
    const auto count = std::min<std::ptrdiff_t>(limit, kept_.end() - begin);
    reply.events.assign(begin, begin + count);
    return reply;
}

}  // namespace muster::coordinator
