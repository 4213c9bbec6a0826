#include "sim/scenario/executor.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::sim {

namespace {

constexpr Duration agent_ends_within = 100ms;  // Then it is checked again.

Occasion occasion() { return {.reason = "a scenario", .author = "op"}; }

/// A refusal names the flag of the command line. Here it is a key.
std::string as_in_file(std::string sentence) {
    constexpr std::string_view flag = "--force";
    if (const auto at = sentence.find(flag); at != std::string::npos) {
        sentence.replace(at, flag.size(), "force = true");
    }
    return sentence;
}

}  // namespace

void ScenarioExecutor::list(const std::vector<ScenarioNode>& nodes) {
    if (!cluster_.world().options.coordinator.listed_only) {
        return;
    }
    std::vector<ListedNode> listed;
    listed.reserve(nodes.size());
    for (const ScenarioNode& node : nodes) {
        listed.push_back({.name = node.name});
    }
    ask(NodeAddRequest{std::move(listed), occasion()});
}

void ScenarioExecutor::apply(std::vector<WantedTask> tasks) {
    if (!tasks.empty()) {
        ask(ApplyRequest{.tasks = std::move(tasks)});
    }
}

void ScenarioExecutor::perform(const ScenarioStep& step) {
    const ScenarioAction& action = step.action;
    const auto each = [&](auto&& does) {
        for (const std::string& node : action.nodes) {
            if (has_what_it_needs(action.verb, node)) {
                does(node);
            }
        }
    };
    const auto all = [&](void (Cluster::*does)(std::string_view)) {
        each([&](const std::string& node) { (cluster_.*does)(node); });
    };
    switch (action.verb) {
        case Verb::crash: each([&](const std::string& node) { crash(node); }); break;
        case Verb::boot: all(&Cluster::boot_host); break;
        case Verb::restart: each([&](const std::string& node) { restart(step, node); }); break;
        case Verb::stop: all(&Cluster::stop_agent); break;
        case Verb::leave: all(&Cluster::leave_agent); break;
        case Verb::crash_agent: all(&Cluster::crash_agent); break;
        case Verb::start_agent: each([&](const std::string& node) { start_agent(node); }); break;
        case Verb::pause: all(&Cluster::pause_agent); break;
        case Verb::resume: all(&Cluster::resume_agent); break;
        case Verb::partition: all(&Cluster::partition); break;
        case Verb::cut_inbound: each([&](auto& node) { cluster_.cut(node, Side::agent); }); break;
        case Verb::cut_outbound:
            each([&](auto& node) { cluster_.cut(node, Side::coordinator); });
            break;
        case Verb::flap: each([&](const std::string& node) { flap(step, node); }); break;
        case Verb::slow: each([&](const std::string& node) { cluster_.lag(node, step.by); }); break;
        case Verb::heal: each([&](const std::string& node) { heal(node); }); break;
        case Verb::heal_all: heal_all(); break;
        case Verb::join:
            list(step.join);
            for (const ScenarioNode& node : step.join) {
                cluster_.add_host(node.name, node.offer);
            }
            break;
        case Verb::drain:
            each([&](const std::string& node) {
                ask(NodeDrainRequest{.pattern = node, .force = step.force, .why = occasion()});
            });
            break;
        case Verb::offline:
            each([&](const std::string& node) { ask(NodeOfflineRequest{node, occasion()}); });
            break;
        case Verb::online:
            each([&](const std::string& node) { ask(NodeOnlineRequest{node, occasion()}); });
            break;
        case Verb::apply: apply(step.tasks); break;
        case Verb::scale: ask(TaskScaleRequest{action.task, action.count}); break;
        case Verb::restart_task: ask(TaskRestartRequest{action.task}); break;
        case Verb::remove: ask(TaskRemoveRequest{action.task}); break;
        case Verb::freeze_on: ask(FreezeOnRequest{occasion()}); break;
        case Verb::freeze_off: ask(FreezeOffRequest{occasion()}); break;
        case Verb::crash_coordinator: cluster_.crash_coordinator(); break;
        case Verb::restart_coordinator: restart_coordinator(); break;
        case Verb::pause_coordinator: cluster_.pause_coordinator(); break;
        case Verb::resume_coordinator: cluster_.resume_coordinator(); break;
    }
    perform_due();
}

bool ScenarioExecutor::has_what_it_needs(Verb verb, const std::string& node) {
    const bool is_for_agent = verb == Verb::stop || verb == Verb::leave ||
                              verb == Verb::crash_agent || verb == Verb::pause;
    if (is_for_agent && !cluster_.host(node).is_up()) {
        ++refused_;
        notes_.push_back(fmt::format("no agent runs on {} yet", node));
        return false;
    }
    return true;
}

void ScenarioExecutor::restart_coordinator() {
    if (cluster_.coordinator_is_up()) {
        cluster_.crash_coordinator();
    }
    cluster_.restart_coordinator();
}

void ScenarioExecutor::crash(const std::string& node) {
    forget(node);
    if (cluster_.host(node).is_powered()) {  // It may be off during a restart.
        cluster_.kill_host(node);
    }
}

void ScenarioExecutor::restart(const ScenarioStep& step, const std::string& node) {
    crash(node);
    if (step.action.empty) {
        cluster_.lose_disk(node);
    }
    later(step.down, Later::boot, node);
}

void ScenarioExecutor::flap(const ScenarioStep& step, const std::string& node) {
    for (std::uint32_t time = 0; time < step.times; ++time) {
        later(time * step.period, Later::cut, node);
        later(time * step.period + step.period / 2, Later::heal, node);
    }
}

// An agent that was ordered to end must end first.
void ScenarioExecutor::start_agent(const std::string& node) {
    if (cluster_.host(node).is_up()) {
        later(agent_ends_within, Later::start_agent, node);
    } else {
        cluster_.restart_agent(node);
    }
}

void ScenarioExecutor::heal(const std::string& node) {
    std::erase_if(agenda_, [&](const auto& entry) {
        const Later what = entry.second.what;
        return entry.second.node == node && (what == Later::cut || what == Later::heal);
    });
    cluster_.heal(node);
}

void ScenarioExecutor::heal_all() {
    agenda_.clear();
    for (const std::string& node : cluster_.labels()) {
        cluster_.repair_host(node);
    }
    cluster_.repair_coordinator();
}

// ---- later parts of verbs ----

void ScenarioExecutor::later(Duration from_now, Later what, const std::string& node) {
    agenda_.emplace(cluster_.now() + from_now, Entry{what, node});
}

void ScenarioExecutor::forget(const std::string& node) {
    std::erase_if(agenda_, [&](const auto& entry) { return entry.second.node == node; });
}

std::optional<Instant> ScenarioExecutor::next_at() const {
    return agenda_.empty() ? std::nullopt : std::optional{agenda_.begin()->first};
}

void ScenarioExecutor::perform_due() {
    while (!agenda_.empty() && agenda_.begin()->first <= cluster_.now()) {
        const Entry entry = std::move(agenda_.begin()->second);
        agenda_.erase(agenda_.begin());
        switch (entry.what) {
            case Later::boot: cluster_.boot_host(entry.node); break;
            case Later::start_agent: start_agent(entry.node); break;
            case Later::cut: cluster_.partition(entry.node); break;
            case Later::heal: cluster_.heal(entry.node); break;
        }
    }
}

std::vector<std::string> ScenarioExecutor::take_notes() {
    auto notes = std::exchange(notes_, {});
    for (const std::size_t question : std::exchange(asked_, {})) {
        const auto& answer = cluster_.answer(question);
        if (!answer) {
            notes.emplace_back("the coordinator has not answered");
        } else if (!answer->result) {
            ++refused_;
            notes.push_back("refused: " + as_in_file(answer->result.error().detail));
        }
    }
    return notes;
}

}  // namespace muster::sim
