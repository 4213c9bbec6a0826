#include "sim/scenario/deeds.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/base/ensure.hpp"

namespace muster::sim {

namespace {

constexpr Duration agent_ends_within = 100ms;  // Then it is looked again whether it has.

Occasion occasion() { return {.reason = "a scenario", .author = "op"}; }

/// A refusal names the flag of the command line; here it is a key.
std::string as_in_file(std::string sentence) {
    constexpr std::string_view flag = "--force";
    if (const auto at = sentence.find(flag); at != std::string::npos) {
        sentence.replace(at, flag.size(), "force = true");
    }
    return sentence;
}

}  // namespace

void Deeds::list(const std::vector<ScenarioNode>& nodes) {
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

void Deeds::apply(std::vector<WantedTask> tasks) {
    if (!tasks.empty()) {
        ask(ApplyRequest{.tasks = std::move(tasks)});
    }
}

void Deeds::perform(const ScenarioStep& step) {
    const Deed& deed = step.deed;
    switch (deed.verb) {
        case Verb::join:
            list(step.join);
            for (const ScenarioNode& node : step.join) {
                cluster_.add_host(node.name, node.offer);
            }
            break;
        case Verb::heal_all: heal_all(); break;
        case Verb::apply: apply(step.tasks); break;
        case Verb::scale: ask(TaskScaleRequest{deed.task, deed.count}); break;
        case Verb::restart_task: ask(TaskRestartRequest{deed.task}); break;
        case Verb::remove: ask(TaskRemoveRequest{deed.task}); break;
        case Verb::freeze_on: ask(FreezeOnRequest{occasion()}); break;
        case Verb::freeze_off: ask(FreezeOffRequest{occasion()}); break;
        case Verb::crash_coordinator:
        case Verb::restart_coordinator:
        case Verb::pause_coordinator:
        case Verb::resume_coordinator: perform_on_coordinator(deed.verb); break;
        case Verb::crash:
        case Verb::boot:
        case Verb::restart:
        case Verb::stop:
        case Verb::leave:
        case Verb::crash_agent:
        case Verb::start_agent:
        case Verb::pause:
        case Verb::resume:
        case Verb::partition:
        case Verb::cut_inbound:
        case Verb::cut_outbound:
        case Verb::flap:
        case Verb::slow:
        case Verb::heal:
        case Verb::drain:
        case Verb::offline:
        case Verb::online:
            for (const std::string& node : deed.nodes) {
                perform(step, node);
            }
            break;
    }
    perform_due();
}

void Deeds::perform(const ScenarioStep& step, const std::string& node) {
    const AgentHost& host = cluster_.host(node);
    const Verb verb = step.deed.verb;
    const bool is_for_agent = verb == Verb::stop || verb == Verb::leave ||
                              verb == Verb::crash_agent || verb == Verb::pause;
    if (is_for_agent && !host.is_up()) {
        ++refused_;
        notes_.push_back(fmt::format("no agent runs on {} yet", node));
        return;
    }
    switch (verb) {
        case Verb::crash:
            forget(node);
            if (host.is_powered()) {  // It may be off, on its way through a restart.
                cluster_.kill_host(node);
            }
            break;
        case Verb::boot: cluster_.boot_host(node); break;
        case Verb::restart: restart(step, node); break;
        case Verb::stop: cluster_.stop_agent(node); break;
        case Verb::leave: cluster_.leave_agent(node); break;
        case Verb::crash_agent: cluster_.crash_agent(node); break;
        case Verb::start_agent: start_agent(node); break;
        case Verb::pause: cluster_.pause_agent(node); break;
        case Verb::resume: cluster_.resume_agent(node); break;
        case Verb::partition: cluster_.partition(node); break;
        case Verb::cut_inbound: cluster_.cut(node, Side::agent); break;
        case Verb::cut_outbound: cluster_.cut(node, Side::coordinator); break;
        case Verb::flap: flap(step, node); break;
        case Verb::slow: cluster_.lag(node, step.by); break;
        case Verb::heal:
            std::erase_if(agenda_, [&](const auto& entry) {
                const Later what = entry.second.what;
                return entry.second.node == node && (what == Later::cut || what == Later::heal);
            });
            cluster_.heal(node);
            break;
        case Verb::drain:
            ask(NodeDrainRequest{.pattern = node, .force = step.force, .why = occasion()});
            break;
        case Verb::offline: ask(NodeOfflineRequest{node, occasion()}); break;
        case Verb::online: ask(NodeOnlineRequest{node, occasion()}); break;
        case Verb::heal_all:
        case Verb::join:
        case Verb::apply:
        case Verb::scale:
        case Verb::restart_task:
        case Verb::remove:
        case Verb::freeze_on:
        case Verb::freeze_off:
        case Verb::crash_coordinator:
        case Verb::restart_coordinator:
        case Verb::pause_coordinator:
        case Verb::resume_coordinator: ensure(false, "this verb is not about one node");
    }
}

void Deeds::perform_on_coordinator(Verb verb) {
    if (verb == Verb::pause_coordinator) {
        cluster_.pause_coordinator();
    } else if (verb == Verb::resume_coordinator) {
        cluster_.resume_coordinator();
    } else {
        if (verb == Verb::crash_coordinator || cluster_.coordinator_is_up()) {
            cluster_.crash_coordinator();
        }
        if (verb == Verb::restart_coordinator) {
            cluster_.restart_coordinator();
        }
    }
}

void Deeds::restart(const ScenarioStep& step, const std::string& node) {
    forget(node);
    if (cluster_.host(node).is_powered()) {
        cluster_.kill_host(node);
    }
    if (step.deed.empty) {
        cluster_.lose_disk(node);
    }
    later(step.down, Later::boot, node);
}

void Deeds::flap(const ScenarioStep& step, const std::string& node) {
    for (std::uint32_t time = 0; time < step.times; ++time) {
        later(time * step.period, Later::cut, node);
        later(time * step.period + step.period / 2, Later::heal, node);
    }
}

// One that was told to end ends first.
void Deeds::start_agent(const std::string& node) {
    if (cluster_.host(node).is_up()) {
        later(agent_ends_within, Later::start_agent, node);
    } else {
        cluster_.restart_agent(node);
    }
}

void Deeds::heal_all() {
    agenda_.clear();
    for (const std::string& node : cluster_.labels()) {
        const AgentHost& host = cluster_.host(node);
        cluster_.heal(node);
        if (!host.is_powered()) {
            cluster_.boot_host(node);
        } else if (host.is_paused()) {
            cluster_.resume_agent(node);
        } else if (!host.is_up()) {
            cluster_.restart_agent(node);
        }
    }
    if (cluster_.coordinator_is_paused()) {
        cluster_.resume_coordinator();
    } else if (!cluster_.coordinator_is_up()) {
        cluster_.restart_coordinator();
    }
}

// ---- what comes later ----

void Deeds::later(Duration from_now, Later what, const std::string& node) {
    agenda_.emplace(cluster_.now() + from_now, Entry{what, node});
}

void Deeds::forget(const std::string& node) {
    std::erase_if(agenda_, [&](const auto& entry) { return entry.second.node == node; });
}

std::optional<Instant> Deeds::next_at() const {
    return agenda_.empty() ? std::nullopt : std::optional{agenda_.begin()->first};
}

void Deeds::perform_due() {
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

std::vector<std::string> Deeds::take_notes() {
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
