#include "coordinator/core/operators/waits.hpp"

#include <algorithm>
#include <chrono>
#include <ratio>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

/// Those that end in the same 20 ms end together, and their tasks are read once for all.
using Span = std::chrono::duration<Duration::rep, std::ratio<1, 50>>;

/// In all waits: those of two for everything.
constexpr std::size_t names_most = 2 * limits::tasks;

Error ends_last() {
    return {Errc::busy,
            "too many are waiting, and this wait would end last; ask again, for a "
            "shorter time"};
}

/// Not wanted any more counts as settled: somebody else decided that it is not to come.
bool is_settled(const std::string& name, TaskReader& view) {
    const auto index = view.workload.find(name);
    if (!index || !view.workload[*index].wanted) {
        return true;
    }
    const TaskStatus& status = view.status(*index);
    return status.phase == TaskPhase::converged && status.young == 0;
}

/// One of these that never will be by itself: its roll-out is halted. Nothing: none is known.
std::optional<TaskIndex> find_halted(const std::vector<std::string>& tasks, TaskReader& view) {
    int left = 1'000;  // Of very many that are halted, a wait soon stands before one.
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

/// Moves on to the next task that is not settled. False: there is none.
bool stands_before_one(const std::vector<std::string>& tasks, std::size_t& position,
                       TaskReader& view) {
    for (std::size_t looked_at = 0; looked_at < tasks.size(); ++looked_at) {
        if (!is_settled(tasks[position], view)) {
            return true;
        }
        position = (position + 1) % tasks.size();
    }
    return false;
}

Result<ReplyBody> reply_of(const std::vector<std::string>& tasks, const std::string& pattern,
                           TaskReader& view) {
    WaitReply reply;
    for (const std::string& name : tasks) {
        const auto index = view.workload.find(name);
        if (index && view.workload[*index].wanted) {
            reply.tasks.push_back(view.shown(*index));
        }
    }
    if (reply.tasks.empty()) {
        return fail(Errc::not_found, "every task that matches '" + pattern + "' was removed");
    }
    return ReplyBody{std::move(reply)};
}

/// `rolling, 19 of 20 running, 1 updated (why)`. An instance is updated once it has run for
/// min_healthy.
std::string describe(const TaskView& task) {
    return task.state + ", " + std::to_string(task.running) + " of " +
           std::to_string(task.instances) + " running, " + std::to_string(task.updated) +
           " updated" + (task.detail.empty() ? "" : " (" + task.detail + ")");
}

/// Names up to three of those that are missing.
Error timeout_of(const std::vector<std::string>& tasks, TaskReader& view) {
    constexpr std::size_t named_at_most = 3;
    std::string sentence = "not converged: ";
    std::size_t missing = 0;
    for (const std::string& name : tasks) {
        if (is_settled(name, view)) {
            continue;
        }
        if (++missing <= named_at_most) {
            const TaskView& task = view.shown(*view.workload.find(name));
            sentence += (missing > 1 ? "; " : "") + name + ' ' + describe(task);
        }
    }
    if (missing > named_at_most) {
        sentence += "; and " + std::to_string(missing - named_at_most) + " more";
    }
    return Error{Errc::timeout, sentence};
}

}  // namespace

Result<void> Waits::add(Ticket ticket, const WaitRequest& request, const RequestId& id, Instant now,
                        std::uint64_t after) {
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
    wait.deadline = end;
    wait.after = after;
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

void Waits::answer(Instant now, std::uint64_t durable, TaskReader& view,
                   std::vector<ReplyTo>& replies) {
    for (Wait& wait : waits_) {
        if (durable >= wait.after && !wait.chosen && !wait.refusal) {
            choose(wait, view);
        }
    }
    std::erase_if(waits_, [&](Wait& wait) {
        auto answer = judge(now, wait, view);
        if (!answer) {
            return false;
        }
        names_ -= wait.tasks.size();
        replies.push_back({wait.ticket, Reply{wait.id, std::move(*answer)}});
        return true;
    });
}

Waits::Answer Waits::judge(Instant now, Wait& wait, TaskReader& view) {
    if (wait.refusal) {
        return tl::unexpected{*wait.refusal};
    }
    if (wait.chosen && !stands_before_one(wait.tasks, wait.standing_before, view)) {
        return reply_of(wait.tasks, wait.pattern, view);
    }
    if (const auto halted = wait.chosen ? find_halted(wait.tasks, view) : std::nullopt) {
        return fail(Errc::halted,
                    view.workload.name(*halted) + ' ' + describe(view.shown(*halted)));
    }
    if (now < wait.deadline) {
        return std::nullopt;
    }
    if (!wait.chosen) {
        return fail(Errc::timeout, "the change before this wait is not durable yet");
    }
    return tl::unexpected{timeout_of(wait.tasks, view)};
}

void Waits::choose(Wait& wait, TaskReader& view) {
    auto names = wanted_names_matching(wait.pattern, view.workload);
    if (!names) {
        wait.refusal = names.error();
        return;
    }
    if (names->empty()) {
        wait.refusal = Error{Errc::not_found, "no task matches '" + wait.pattern + "'"};
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
