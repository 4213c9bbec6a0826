#include "sim/model/cluster.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "sim/model/generators.hpp"

namespace muster::sim {

Cluster::Cluster(const ClusterOptions& options) : world_{options}, operators_{world_} {
    if (options.coordinators > 1) {
        etcd_.emplace(world_);
    }
    for (std::uint32_t control = 0; control < options.coordinators; ++control) {
        controls_.push_back(std::make_unique<ControlHost>(world_, operators_, agents_, control,
                                                          etcd_ ? &*etcd_ : nullptr));
    }
    Random random{options.seed ^ 0x6f66666572ULL};
    enrol_first_hosts();
    for (std::uint32_t host = 0; host < world_.options.nodes; ++host) {
        add_host(fmt::format("n{}", host), options.offers ? any_offer(random) : Offer{});
    }
    for (const auto& control : controls_) {
        control->start(now_);
    }
}

void Cluster::add(std::string label, std::string agent_name, Offer offer) {
    const HostIndex index{static_cast<std::uint32_t>(agents_.size())};
    world_.network.add_host();
    agents_.push_back(
        std::make_unique<AgentHost>(world_, index, std::move(label), std::move(agent_name)));
    agents_.back()->set_offer(std::move(offer));
    agents_.back()->set_key(key_of_host(agents_.back()->label()));
    agents_.back()->boot(now_);
}

HostIndex Cluster::find(std::string_view label) const {
    for (std::uint32_t host = 0; host < agents_.size(); ++host) {
        if (agents_[host]->label() == label) {
            return HostIndex{host};
        }
    }
    ensure(false, "a test names a host that exists");
    return {};
}

const AgentHost& Cluster::host(std::string_view label) const { return *agents_[raw(find(label))]; }

void Cluster::note(std::string_view label, std::string_view what) {
    world_.trace.line(now_, "{} {}", label, what);
    ++world_.changes;
}

// ---- operators ----

std::size_t Cluster::ask(RequestBody body) { return ask(std::move(body), {.is_local = true}); }

std::size_t Cluster::ask(RequestBody body, const coordinator::Caller& by) {
    const std::size_t question = operators_.ask(now_, std::move(body), by);
    collect_violations();
    return question;
}

std::size_t Cluster::want(const std::string& task, std::uint32_t instances, TaskSpec spec) {
    return ask(ApplyRequest{.tasks = {WantedTask{task, instances, std::move(spec)}}});
}

// ---- hosts ----

void Cluster::kill_host(std::string_view label) {
    act(label, "loses its power", &AgentHost::kill_power, now_);
}

void Cluster::scrap_host(std::string_view label) {
    if (host(label).is_powered()) {
        kill_host(label);
    }
    at(find(label)).scrap();
}

void Cluster::crash_agent(std::string_view label) {
    act(label, "agent is killed", &AgentHost::crash, now_);
}

void Cluster::restart_agent(std::string_view label) {
    act(label, "agent is started", &AgentHost::start_daemon, now_);
}

void Cluster::stop_agent(std::string_view label) {
    act(label, "agent is stopped, with its instances", &AgentHost::shut_down, now_);
}

void Cluster::leave_agent(std::string_view label) {
    act(label, "agent is stopped", &AgentHost::leave, now_);
}

void Cluster::kill_shim(std::string_view label) {
    if (at(find(label)).kill_shim(now_)) {
        note(label, "a shim is killed");
    }
    collect_violations();
}

void Cluster::pause_agent(std::string_view label) {
    act(label, "agent is paused", &AgentHost::pause);
}

void Cluster::resume_agent(std::string_view label) {
    act(label, "agent resumes", &AgentHost::resume, now_);
}

void Cluster::halt_host(std::string_view label) { act(label, "is paused", &AgentHost::halt, now_); }

bool Cluster::can_write(std::string_view label, const InstanceId& id) {
    const HostIndex host = find(label);
    const auto copies = world_.truth.of(id.task);
    const auto found = std::ranges::find_if(
        copies, [&](const Process* process) { return process->id == id && process->host == host; });
    return found != copies.end() && world_.storage.write(id, (*found)->token);
}

void Cluster::lose_disk(std::string_view label) {
    act(label, "loses its disk", &AgentHost::lose_disk);
}

void Cluster::set_offer(std::string_view label, Offer offer) {
    at(find(label)).set_offer(std::move(offer));
}

void Cluster::set_ready(std::string_view label, bool ready) {
    act(label, ready ? "becomes ready" : "is not ready any more", &AgentHost::set_ready, ready);
}

void Cluster::set_full(std::string_view label, bool full) {
    act(label, full ? "has a full disk" : "has room on its disk again", &AgentHost::set_full, full);
}

void Cluster::break_spawns(std::string_view label, bool broken) {
    act(label, broken ? "cannot make processes" : "can make processes again",
        &AgentHost::break_spawns, broken);
}

void Cluster::break_disk(std::string_view label, bool broken) {
    act(label, broken ? "cannot write" : "can write again", &AgentHost::break_disk, broken);
}

void Cluster::set_clock(std::string_view label, Duration ahead) {
    act(label, fmt::format("has a clock that is {} s ahead", ahead / 1s), &AgentHost::set_clock,
        ahead);
}

bool Cluster::end_process(const InstanceId& id, std::int32_t exit_code) {
    const auto& all = world_.truth.processes();
    const auto found =
        std::ranges::find_if(all, [&](const auto& entry) { return entry.second.id == id; });
    if (found == all.end()) {
        return false;
    }
    const auto& [number, process] = *found;
    world_.queue.push(at(process.host).earliest_end(now_, process),
                      ProcessDone{number, exit_code, 0});
    return true;
}

// ---- the wires ----

void Cluster::partition(std::string_view label) {
    note(label, "is cut off");
    world_.network.cut(now_, find(label), Side::agent);
    world_.network.cut(now_, find(label), Side::coordinator);
}

void Cluster::cut(std::string_view label, Side to) {
    note(label, to == Side::agent ? "receives nothing" : "its messages are lost");
    world_.network.cut(now_, find(label), to);
}

void Cluster::heal(std::string_view label) {
    note(label, "is reached again");
    world_.network.heal(now_, find(label));
}

void Cluster::reset_link(std::string_view label) {
    note(label, "connection is reset");
    world_.network.reset(now_, find(label));
}

void Cluster::lag(std::string_view label, Duration longer) {
    note(label, fmt::format("lags by {} ms", to_ms(longer)));
    world_.network.lag(find(label), longer);
}

void Cluster::replay_batch(std::string_view label, std::size_t back) {
    const HostIndex host = find(label);
    note(label, "gets an old batch once more");
    world_.network.replay(now_, host, Side::agent, at(host).old_batch(back));
}

void Cluster::forge(std::string_view label, const CoordinatorMessage& message) {
    std::string bytes;
    codec::encode(message, bytes);
    note(label, "gets a forged message");
    world_.network.replay(now_, find(label), Side::agent, std::move(bytes));
}

void Cluster::forge_from(std::string_view label, const AgentMessage& message) {
    std::string bytes;
    codec::encode(message, bytes);
    note(label, "forges a message");
    world_.network.replay(now_, find(label), Side::coordinator, std::move(bytes), true);
}

void Cluster::set_falsification(std::string_view label, ReportFalsification manner) {
    act(label, fmt::format("reports {}", to_string(manner)), &AgentHost::falsify, manner);
}

// ---- the coordinator and its store ----

void Cluster::crash_coordinator() { crash_coordinator(leading_number()); }

void Cluster::restart_coordinator() { restart_coordinator(leading_number()); }

void Cluster::pause_coordinator() { pause_coordinator(leading_number()); }

void Cluster::resume_coordinator() { resume_coordinator(leading_number()); }

void Cluster::set_coordinator_clock(Duration ahead) {
    note(leading().name(), fmt::format("has a clock that is {} s ahead", ahead / 1s));
    leader().set_clock(now_, ahead);
    collect_violations();
}

void Cluster::replace_store(coordinator::StoreImage image) {
    ensure(!leading().is_up() && !etcd_, "a store is exchanged while no coordinator uses it");
    note("c1", "gets another store");
    world_.store.replace(std::move(image));
    world_.checkers.on(now_, StoreReplaced{world_.store.durable()});
}

// ---- time ----

void Cluster::run(Duration duration) {
    const Instant end = now_ + duration;
    while (turn(end)) {
    }
}

bool Cluster::turn(Instant end) {
    const auto next_at = world_.queue.next_at();
    if (!next_at || *next_at > end) {
        now_ = end;
        return false;
    }
    auto [at_instant, occurrence] = world_.queue.pop();
    turns_at_once_ = at_instant == now_ ? turns_at_once_ + 1 : 0;
    ensure(turns_at_once_ < 1'000'000, "time advances");
    now_ = at_instant;
    std::visit([this](auto& due) { apply(due); }, occurrence);
    if (!world_.checkers.ok()) {
        collect_violations();
    }
    return true;
}

void Cluster::apply(Delivery& delivery) {
    const auto session = world_.network.arrive(delivery);
    if (!session) {
        return;
    }
    if (delivery.to == Side::coordinator) {
        controls_[world_.network.control_of(*session)]->receive(now_, *session, delivery);
        return;
    }
    at(world_.network.host_of(*session)).receive(now_, delivery);
}

void Cluster::apply(const ConnectTry& attempt) {
    if (const auto session = world_.network.connect(now_, attempt)) {
        controls_[world_.network.control_of(*session)]->connected(now_, *session,
                                                                  at(attempt.host).key());
    }
}

void Cluster::apply(const SessionEnd& ended) {
    if (world_.network.end(now_, ended) && ended.side == Side::coordinator) {
        controls_[world_.network.control_of(ended.session)]->disconnected(now_, ended.session);
    }
}

void Cluster::apply(const CommitDone& done) {
    if (crash_at_commit_ != 0 && world_.store.commits() == crash_at_commit_) {
        crash_at_commit_ = 0;
        crash_coordinator();
        return;
    }
    controls_[done.control]->committed(now_, done.life);
}

void Cluster::apply(const ProcessDone& done) {
    const Process* found = world_.truth.find(done.process);
    if (found == nullptr) {
        return;  // The process had ended before.
    }
    const Process process = *found;
    world_.truth.end(done.process);
    at(process.host).process_ended(now_, process, done);
}

}  // namespace muster::sim
