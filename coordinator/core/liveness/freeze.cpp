#include "coordinator/core/liveness/freeze.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator {

namespace {

constexpr std::uint32_t fewest_silent = 3;
constexpr std::uint64_t enter_percent = 25;
constexpr std::uint64_t leave_percent = 15;

std::uint32_t share_of(std::uint32_t counted, std::uint64_t percent) {
    return static_cast<std::uint32_t>((counted * percent + 99) / 100);
}

}  // namespace

std::uint32_t enters_at(const Census& census) {
    return std::min(census.counted,
                    std::max(fewest_silent, share_of(census.counted, enter_percent)));
}

std::uint32_t leaves_below(const Census& census) {
    return std::max(fewest_silent, share_of(census.counted, leave_percent));
}

Freeze::Change Freeze::judge(const Census& census, bool some_node_answers) {
    if (!on_) {
        on_ = census.silent > 0 && census.silent >= enters_at(census);
        calm_ = 0;
        return on_ ? Change::began : Change::none;
    }
    calm_ = census.silent < leaves_below(census) && some_node_answers ? calm_ + 1 : 0;
    if (by_operator_ || calm_ < calm_rounds) {
        return Change::none;
    }
    on_ = false;
    return Change::ended;
}

void Freeze::begin_by_operator() {
    calm_ = on_ ? calm_ : 0;
    on_ = true;
    by_operator_ = true;
}

void Freeze::end_by_operator() {
    on_ = false;
    by_operator_ = false;
}

void Freeze::add(NodeIndex node, Round now, bool served) {
    at(node) = Past{.at = narrow(now), .served = static_cast<std::uint16_t>(served ? 0xffffU : 0U)};
}

void Freeze::serves(NodeIndex node, Round now, bool serving) {
    Past& past = at(node);
    const bool did = (past.served & 1U) != 0;
    if (did == serving) {
        return;
    }
    // The node has not changed since `at`.
    std::uint32_t bits = past.served;
    for (std::uint64_t rounds = std::min<std::uint64_t>(raw(now) - past.at, 16); rounds > 0;
         --rounds) {
        bits = bits << 1U | (did ? 1U : 0U);
    }
    past.served = static_cast<std::uint16_t>(serving ? bits | 1U : bits & ~1U);
    past.at = narrow(now);
}

bool Freeze::is_counted(NodeIndex node, Round now) const {
    const Past& past = pasts_[raw(node)];
    const std::uint64_t since = raw(now) - past.at;
    const std::uint64_t bit = since >= window ? 0 : window - since;
    return past.kept || (past.served >> bit & 1U) != 0;
}

void Freeze::keep_nobody() {
    for (Past& past : pasts_) {
        past.kept = false;
    }
}

bool Freeze::is_excluded(NodeIndex node, Round answered_in) const {
    const std::uint32_t excluded_at = pasts_[raw(node)].excluded_at;
    return excluded_at != 0 && narrow(answered_in) <= excluded_at;
}

bool Freeze::fell_silent(NodeIndex node, Round closed) {
    const std::uint32_t before = std::exchange(at(node).silent, narrow(closed));
    return before == 0 || before + 1 != narrow(closed);
}

}  // namespace muster::coordinator
