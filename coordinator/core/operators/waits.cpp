#include "coordinator/core/operators/waits.hpp"

#include <algorithm>
#include <chrono>
#include <ratio>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "coordinator/core/ledger/scope.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/planning/reasons.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

/// Waits that end in the same 20 ms end together, and read their tasks once.
using Span = std::chrono::duration<Duration::rep, std::ratio<1, 50>>;

/// Names in all waits: as many as two waits for all tasks.
constexpr std::size_t names_most = 2 * limits::tasks;

Error ends_last() {
    return {Errc::busy,
            "too many are waiting, and this wait would end last; ask again, for a "
            "shorter time"};
}

/// Every instance has ended and does not start again.
bool is_over(const TaskStatus& status) {
    return status.exited + status.failed == status.wanted && status.rolling == 0 &&
           status.phase != TaskPhase::recovering;
}

/// A task that is not wanted any more counts as done, because an operator removed it.
bool is_done(const std::string& name, bool finished, TaskReader& view) {
    const auto index = view.workload.find(name);
    if (!index || !view.workload[*index].wanted) {
        return true;
    }
    const TaskStatus& status = view.status(*index);
    if (finished) {
        return is_over(status);
    }
    return status.phase == TaskPhase::converged && status.young == 0;
}

/// The first task that never ends.
std::optional<std::string> find_endless(const std::vector<std::string>& tasks,
                                        const TaskReader& view) {
    const auto found = std::ranges::find_if(tasks, [&](const std::string& name) {
        const Task& task = view.workload[*view.workload.find(name)];
        return task.spec.restart.policy == RestartPolicy::always;
    });
    return found == tasks.end() ? std::nullopt : std::optional{*found};
}

/// A task that never converges by itself, because its roll-out is halted. Nothing: none is known.
std::optional<TaskIndex> find_halted(const std::vector<std::string>& tasks, TaskReader& view) {
    int left = 1'000;  // With very many halted tasks, a wait soon stops at one.
    for (const TaskIndex task : view.planner.halted()) {
        const bool is_meant = view.workload[task].wanted &&
                              std::ranges::binary_search(tasks, view.workload.name(task));
        if (is_meant && view.status(task).halted_by) {
            return task;
        }
        if (--left == 0) {
            break;
        }
    }
    return std::nullopt;
}

/// Moves on to the next task that is not done. False: there is none.
bool find_unsettled(const std::vector<std::string>& tasks, bool finished, std::size_t& position,
                    TaskReader& view) {
    for (std::size_t visited = 0; visited < tasks.size(); ++visited) {
        if (!is_done(tasks[position], finished, view)) {
            return true;
        }
        position = (position + 1) % tasks.size();
    }
    return false;
}

/// The exit code of an instance, as a shell reports it.
std::int32_t exit_code_of(const InstanceView& instance) {
    constexpr std::int32_t by_signal = 128;
    constexpr std::int32_t unknown = 1;  // For a program that could not be executed.
    const bool has_failed = instance.state == to_string(InstanceState::failed);
    if (instance.exit_signal > 0) {
        return by_signal + instance.exit_signal;
    }
    return has_failed ? std::max(unknown, instance.exit_code) : std::max(0, instance.exit_code);
}

/// Adds the ends of the instances of the task.
void add_ends(TaskIndex task, const TaskReader& view, WaitReply& reply) {
    for (const InstanceView& instance : view.planner.instances_of(task)) {
        const std::int32_t code = instance.stray ? 0 : exit_code_of(instance);
        if (code > reply.exit_code) {
            reply.exit_code = code;
            reply.worst =
                to_string(instance.id) + " on " + instance.node + ": " + describe_end(instance);
        }
    }
}

Result<ReplyBody> reply_of(const std::vector<std::string>& tasks, bool finished,
                           const std::string& pattern, TaskReader& view) {
    WaitReply reply;
    for (const std::string& name : tasks) {
        const auto index = view.workload.find(name);
        if (index && view.workload[*index].wanted) {
            reply.tasks.push_back(view.shown(*index));
            if (finished) {
                add_ends(*index, view, reply);
            }
        }
    }
    if (reply.tasks.empty()) {
        return fail(Errc::not_found, "every task that matches '" + pattern + "' was removed");
    }
    return ReplyBody{std::move(reply)};
}

/// `rolling, 19 of 20 running (updated 1 of 20; ...)`. For a converged task: how many instances
/// have run for min_healthy.
std::string describe(const TaskView& task) {
    const bool is_young = task.state == to_string(TaskPhase::converged);
    return task.state + ", " + std::to_string(task.running) + " of " +
           std::to_string(task.instances) + " running" +
           (is_young ? ", " + std::to_string(task.updated) + " for min_healthy" : "") +
           (task.detail.empty() ? "" : " (" + task.detail + ")");
}

/// `3 of 5 ended, 1 running`.
std::string describe_ends(const TaskStatus& status) {
    return std::to_string(status.exited + status.failed) + " of " + std::to_string(status.wanted) +
           " ended, " + std::to_string(status.running) + " running";
}

/// Names up to three of the tasks that are missing.
Error timeout_of(const std::vector<std::string>& tasks, bool finished, TaskReader& view) {
    constexpr std::size_t named_at_most = 3;
    std::string sentence = finished ? "not finished: " : "not converged: ";
    std::size_t missing = 0;
    for (const std::string& name : tasks) {
        if (is_done(name, finished, view)) {
            continue;
        }
        if (++missing <= named_at_most) {
            const TaskView& task = view.shown(*view.workload.find(name));
            const TaskStatus& status = view.status(*view.workload.find(name));
            sentence += (missing > 1 ? "; " : "") + name + ' ' +
                        (finished ? describe_ends(status) : describe(task));
        }
    }
    if (missing > named_at_most) {
        sentence += "; and " + std::to_string(missing - named_at_most) + " more";
    }
    return Error{Errc::timeout, sentence};
}

}  // namespace

Result<void> Waits::add(Ticket ticket, const WaitRequest& request, const RequestId& id, Instant now,
                        std::uint64_t after, const StoredKey& by) {
    const Duration timeout = std::chrono::milliseconds{request.timeout_ms};
    if (timeout > limits::wait_max) {
        return fail(Errc::invalid,
                    "timeout_ms is " + std::to_string(request.timeout_ms) + "; it is at most " +
                        std::to_string(to_ms(limits::wait_max)) + "; ask again after that");
    }
    const Instant end{std::chrono::ceil<Span>((now + timeout).time_since_epoch())};
    if (waits_.size() >= limits::pending_waits && !make_room(end, &Wait::holds_a_place)) {
        return tl::unexpected{ends_last()};
    }
    Wait& wait = waits_.emplace_back();
    wait.ticket = ticket;
    wait.id = id;
    wait.pattern = request.pattern;
    wait.finished = request.finished;
    wait.deadline = end;
    wait.after = after;
    wait.pools = by.pools;
    wait.of_tasks = by.tasks;
    return {};
}

bool Waits::make_room(Instant deadline, bool (Wait::*is_in_the_way)() const) {
    Wait* last = nullptr;
    for (Wait& wait : waits_) {
        if ((wait.*is_in_the_way)() && (last == nullptr || wait.deadline > last->deadline)) {
            last = &wait;
        }
    }
    if (last == nullptr || last->deadline <= deadline) {
        return false;
    }
    last->refusal = ends_last();
    names_ -= last->tasks.size();
    last->tasks.clear();
    return true;
}

void Waits::answer(Instant now, const Written& written, TaskReader& view,
                   std::vector<ReplyTo>& replies) {
    for (Wait& wait : waits_) {
        if (written.durable >= wait.after && !wait.chosen && !wait.refusal) {
            choose(wait, view);
        }
    }
    std::erase_if(waits_, [&](Wait& wait) {
        auto answer = judge(now, written, wait, view);
        if (!answer) {
            return false;
        }
        names_ -= wait.tasks.size();
        replies.push_back({wait.ticket, Reply{wait.id, std::move(*answer)}});
        return true;
    });
}

Waits::Answer Waits::judge(Instant now, const Written& written, Wait& wait, TaskReader& view) {
    if (wait.refusal) {
        return tl::unexpected{*wait.refusal};
    }
    if (wait.chosen && !find_unsettled(wait.tasks, wait.finished, wait.next_task, view)) {
        // The reported ends must be durable before the answer.
        wait.over_at = wait.over_at ? wait.over_at : written.last;
        if (!wait.finished || written.durable >= *wait.over_at) {
            return reply_of(wait.tasks, wait.finished, wait.pattern, view);
        }
    } else {
        wait.over_at.reset();
    }
    if (const auto halted =
            wait.chosen && !wait.finished ? find_halted(wait.tasks, view) : std::nullopt) {
        return fail(Errc::halted,
                    view.workload.name(*halted) + ' ' + describe(view.shown(*halted)));
    }
    if (now < wait.deadline) {
        return std::nullopt;
    }
    if (!wait.chosen) {
        return fail(Errc::timeout, "the change before this wait is not durable yet");
    }
    if (wait.over_at) {
        return fail(Errc::timeout, "every instance has ended, but this is not durable yet");
    }
    return tl::unexpected{timeout_of(wait.tasks, wait.finished, view)};
}

void Waits::choose(Wait& wait, TaskReader& view) {
    auto names = wanted_names_matching(wait.pattern, view.workload);
    if (!names) {
        wait.refusal = names.error();
        return;
    }
    const StoredKey scope{.name = {}, .keys = {}, .pools = wait.pools, .tasks = wait.of_tasks};
    std::erase_if(*names, [&](const std::string& name) {
        const Task& task = view.workload[*view.workload.find(name)];
        return is_limited(scope) && !may_change_task(scope, name, task.place.pool);
    });
    if (names->empty()) {
        wait.refusal = Error{Errc::not_found, "no task matches '" + wait.pattern + "'"};
        return;
    }
    if (const auto endless = wait.finished ? find_endless(*names, view) : std::nullopt) {
        wait.refusal = Error{Errc::invalid, "task '" + *endless +
                                                "' has restart \"always\" and never ends; wait for "
                                                "it to run, or give it another restart policy"};
        return;
    }
    ensure(wait.tasks.empty(), "the tasks of a wait are chosen once");
    while (names_ + names->size() > names_most) {
        if (!make_room(wait.deadline, &Wait::holds_names)) {
            wait.refusal = ends_last();
            return;
        }
    }
    wait.chosen = true;
    wait.tasks = std::move(*names);
    names_ += wait.tasks.size();
}

void Waits::answer_all(const Error& error, std::vector<ReplyTo>& replies) {
    for (const Wait& wait : waits_) {
        replies.push_back({wait.ticket, Reply{wait.id, tl::unexpected{error}}});
    }
    waits_.clear();
    names_ = 0;
}

std::optional<Instant> Waits::next_deadline() const {
    const auto first = std::ranges::min_element(waits_, {}, &Wait::deadline);
    return first == waits_.end() ? std::nullopt : std::optional{first->deadline};
}

}  // namespace muster::coordinator
