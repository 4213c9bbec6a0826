#include "coordinator/core/ledger/pending.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "coordinator/core/ledger/reply_cache.hpp"

namespace muster::coordinator {

namespace {

std::size_t weight_of_answer(const PendingWrite& write) {
    return write.reply && !write.continues ? weight_of(*write.reply) : 0;
}

}  // namespace

bool Pending::is_full() const {
    return tickets_ >= limits::pending_changes || weight_ >= limits::pending_lines;
}

bool Pending::has_parts() const { return std::ranges::any_of(writes_, &PendingWrite::continues); }

void Pending::add(PendingWrite write) {
    ensure(write.number <= last_number_, "a pending write has a number that was taken");
    ensure(writes_.empty() || writes_.back().number <= write.number, "writes come in order");
    proposed_ = write.meta;
    tickets_ += write.tickets.size();
    weight_ += weight_of_answer(write);
    writes_.push_back(std::move(write));
}

Result<bool> Pending::join(const FromOperator& input) {
    const auto found = std::ranges::find_if(writes_, [&](const PendingWrite& write) {
        return write.reply && !write.continues && write.reply->id == input.request->id;
    });
    if (found == writes_.end()) {
        return false;
    }
    if (found->request_digest != digest_of(input)) {
        return tl::unexpected{conflict()};
    }
    found->tickets.push_back(input.ticket);
    ++tickets_;
    return true;
}

std::optional<PendingWrite> Pending::take_durable(std::uint64_t number) {
    if (writes_.empty() || writes_.front().number > number) {
        return std::nullopt;
    }
    PendingWrite write = std::move(writes_.front());
    writes_.pop_front();
    tickets_ -= write.tickets.size();
    weight_ -= weight_of_answer(write);
    return write;
}

std::deque<PendingWrite> Pending::take_all() {
    tickets_ = 0;
    weight_ = 0;
    return std::exchange(writes_, {});
}

}  // namespace muster::coordinator
