#include "sim/checkers/agents/agent_orders.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "sim/model/trace.hpp"

namespace muster::sim {

void AgentOrders::on(Instant, const LeadershipBegan& began) {
    clusters_of_[began.image.meta.epoch].insert(began.image.meta.cluster);
}

void AgentOrders::on(Instant, const Committed& committed) {
    clusters_of_[committed.after.meta.epoch].insert(committed.after.meta.cluster);
}

// The numbers of another store are compared only with each other. An agent that saw later numbers
// gets no order (S25) until an operator accepts the store, which numbers every task again.
void AgentOrders::on(Instant, const StoreReplaced&) {
    for (auto& [index, host] : hosts_) {
        for (auto& [id, instance] : host.instances) {
            instance.spawned = Generation{};
        }
    }
}

void AgentOrders::on(Instant, const PollIssued& issued) {
    auto& polls = hosts_[issued.host].polls;
    const auto [at, is_first] = polls.emplace(issued.poll.round, issued.poll);
    if (!is_first && at->second.epoch != issued.poll.epoch) {
        at->second = issued.poll;
    }
    // A node that returns is polled twice in a round, and may answer either poll.
    at->second.issued = std::min(at->second.issued, issued.poll.issued);
    while (polls.size() > 100) {
        polls.erase(polls.begin());
    }
}

// Instances keep running. Orders to the last life count as far as its journal has them. That life
// may have obeyed the others or not, and the new life does not know them.
void AgentOrders::on(Instant, const AgentBegan& began) {
    Host& host = hosts_[began.host];
    Host fresh;
    fresh.incarnation = began.recovered.memory.incarnation;
    fresh.epoch = host.epoch;
    fresh.leader = host.leader;
    if (!began.recovered.is_rebooted) {
        fresh.instances = std::move(host.instances);
        fresh.processes = std::move(host.processes);
        fresh.ending = std::move(host.ending);
    }
    std::map<InstanceId, Generation> known;
    for (const auto& image : began.recovered.journal.instances) {
        known.emplace(image.report.id, image.report.generation);
    }
    for (const auto& found : began.recovered.found) {
        // The agent only cleans up a process that its journal does not know, and that it had to end
        // or whose lease ended.
        if (!fresh.ending.contains(raw(found.process))) {
            known.emplace(found.id, found.generation);
        }
    }
    for (auto& [id, instance] : fresh.instances) {
        const auto at = known.find(id);
        const bool is_known = at != known.end() && !instance.put_away;
        instance.desired = is_known ? std::optional{at->second} : std::nullopt;
        instance.fresh = instance.fresh && is_known;
    }
    host = std::move(fresh);
}

void AgentOrders::on(Instant, const DiskLost& lost) {
    hosts_[lost.host].epoch = Epoch{};
    hosts_[lost.host].leader = LeaderId{};
}

void AgentOrders::on(Instant, const BatchDelivered& delivered) {
    Host& host = hosts_[delivered.host];
    raise(host, delivered.disk);
    if (const auto forbidden = judge(host, delivered)) {
        forbid(host, delivered.batch, *forbidden);
        const auto has_overtaken = [&](const Batch& other) {
            return other.epoch == delivered.batch.epoch &&
                   other.sequence > delivered.batch.sequence;
        };
        if (std::ranges::any_of(host.waiting, has_overtaken)) {
            host.overtaken.push_back(delivered.batch);
        }
        return;
    }
    count_sequences_of(host, delivered.batch.epoch);
    host.delivered = delivered.batch.sequence;
    host.waiting.push_back(delivered.batch);
}

// The order that the agent was about to obey may be dropped, as if it had been lost.
void AgentOrders::on(Instant, const WriteFailed& failed) {
    Host& host = hosts_[failed.host];
    mark_unsure(host, host.waiting);
    mark_unsure(host, host.overtaken);
    host.overtaken.clear();
    host.delivered = host.closed;
}

void AgentOrders::on(Instant, const AgentMessageSent& sent) {
    Host& host = hosts_[sent.host];
    if (std::holds_alternative<Hello>(sent.message)) {
        raise(host, sent.disk);
    } else if (const auto* ack = std::get_if<Ack>(&sent.message)) {
        std::set<InstanceId> refused;
        for (const Refusal& refusal : ack->refusals) {
            refused.insert(refusal.id);
        }
        raise(host, sent.disk);
        obey(host, ack->epoch, ack->obeyed, refused);
    } else if (const auto* report = std::get_if<Report>(&sent.message)) {
        check_answer(report->epoch, sent.disk);
        raise(host, sent.disk);
        obey(host, report->epoch, report->obeyed, {});
        const auto poll = host.polls.find(report->round);
        if (poll != host.polls.end() && poll->second.epoch == report->epoch &&
            report->epoch == host.epoch) {
            count_sequences_of(host, report->epoch);
            host.closed = std::max(host.closed, poll->second.issued);
        }
    }
}

void AgentOrders::on(Instant, const SpawnOrdered& ordered) {
    Host& host = hosts_[ordered.host];
    Instance& instance = host.instances[ordered.id];
    check_spawn(instance, ordered);
    instance.fresh = false;
    instance.began = false;
    instance.put_away = false;
    instance.spawned = ordered.generation;
    instance.restart = ordered.restart;
    host.ending.erase(ordered.process);  // A new disk numbers from the start.
    host.processes[ordered.process] =
        Ordered{.id = ordered.id, .generation = ordered.generation, .lease = ordered.lease};
}

void AgentOrders::on(Instant, const LeaseRenewed& renewed) {
    auto& processes = hosts_[renewed.host].processes;
    if (const auto at = processes.find(renewed.process); at != processes.end()) {
        at->second.lease = std::max(at->second.lease, renewed.lease);
    }
}

// Only a start brings back an instance that left with its lease, even a start of another store
// whose generations are lower.
void AgentOrders::on(Instant, const LeaseEnded& ended) {
    Host& host = hosts_[ended.host];
    const auto at = host.processes.find(ended.process);
    if (at == host.processes.end()) {
        return;
    }
    host.ending.insert(ended.process);
    Instance& instance = host.instances[at->second.id];
    if (instance.desired == at->second.generation && !instance.fresh) {
        instance.desired.reset();
    }
}

void AgentOrders::on(Instant, const ProcessBegan& began) {
    Host& host = hosts_[began.host];
    Instance& instance = host.instances[began.id];
    ++instance.processes;
    instance.began = true;
    if (const auto at = host.processes.find(began.process); at != host.processes.end()) {
        at->second.began = true;
    }
}

void AgentOrders::on(Instant now, const EndOrdered& ordered) {
    Host& host = hosts_[ordered.host];
    const auto at = host.processes.find(ordered.process);
    if (at == host.processes.end() || !at->second.began || at->second.ended) {
        return;  // Already gone, never created, or a second attempt after the grace.
    }
    at->second.ended = true;
    if (!ordered.is_lost) {
        host.ending.insert(ordered.process);
    }
    const Generation generation = at->second.generation;
    const Instance& instance = host.instances[at->second.id];
    const bool stopped = instance.stopped && *instance.stopped >= generation;
    const bool replaced = instance.desired && *instance.desired > generation;
    const Instant lease = at->second.lease;
    const bool is_lapsed = lease != Instant{} && lease <= now;
    if (host.shutting_down || stopped || replaced || is_lapsed || instance.unsure) {
        return;
    }
    const auto& forbidden =
        instance.forbidden_stop ? instance.forbidden_stop : instance.forbidden_start;
    const auto what = describe(at->second.id, generation);
    violated(forbidden ? forbidden->property : "S12", "{} was ended by {}", what,
             forbidden ? "an order " + forbidden->why : "no order");
}

void AgentOrders::on(Instant, const ShimKilled& killed) {
    Host& host = hosts_[killed.host];
    if (const auto at = host.processes.find(killed.process); at != host.processes.end()) {
        at->second.unseen = true;
    }
}

void AgentOrders::on(Instant, const ProcessGone& gone) {
    Host& host = hosts_[gone.host];
    Instance& instance = host.instances[gone.id];
    instance.exit_code = gone.exit_code;
    if (const auto at = host.processes.find(gone.process); at != host.processes.end()) {
        instance.put_away = host.shutting_down && at->second.ended;
        instance.exit_code = at->second.unseen ? -1 : gone.exit_code;
        host.processes.erase(at);
    }
    instance.processes -= instance.processes > 0 ? 1 : 0;
}

std::optional<AgentOrders::Forbidden> AgentOrders::judge(const Host& host,
                                                         const BatchDelivered& delivered) const {
    const Batch& batch = delivered.batch;
    if (!delivered.disk.cluster.is_none() && batch.cluster != delivered.disk.cluster) {
        return Forbidden{{}, "S6", "of another cluster"};
    }
    if (batch.epoch < host.epoch || (batch.epoch == host.epoch && batch.leader != host.leader)) {
        return Forbidden{
            {}, "S5", fmt::format("of epoch {} after {}", raw(batch.epoch), raw(host.epoch))};
    }
    if (batch.incarnation != host.incarnation) {
        return Forbidden{{}, "S6", "for another life"};
    }
    if (batch.epoch == host.sequences_of &&
        batch.sequence <= std::max(host.delivered, host.closed)) {
        return Forbidden{
            {}, "S6", fmt::format("late or doubled, sequence {}", raw(batch.sequence))};
    }
    return std::nullopt;
}

void AgentOrders::forbid(Host& host, const Batch& batch, const Forbidden& forbidden) {
    for (const Start& start : batch.starts) {
        host.instances[start.id].forbidden_start = forbidden;
        host.instances[start.id].forbidden_start->generation = start.generation;
    }
    for (const Stop& stop : batch.stops) {
        host.instances[stop.id].forbidden_stop = forbidden;
        host.instances[stop.id].forbidden_stop->generation = stop.generation;
    }
}

void AgentOrders::mark_unsure(Host& host, const std::vector<Batch>& batches) {
    for (const Batch& batch : batches) {
        for (const Start& start : batch.starts) {
            host.instances[start.id].unsure = true;
        }
        for (const Stop& stop : batch.stops) {
            host.instances[stop.id].unsure = true;
        }
    }
}

void AgentOrders::raise(Host& host, const agent::AgentMemory& disk) {
    if (disk.epoch > host.epoch) {
        host.epoch = disk.epoch;
        host.leader = disk.leader;
    }
    if (disk.incarnation > host.incarnation) {  // Its number was taken.
        host.incarnation = disk.incarnation;
        host.delivered = host.closed = Sequence{};
    }
}

void AgentOrders::count_sequences_of(Host& host, Epoch epoch) {
    if (epoch > host.sequences_of) {
        host.sequences_of = epoch;
        host.delivered = host.closed = Sequence{};
    }
}

void AgentOrders::obey(Host& host, Epoch epoch, Sequence up_to,
                       const std::set<InstanceId>& refused) {
    std::erase_if(host.waiting, [&](const Batch& batch) {
        const bool obeyed = batch.epoch == epoch && batch.sequence <= up_to;
        if (obeyed) {
            carry_out(host, batch, refused);
        }
        return obeyed || batch.epoch < epoch;
    });
    std::erase_if(host.overtaken, [&](const Batch& batch) {
        return batch.epoch < epoch || (batch.epoch == epoch && batch.sequence <= up_to);
    });
}

void AgentOrders::carry_out(Host& host, const Batch& batch, const std::set<InstanceId>& refused) {
    for (const Stop& stop : batch.stops) {
        Instance& instance = host.instances[stop.id];
        instance.stopped = std::max(instance.stopped.value_or(Generation{}), stop.generation);
        if (instance.desired && *instance.desired <= stop.generation) {
            instance.desired.reset();
        }
    }
    for (const Start& start : batch.starts) {
        Instance& instance = host.instances[start.id];
        if (refused.contains(start.id)) {
            continue;
        }
        const bool is_anew = start.token > instance.token && instance.desired == start.generation;
        if (!instance.desired || *instance.desired < start.generation || is_anew) {
            instance.desired = start.generation;
            instance.fresh = true;
            instance.put_away = false;
        }
        instance.token = std::max(instance.token, start.token);
    }
}

// An agent also answers a leader that it does not obey, of another cluster or with an older epoch.
void AgentOrders::check_answer(Epoch epoch, const agent::AgentMemory& disk) {
    const auto& clusters = clusters_of_[epoch];
    const bool ours =
        clusters.size() == 1 && (disk.cluster.is_none() || disk.cluster == *clusters.begin());
    if (ours && epoch > disk.epoch) {
        violated("S5", "an agent answered epoch {} with {} on its disk", raw(epoch),
                 raw(disk.epoch));
    }
}

void AgentOrders::check_spawn(Instance& instance, const SpawnOrdered& ordered) {
    const auto what = describe(ordered.id, ordered.generation);
    if (!ordered.is_journaled) {
        violated("S15", "{} was spawned before the journal had it", what);
    }
    if (instance.processes > 0) {
        violated("S6", "{} was spawned while a process of it lives", what);
    }
    if (ordered.generation < instance.spawned) {
        violated("S6", "{} was spawned after a later generation", what);
    }
    if (instance.unsure) {
        return;
    }
    if (instance.desired != ordered.generation) {
        const auto& forbidden = instance.forbidden_start;
        const bool known = forbidden && forbidden->generation == ordered.generation;
        violated(known ? forbidden->property : "S6", "{} was spawned by {}", what,
                 known ? "an order " + forbidden->why : "no order");
    } else if (!instance.fresh && !may_start_again(instance)) {
        violated("S6", "{} was spawned again against its restart policy", what);
    }
}

bool AgentOrders::may_start_again(const Instance& instance) {
    switch (instance.restart) {
        case RestartPolicy::always: return true;
        case RestartPolicy::on_failure: return !instance.began || instance.exit_code != 0;
        case RestartPolicy::never: return !instance.began;
    }
    return false;
}

}  // namespace muster::sim
