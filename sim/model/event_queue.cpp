#include "sim/model/event_queue.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"

namespace muster::sim {

bool EventQueue::later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
}

void EventQueue::push(Instant at, Occurrence occurrence) {
    std::size_t slot = slots_.size();
    if (free_.empty()) {
        slots_.push_back(std::move(occurrence));
    } else {
        slot = free_.back();
        free_.pop_back();
        slots_[slot] = std::move(occurrence);
    }
    heap_.push_back(Entry{at, pushed_, slot});
    ++pushed_;
    std::push_heap(heap_.begin(), heap_.end(), later);
}

std::optional<Instant> EventQueue::next_at() const {
    if (heap_.empty()) {
        return std::nullopt;
    }
    return heap_.front().at;
}

std::pair<Instant, Occurrence> EventQueue::pop() {
    ensure(!heap_.empty(), "the queue of events is not popped when empty");
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    free_.push_back(entry.slot);
    return {entry.at, std::move(slots_[entry.slot])};
}

}  // namespace muster::sim
