#include "agent/core/fencing/message_gate.hpp"

#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

void MessageGate::on_message(const CoordinatorMessage& message) {
    if (waiting_.size() + (held_ ? 1 : 0) < limits::agent_waiting_messages) {
        waiting_.push_back(message);
    }
}

const CoordinatorMessage* MessageGate::next() const {
    return writing_ || waiting_.empty() ? nullptr : &waiting_.front();
}

CoordinatorMessage MessageGate::take() {
    CoordinatorMessage message = std::move(waiting_.front());
    waiting_.pop_front();
    return message;
}

void MessageGate::persist(Instant now, const AgentMemory& raised) {
    held_ = take();
    writing_ = raised;
    writes_.begun(now);
}

bool MessageGate::try_disk(Instant now, const AgentMemory& memory) {
    if (writing_ || now < writes_.retry().value_or(Instant::max())) {
        return false;
    }
    writing_ = memory;
    writes_.begun(now);
    return true;
}

AgentMemory MessageGate::on_persisted() {
    ensure(writing_.has_value(), "only a memory that was put out is persisted");
    writes_.succeeded();
    if (held_) {
        waiting_.push_front(*std::exchange(held_, std::nullopt));
    }
    return *std::exchange(writing_, std::nullopt);
}

void MessageGate::on_persist_failed(Instant now) {
    ensure(writing_.has_value(), "only a memory that was put out can fail to be persisted");
    writes_.failed(now);
    writing_.reset();
    held_.reset();
}

}  // namespace muster::agent
