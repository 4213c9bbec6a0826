#include "coordinator/core/operators/operators.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/limits.hpp"
#include "coordinator/core/queries/read_scope.hpp"
#include "coordinator/core/queries/reads.hpp"
#include "coordinator/core/queries/task_reader.hpp"

namespace muster::coordinator {

namespace {

/// At most this many queued requests are handled in one step.
constexpr int handled_of_step = 100;

}  // namespace

void Operators::on_request(StepContext& step, const FromOperator& input, const Facts& facts,
                           Effects& effects) {
    const RequestContext context{step, input};
    if (!is_busy() || is_query(input.request->body)) {
        handle(context, facts, effects);
    } else if (in_line_.size() < limits::pending_changes) {
        in_line_.push_back(input);
    } else {
        context.reply(fail(Errc::busy, "too many requests wait for a large change; try again"));
    }
}

void Operators::go_on(StepContext& step, const Facts& facts, const Access& access,
                      Effects& effects) {
    if (tasks_.is_drafting()) {
        tasks_.go_on(step);
    } else if (ledger_.is_submitting()) {
        ledger_.submit_more(step.output);
    }
    for (int left = handled_of_step; left > 0 && !in_line_.empty(); --left) {
        if (tasks_.is_drafting() || ledger_.is_submitting()) {
            return;
        }
        const FromOperator input = std::move(in_line_.front());
        in_line_.pop_front();
        // Its key may have been revoked while it waited.
        if (auto may = access.may_send(input.by, input.request->body, step.civil()); !may) {
            ledger_.note_refusal(step, input, may.error());
            RequestContext{step, input}.reply(tl::unexpected{std::move(may.error())});
            continue;
        }
        handle({step, input}, facts, effects);
    }
}

void Operators::handle(const RequestContext& context, const Facts& facts, Effects& effects) {
    const ReadScope scope{facts, context.input.by};
    if (auto may = scope.may_ask(context.request().body); !may) {
        ledger_.note_refusal(context.step, context.input, may.error());
        context.reply(tl::unexpected{std::move(may.error())});
        return;
    }
    const auto to_its_handler = [&](const auto& request) {
        using Kind = std::decay_t<decltype(request)>;
        if constexpr (requires { tasks_.handle(context, request); }) {
            tasks_.handle(context, request);
        } else if constexpr (requires { nodes_.handle(context, request); }) {
            nodes_.handle(context, request);
        } else if constexpr (requires { cluster_.handle(context, request); }) {
            cluster_.handle(context, request);
        } else if constexpr (requires { cluster_.handle(context, facts, request); }) {
            cluster_.handle(context, facts, request);
        } else if constexpr (requires { keys_.handle(context, request); }) {
            keys_.handle(context, request);
        } else if constexpr (requires { keys_.handle(context, facts, request); }) {
            keys_.handle(context, facts, request);
        } else if constexpr (requires { secrets_.handle(context, request); }) {
            secrets_.handle(context, request);
        } else if constexpr (requires { secrets_.handle(context, facts, request); }) {
            secrets_.handle(context, facts, request);
        } else if constexpr (requires { demand_.handle(context, request); }) {
            demand_.handle(context, request);
        } else if constexpr (requires { pools_.handle(context, request); }) {
            pools_.handle(context, request);
        } else if constexpr (requires { agent_calls_.handle(context, request); }) {
            agent_calls_.handle(context, request);
        } else if constexpr (std::is_same_v<Kind, WaitRequest>) {
            wait(context, request, effects);
        } else if constexpr (std::is_same_v<Kind, PlanRequest>) {
            plan(context, facts, request);
        } else if constexpr (std::is_same_v<Kind, EventsRequest>) {
            context.reply(ReplyBody{scope.events(request)});
        } else {
            if constexpr (std::is_same_v<Kind, StatusRequest> ||
                          std::is_same_v<Kind, StatsRequest>) {
                planning_.refresh_totals();
            }
            context.reply(scope.limited(Reads{facts}(request)));
        }
    };
    std::visit(to_its_handler, context.request().body);
}

void Operators::wait(const RequestContext& context, const WaitRequest& request, Effects& effects) {
    effects.wake_waits = true;
    const StoredKey* const by = owner_of(ledger_.keys(), context.input.by.key);
    if (auto taken = waits_.add(context.ticket(), request, context.request().id, context.step.now,
                                ledger_.last_number(), by == nullptr ? StoredKey{} : *by);
        !taken) {
        context.reply(tl::unexpected{taken.error()});
    }
}

// The balance moves running instances only: the answer waits until earlier changes have taken
// effect.
void Operators::plan(const RequestContext& context, const Facts& facts,
                     const PlanRequest& request) {
    planning_.refresh_totals();
    const std::uint64_t after = ledger_.last_number();
    if (!request.rebalance || facts.liveness.recovery().runs() || under_way(facts, after).empty()) {
        context.reply(ReadScope{facts, context.input.by}.limited(Reads{facts}(request)));
    } else if (!plan_waits_.add(context, request, after)) {
        context.reply(fail(Errc::busy, "too many wait for a plan; try again"));
    }
}

// One plan in a step: it costs as much as a full pass.
void Operators::answer_plan(StepContext& step, const Facts& facts) {
    if (plan_waits_.empty()) {
        return;
    }
    planning_.refresh_totals();
    if (const auto over = plan_waits_.take_finished(facts)) {
        auto answer = ReadScope{facts, over->by}.limited(Reads{facts}(over->request));
        if (auto* const reply = answer ? std::get_if<PlanReply>(&*answer) : nullptr) {
            reply->unsettled = under_way(facts, over->after);
        }
        step.output.replies.push_back({over->ticket, Reply{over->id, std::move(answer)}});
    }
}

void Operators::flush(StepContext& step, const Facts& facts, const Effects& effects) {
    const auto deadline = waits_.next_deadline();
    if (deadline && (effects.wake_waits || step.now >= *deadline)) {
        TaskReader reader{facts.copies.workload, facts.planner()};
        waits_.answer(step.now, {.last = ledger_.last_number(), .durable = ledger_.durable()},
                      reader, step.output.replies);
    }
    answer_plan(step, facts);
    agent_calls_.calls().answer_due(step.now, step.output.replies);
}

void Operators::fail_all(const Error& error, Output& output) {
    tasks_.fail_all(error, output.replies);
    for (const FromOperator& input : std::exchange(in_line_, {})) {
        output.replies.push_back({input.ticket, Reply{input.request->id, tl::unexpected{error}}});
    }
    waits_.answer_all(error, output.replies);
    plan_waits_.answer_all(error, output.replies);
    agent_calls_.calls().fail_all(error, output.replies);
}

std::optional<Instant> Operators::next_deadline() const {
    if (is_busy()) {
        return Instant{};
    }
    std::optional<Instant> first;
    for (const auto deadline : {waits_.next_deadline(), plan_waits_.next_deadline(),
                                agent_calls_.calls().next_deadline()}) {
        first = first && deadline ? std::min(*first, *deadline) : (first ? first : deadline);
    }
    return first;
}

}  // namespace muster::coordinator
