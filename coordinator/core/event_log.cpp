#include "coordinator/core/event_log.hpp"

#include <algorithm>
#include <utility>

#include "common/limits.hpp"

namespace muster {

void EventLog::add(CivilMs at, std::string topic, std::string_view name, std::string detail) {
    kept_.push_back(Event{.epoch = epoch_,
                          .sequence = ++last_,
                          .at = at,
                          .topic = std::move(topic),
                          .name = std::string{name},
                          .detail = std::move(detail)});
    ++unpublished_;
}

void EventLog::add_of_instance(CivilMs at, std::string topic, const InstanceId& id,
                               std::string detail) {
    if (++of_instances_ <= instance_events_per_term) {
        add(at, std::move(topic), to_string(id), std::move(detail));
    }
}

std::uint32_t EventLog::term_closed() {
    const std::uint32_t seen = std::exchange(of_instances_, 0);
    return seen > instance_events_per_term ? seen - instance_events_per_term : 0;
}

std::vector<Event> EventLog::take_new() {
    std::vector<Event> fresh;
    if (unpublished_ > 0) {
        fresh.assign(kept_.end() - static_cast<std::ptrdiff_t>(unpublished_), kept_.end());
        unpublished_ = 0;
        while (kept_.size() > limits::events_kept) {
            kept_.pop_front();
        }
    }
    return fresh;
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
    EventsReply reply{.epoch = epoch_, .first_kept = last_ - kept_.size() + 1, .events = {}};
    // Numbers have no gaps, so an event's place in the ring follows from its number.
    const std::uint64_t known = std::max(std::min(sequence, last_), reply.first_kept - 1);
    const std::uint64_t count = std::min<std::uint64_t>(limit, last_ - known);
    const auto begin = kept_.end() - static_cast<std::ptrdiff_t>(last_ - known);
    reply.events.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return reply;
}

}  // namespace muster
