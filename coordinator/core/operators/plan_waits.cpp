#include "coordinator/core/operators/plan_waits.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"

namespace muster::coordinator {

namespace {

/// `1 instance is`, `3 instances are`.
std::string counted(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " instance is" : " instances are");
}

}  // namespace

bool PlanWaits::add(const RequestContext& context, const PlanRequest& request,
                    std::uint64_t after) {
    if (waits_.size() >= limits::pending_plans) {
        return false;
    }
    waits_.push_back({.ticket = context.ticket(),
                      .id = context.request().id,
                      .request = request,
                      .deadline = context.step.now + limits::plan_wait,
                      .after = after,
                      .by = context.input.by});
    return true;
}

std::optional<PlanWaits::Wait> PlanWaits::take_finished(const Facts& facts) {
    const auto is_over = [&](const Wait& wait) {
        return facts.now >= wait.deadline || facts.liveness.recovery().runs() ||
               under_way(facts, wait.after).empty();
    };
    std::optional<Wait> taken;
    if (const auto over = std::ranges::find_if(waits_, is_over); over != waits_.end()) {
        taken = std::move(*over);
        waits_.erase(over);
    }
    has_more_ = std::ranges::any_of(waits_, is_over);
    return taken;
}

void PlanWaits::answer_all(const Error& error, std::vector<ReplyTo>& replies) {
    for (const Wait& wait : std::exchange(waits_, {})) {
        replies.push_back({wait.ticket, Reply{wait.id, tl::unexpected{error}}});
    }
}

std::optional<Instant> PlanWaits::next_deadline() const {
    if (waits_.empty()) {
        return std::nullopt;
    }
    return has_more_ ? Instant{} : waits_.front().deadline;
}

std::string under_way(const Facts& facts, std::uint64_t after) {
    if (facts.ledger.durable() < after) {
        return "the last change is not durable yet";
    }
    if (!facts.planning.is_idle() || facts.planner().are_totals_behind()) {
        return "the last change is being planned";
    }
    const Totals totals = facts.planner().totals();
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) {
            text += (text.empty() ? "" : ", ") + counted(count) + std::string{what};
        }
    };
    add(totals.starting, " being started");
    add(totals.rolling, " being replaced");
    add(totals.stopping, " being stopped");
    return text;
}

}  // namespace muster::coordinator
