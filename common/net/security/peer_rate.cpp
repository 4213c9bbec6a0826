#include "common/net/security/peer_rate.hpp"

#include <algorithm>

namespace muster::net {
namespace {

/// Also of 1 MiB in a budget of some bytes a second, which is hours.
Duration share(std::uint64_t amount, std::uint64_t per_second) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>{
        static_cast<double>(amount) / static_cast<double>(per_second)});
}

}  // namespace

bool PeerRate::admit(Instant now, const PublicKey& peer, std::size_t bytes) {
    if (accounts_.size() >= most_) {
        forget_idle(now);
    }
    Account& account = accounts_[peer];
    const Instant messages = std::max(account.messages, now) + share(1, at_most_.messages);
    const Instant all_bytes = std::max(account.bytes, now) + share(bytes, at_most_.bytes);
    if (std::max({messages, all_bytes, account.work}) > now + 1s) {
        ++refused_;
        return false;
    }
    account.messages = messages;
    account.bytes = all_bytes;
    return true;
}

void PeerRate::charge(Instant now, const PublicKey& peer, Duration work) {
    Instant& until = accounts_[peer].work;
    until = std::max(until, now) + work * (Duration{1s} / at_most_.work);
}

void PeerRate::forget_idle(Instant now) {
    std::erase_if(accounts_, [now](const auto& entry) {
        const Account& account = entry.second;
        return std::max({account.messages, account.bytes, account.work}) <= now;
    });
    most_ = std::max<std::size_t>(1'024, 2 * accounts_.size());
}

}  // namespace muster::net
