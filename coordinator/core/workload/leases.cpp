#include "coordinator/core/workload/leases.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::coordinator {

namespace {
/// Two clocks may differ by this much over the same time.
constexpr int drift_percent = 1;
}  // namespace

Leases::Leases(Instant now, Duration length, bool has_earlier)
    : length_{length},
      over_after_{length + length * drift_percent / 100 + limits::lease_grace +
                  limits::lease_kill} {
    if (has_earlier) {
        expect_earlier(now);
    }
}

Leases::Stamp Leases::usable(Instant now, const PerNode& node) {
    const bool is_past = node.latest.boot != BootMs{} && node.latest.received < now;
    return is_past ? Stamp{node.latest.boot, node.latest.received, now} : node.confirmed;
}

void Leases::on_stamp(Instant now, NodeIndex node, BootMs stamp) {
    PerNode& of = at(node);
    of.confirmed = usable(now, of);
    of.latest = {stamp, now, {}};
}

void Leases::begin_life(NodeIndex node) {
    PerNode& of = at(node);
    of.latest = of.confirmed = {};
}

BootMs Leases::grant(Instant now, NodeIndex node) {
    PerNode& of = at(node);
    of.confirmed = usable(now, of);
    if (of.latest.received < now) {
        of.latest = {};
    }
    const Stamp& stamp = of.confirmed;
    if (stamp.boot == BootMs{}) {
        return BootMs{};
    }
    of.over = std::max(of.over.value_or(Instant{}), stamp.from + over_after_);
    return boot_ms(instant_of(stamp.boot) + length_);
}

bool Leases::may_start(Instant now, NodeIndex node) const {
    if (raw(node) >= nodes_.size()) {
        return false;
    }
    const Stamp stamp = usable(now, nodes_[raw(node)]);
    return stamp.boot != BootMs{} && now - stamp.received < length_ / 2;
}

bool Leases::is_over(Instant now, NodeIndex node) const {
    const bool is_granted = raw(node) < nodes_.size() && nodes_[raw(node)].over;
    return is_granted && *nodes_[raw(node)].over <= now;
}

std::uint64_t Leases::next_token(Epoch epoch) {
    ++tokens_;
    ensure(tokens_ != 0 && raw(epoch) >> 32U == 0, "a token has room for its epoch");
    return raw(epoch) << 32U | tokens_;
}

void Leases::hold(NodeIndex node, const std::string& name, LifeId life, const InstanceId& id) {
    // Until we grant more, the instance may run on the lease of an earlier leader.
    const Instant until =
        std::max(at(node).over.value_or(Instant{}), earlier_over_.value_or(Instant{}));
    if (until != Instant{}) {
        holds_[{id, life}] = {name, until};
    }
}

void Leases::release(LifeId life) {
    std::erase_if(holds_, [&](const auto& hold) { return hold.first.second == life; });
}

void Leases::on_reported(Instant now, const InstanceId& id) {
    if (earlier_over_ && now < *earlier_over_) {
        reported_.insert(id);
    }
}

void Leases::expect_earlier(Instant now) {
    earlier_over_ = now + over_after_;
    reported_.clear();
}

void Leases::drop_ended(Instant now) {
    std::erase_if(holds_, [&](const auto& hold) { return hold.second.until <= now; });
    if (earlier_over_ && *earlier_over_ <= now) {
        earlier_over_.reset();
        reported_.clear();
    }
}

std::optional<Leases::Hold> Leases::hold_of(Instant now, const InstanceId& id) const {
    std::optional<Hold> last;
    if (earlier_over_ && now < *earlier_over_ && !reported_.contains(id)) {
        last = Hold{{}, *earlier_over_};
    }
    for (auto hold = holds_.lower_bound({id, LifeId{}});
         hold != holds_.end() && hold->first.first == id; ++hold) {
        if (hold->second.until > now && (!last || hold->second.until > last->until)) {
            last = hold->second;
        }
    }
    return last;
}

}  // namespace muster::coordinator
