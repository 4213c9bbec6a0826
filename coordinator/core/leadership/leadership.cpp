#include "coordinator/core/leadership/leadership.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator {

Instant Leadership::Lease::until() const {
    constexpr Duration reaction = 100ms;
    return asked + lasts - lasts / 100 - reaction;
}

election::Output Leadership::step(Instant now, const election::Input& input) {
    return std::visit([&](auto& state) { return on(state, now, input); }, state_);
}

Instant Leadership::next_deadline() const {
    if (const auto* const candidate = std::get_if<Candidate>(&state_)) {
        return candidate->again.value_or(Instant::max());
    }
    if (const auto* const leader = std::get_if<Leader>(&state_)) {
        return std::min(leader->lease.until(), leader->renew.value_or(Instant::max()));
    }
    return Instant::max();
}

std::optional<Instant> Leadership::leads_until() const {
    const auto* const leader = std::get_if<Leader>(&state_);
    return leader == nullptr ? std::nullopt : std::optional{leader->lease.until()};
}

std::optional<LeaderId> Leadership::leader() const {
    if (const auto* const follower = std::get_if<Follower>(&state_)) {
        return follower->leader;
    }
    return leads_until() ? std::optional{self_} : std::nullopt;
}

election::Output Leadership::on(Follower& at, Instant now, const election::Input& input) {
    if (const auto* const seen = std::get_if<election::LeaderSeen>(&input)) {
        at.leader = seen->leader;
    } else if (std::holds_alternative<election::NobodyLeads>(input)) {
        return try_to_lead(state_.emplace<Candidate>(), now);
    }
    return {};
}

election::Output Leadership::on(Candidate& at, Instant now, const election::Input& input) {
    if (const auto* const given = std::get_if<election::LeaseGiven>(&input)) {
        at.lease = Lease{given->lease, given->asked, given->lasts};
        return try_to_lead(at, now);
    }
    if (const auto* const won = std::get_if<election::Won>(&input)) {
        const Lease lease = at.lease.value_or(Lease{});
        if (now >= lease.until()) {
            return step_down("the lease ended while the lead was taken",
                             election::Release{lease.id});
        }
        state_ = Leader{.lease = lease, .renew = now};
        return {.leads = won->epoch};
    }
    if (std::holds_alternative<election::Lost>(input)) {
        const auto lease = std::exchange(at.lease, std::nullopt);
        state_ = Follower{};
        return {.order = lease ? election::Order{election::Release{lease->id}} : election::Order{}};
    }
    if (std::holds_alternative<election::Failed>(input)) {
        at.again = now + pause();
    } else if (std::holds_alternative<election::Wake>(input) && at.again && now >= *at.again) {
        return try_to_lead(at, now);
    }
    return {};
}

election::Output Leadership::on(Leader& at, Instant now, const election::Input& input) {
    if (now >= at.lease.until()) {
        return step_down(std::string{election::lease_lapsed});
    }
    if (const auto* const seen = std::get_if<election::LeaderSeen>(&input);
        seen != nullptr && seen->leader != self_) {
        return step_down("another coordinator leads");
    }
    if (std::holds_alternative<election::NobodyLeads>(input) ||
        std::holds_alternative<election::LeaseUnknown>(input)) {
        return step_down("the store does not know this leadership any more");
    }
    if (const auto* const wish = std::get_if<election::Resign>(&input)) {
        return step_down(wish->why, election::Release{at.lease.id});
    }
    if (const auto* const given = std::get_if<election::LeaseGiven>(&input)) {
        at.lease.asked = given->asked;
        at.lease.lasts = given->lasts;
        at.renew = given->asked + given->lasts / 3;
    } else if (std::holds_alternative<election::Failed>(input)) {
        at.renew = now + pause();
    }
    if (at.renew && now >= *at.renew) {
        at.renew.reset();
        return {.order = election::Renew{at.lease.id}};
    }
    return {};
}

election::Output Leadership::on(Over& /*at*/, Instant /*now*/, const election::Input& /*input*/) {
    return {};
}

election::Output Leadership::try_to_lead(Candidate& at, Instant now) const {
    at.again.reset();
    if (at.lease && now < at.lease->until()) {
        return {.order = election::Campaign{at.lease->id}};
    }
    return {.order = election::AskLease{}};
}

election::Output Leadership::step_down(std::string why, election::Order order) {
    state_ = Over{};
    return {.order = std::move(order), .steps_down = std::move(why)};
}

}  // namespace muster::coordinator
