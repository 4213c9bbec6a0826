#include "sim/checkers/copies.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include <fmt/format.h>

namespace muster::sim {

namespace {

// A process of the instance exists, or may be created without another order.
bool counts_as_copy(InstanceState state) {
    return state != InstanceState::exited && state != InstanceState::failed;
}

}  // namespace

Copies::Copy& Copies::enter(HostIndex host, const InstanceId& id) {
    nodes_[host].all.insert(id);
    return tasks_[id.task][Key{id.ordinal, host}];
}

void Copies::drop_if_gone(HostIndex host, const InstanceId& id) {
    const auto task = tasks_.find(id.task);
    const auto at = task->second.find(Key{id.ordinal, host});
    const Copy& copy = at->second;
    if (copy.processes == 0 && !copy.listed && !copy.unlisted && !copy.ended && !copy.start) {
        task->second.erase(at);
        Node& node = nodes_[host];
        node.all.erase(id);
        node.unsettled.erase(id);
        if (node.may_be_ignored) {
            node.possibly_present.insert(id);
        }
    }
}

void Copies::on(Instant, const LeadershipBegan& began) {
    epoch_ = began.image.meta.epoch;
    for (auto& [host, node] : nodes_) {
        const auto stored =
            std::ranges::find(began.image.nodes, node.name, &coordinator::StoredNode::name);
        node.taken.reset();
        node.found.clear();
        node.awaited = stored != began.image.nodes.end();
        node.counts = stored != began.image.nodes.end() && !stored->lost && !stored->gone &&
                      by_name_.at(node.name) == host;
        if (stored == began.image.nodes.end() && !node.name.empty()) {
            remove(host);  // The previous leader may have had no time to report it.
        }
        node.welcomed = false;
        node.polled_round = Round{};
    }
    for (auto& [task, copies] : tasks_) {
        for (auto& [key, copy] : copies) {
            copy.reported = false;
        }
    }
}

void Copies::on(Instant, const StoreReplaced&) {
    for (auto& [task, copies] : tasks_) {
        for (auto& [key, copy] : copies) {
            copy.of_another_store = true;
            copy.start.reset();
            copy.stop.reset();
        }
    }
}

void Copies::on(Instant, const BatchIssued& issued) {
    Node& node = nodes_[issued.host];
    const Issued stamp{issued.batch.epoch, issued.batch.sequence};
    added_.clear();
    for (const Stop& stop : issued.batch.stops) {
        if (node.all.contains(stop.id) &&
            enter(issued.host, stop.id).generation <= stop.generation) {
            enter(issued.host, stop.id).stop = stamp;
            node.unsettled.insert(stop.id);
        }
    }
    for (const Start& start : issued.batch.starts) {
        Copy& copy = enter(issued.host, start.id);
        const bool is_there = copy.exists() || copy.ended || node.claimed.contains(start.id);
        if (!is_there && !node.possibly_present.contains(start.id)) {
            added_.insert(start.id);
        }
        copy.start = stamp;
        copy.cluster = issued.batch.cluster;
        copy.generation = std::max(copy.generation, start.generation);
        copy.stop.reset();
        copy.proven_gone = copy.of_another_store = false;
        node.unsettled.insert(start.id);
    }
}

void Copies::on(Instant, const WelcomeIssued& welcome) {
    Node& node = nodes_[welcome.host];
    const auto before = by_name_.find(welcome.name);
    if (before == by_name_.end()) {
        node.counts = true;
    } else if (before->second != welcome.host) {  // Another machine has the name now.
        node.counts = std::exchange(nodes_[before->second].counts, false);
    }
    by_name_[welcome.name] = welcome.host;
    node.name = welcome.name;
    node.welcomed = true;
    node.rejoined = true;
    // A life without its disk may use the number of an earlier life.
    if (std::exchange(node.began, false) || node.incarnation != welcome.incarnation) {
        node.incarnation = welcome.incarnation;
        node.taken.reset();
        end_life(welcome.host);
    }
}

// Processes of a life continue in the next one. Messages to the old life are decided by the first
// answer of the new one, because revisions and sequences start again.
void Copies::end_life(HostIndex host) {
    for (const InstanceId& id : std::vector(nodes_[host].all.begin(), nodes_[host].all.end())) {
        Copy& copy = enter(host, id);
        copy.stop.reset();
        if (copy.start) {
            copy.start = Issued{};
        }
        if (copy.unlisted) {
            copy.unlisted = Revision{};
        }
        if (copy.ended) {
            copy.ended = Revision{};
        }
        nodes_[host].unsettled.insert(id);
    }
}

void Copies::on(Instant, const PollIssued& issued) {
    Node& node = nodes_[issued.host];
    node.polled_again = node.polled_round == issued.poll.round;
    if (!node.polled_again) {
        node.polled_round = issued.poll.round;
        node.issued = issued.poll.issued;
    }
}

void Copies::on(Instant, const EventPublished& published) {
    const std::string& topic = published.event.topic;
    if (topic == "recovery.ended") {
        for (auto& [host, node] : nodes_) {
            node.awaited = false;
        }
    }
    const auto at = by_name_.find(published.event.name);
    if (at == by_name_.end()) {
        return;
    }
    Node& node = nodes_[at->second];
    if (topic == "node.lost") {
        node.counts = false;
    } else if (topic == "node.removed") {
        remove(at->second);
    } else if (topic == "node.returned" || topic == "node.joined") {
        node.counts = !node.removed;
    }
}

void Copies::remove(HostIndex host) {
    Node& node = nodes_[host];
    node.counts = node.rejoined = false;
    node.removed = true;
    node.taken.reset();
    for (const InstanceId& id : node.all) {  // It is no longer known what is on its way there.
        enter(host, id).start.reset();
        enter(host, id).stop.reset();
    }
}

void Copies::on(Instant, const AgentMessageSent& sent) {
    if (const auto* report = std::get_if<Report>(&sent.message);
        report != nullptr && report->kind != ReportKind::same) {
        list_report(sent.host, *report);
    }
}

void Copies::list_report(HostIndex host, const Report& report) {
    Node& node = nodes_[host];
    std::set<InstanceId> gone(report.gone.begin(), report.gone.end());
    if (report.kind == ReportKind::snapshot) {
        gone = node.all;
    }
    for (const InstanceReport& instance : report.instances) {
        Copy& copy = enter(host, instance.id);
        copy.ended.reset();
        if (!counts_as_copy(instance.state)) {
            copy.ended = report.to;
            copy.failed = instance.state == InstanceState::failed;
            gone.insert(instance.id);
            continue;
        }
        copy.generation = std::max(copy.generation, instance.generation);
        copy.listed = true;
        copy.unlisted.reset();
        node.unsettled.insert(instance.id);
        gone.erase(instance.id);
    }
    for (const InstanceId& id : gone) {
        if (node.all.contains(id) && enter(host, id).listed) {
            enter(host, id).listed = false;
            enter(host, id).unlisted = report.to;
            node.unsettled.insert(id);
        }
    }
}

void Copies::on(Instant, const AgentMessageReceived& received) {
    if (const auto* report = std::get_if<Report>(&received.message)) {
        on_report(received.host, *report);
    } else if (const auto* ack = std::get_if<Ack>(&received.message)) {
        on_ack(received.host, *ack);
    } else if (const auto* departure = std::get_if<Departure>(&received.message)) {
        if (departure->incarnation == nodes_[received.host].incarnation) {
            on_departure(received.host, *departure);
        }
    }
}

// What the agent leaves keeps running. An agent that leaves nothing has obeyed nothing more.
void Copies::on_departure(HostIndex host, const Departure& departure) {
    if (departure.instances > 0) {
        return;
    }
    for (const InstanceId& id : std::vector(nodes_[host].all.begin(), nodes_[host].all.end())) {
        Copy& copy = enter(host, id);
        copy.start.reset();
        copy.stop.reset();
        copy.listed = false;
        copy.unlisted.reset();
        copy.ended.reset();
        drop_if_gone(host, id);
    }
}

void Copies::on_report(HostIndex host, const Report& report) {
    Node& node = nodes_[host];
    for (const InstanceReport& instance : report.instances) {
        if (node.is_byzantine) {
            node.claimed.insert(instance.id);
        }
    }
    const auto named = by_name_.find(node.name);
    if (!node.welcomed || report.incarnation != node.incarnation || report.epoch != epoch_ ||
        named == by_name_.end() || named->second != host) {
        return;
    }
    const bool is_answer = report.round != Round{};
    if (is_answer && report.round != node.polled_round) {
        return;  // The next poll was sent already, so the coordinator does not apply this answer.
    }
    if (node.removed && !node.rejoined) {
        return;  // No leader applies its reports.
    }
    const bool is_applied = follow(node, report);
    if (report.kind == ReportKind::snapshot && std::exchange(node.awaited, false)) {
        for (const InstanceReport& instance : report.instances) {
            node.found[instance.id] = instance.generation;
        }
    }
    if (is_answer && !node.may_be_ignored) {
        node.possibly_present.clear();
    }
    if (is_applied) {
        node.counts = std::exchange(node.removed, false) || node.counts;
        apply_listed(host, report);
    }
    apply_ended(host, report);
    if (node.unsettled.empty()) {
        return;
    }
    const Sequence issued = is_answer ? node.issued : Sequence{};
    for (const InstanceId& id : std::vector(node.unsettled.begin(), node.unsettled.end())) {
        resolve_orders(host, id, report, issued);
    }
}

// A leader cannot apply a delta from a revision that it does not know.
bool Copies::follow(Node& node, const Report& report) {
    const bool continues = report.kind == ReportKind::snapshot ||
                           (node.taken && report.from <= *node.taken && report.to >= *node.taken);
    const bool is_late = report.kind == ReportKind::delta && report.round == Round{} &&
                         node.taken && report.to < *node.taken;
    if (!is_late) {
        node.taken = continues ? std::optional{report.to} : std::nullopt;
    }
    node.may_be_ignored = node.polled_again || !continues;
    return continues;
}

void Copies::apply_listed(HostIndex host, const Report& report) {
    for (const InstanceReport& instance : report.instances) {
        if (nodes_[host].all.contains(instance.id)) {
            Copy& copy = enter(host, instance.id);
            copy.reported = true;
            copy.reported_failed = instance.state == InstanceState::failed;
            // A life that lost its disk does not know the stop that the earlier life obeyed.
            if (instance.state != InstanceState::stopping) {
                copy.proven_gone = false;
            }
        }
    }
}

void Copies::apply_ended(HostIndex host, const Report& report) {
    std::set<InstanceId> gone(report.gone.begin(), report.gone.end());
    if (report.kind == ReportKind::snapshot) {
        gone = nodes_[host].all;
        for (const InstanceReport& instance : report.instances) {
            gone.erase(instance.id);
        }
    }
    for (const InstanceId& id : gone) {
        if (nodes_[host].all.contains(id) && enter(host, id).ended < report.to) {
            enter(host, id).ended.reset();
            drop_if_gone(host, id);
        }
    }
}

void Copies::resolve_orders(HostIndex host, const InstanceId& id, const Report& report,
                            Sequence issued) {
    Copy& copy = enter(host, id);
    if (copy.unlisted && *copy.unlisted <= report.to) {
        copy.unlisted.reset();
    }
    if (copy.start && raw(report.round) > 0 &&
        (copy.start->epoch < report.epoch || copy.start->sequence <= issued)) {
        copy.start.reset();
    }
    decide_stop(copy, report.epoch, report.obeyed);
    if (!copy.unlisted && !copy.start && !copy.stop) {
        nodes_[host].unsettled.erase(id);
    }
    drop_if_gone(host, id);
}

void Copies::decide_stop(Copy& copy, Epoch epoch, Sequence obeyed) {
    if (copy.stop && copy.stop->epoch == epoch && copy.stop->sequence <= obeyed) {
        // A later batch that was obeyed proves nothing: this one may have been lost.
        copy.proven_gone = copy.stop->sequence == obeyed;
        copy.stop.reset();
    }
}

void Copies::on_ack(HostIndex host, const Ack& ack) {
    Node& node = nodes_[host];
    if (!node.welcomed || ack.incarnation != node.incarnation || ack.epoch != epoch_) {
        return;
    }
    for (const Refusal& refusal : ack.refusals) {
        if (!node.all.contains(refusal.id)) {
            continue;
        }
        Copy& copy = enter(host, refusal.id);
        if (copy.start && copy.start->sequence <= ack.obeyed) {
            copy.start.reset();
        }
        copy.stop.reset();
        drop_if_gone(host, refusal.id);
    }
    for (const InstanceId& id : node.unsettled) {
        decide_stop(enter(host, id), ack.epoch, ack.obeyed);
    }
}

void Copies::on(Instant, const ProcessBegan& began) {
    Copy& copy = enter(began.host, began.id);
    ++copy.processes;
    copy.generation = std::max(copy.generation, began.generation);
    copy.proven_gone = false;
}

void Copies::on(Instant, const ProcessGone& gone) {
    Copy& copy = enter(gone.host, gone.id);
    copy.processes -= copy.processes > 0 ? 1 : 0;
    drop_if_gone(gone.host, gone.id);
}

std::size_t Copies::count(const std::string& task, Generation created) const {
    return static_cast<std::size_t>(std::ranges::count_if(copies_of(task), [&](const auto& entry) {
        const auto& [key, copy] = entry;
        const Node& node = nodes_.at(key.second);
        return copy.exists() && copy.generation >= created && node.counts && !node.is_byzantine;
    }));
}

std::vector<HostIndex> Copies::elsewhere(const InstanceId& id, HostIndex host) const {
    std::vector<HostIndex> hosts;
    for (const auto& [key, copy] : copies_of(id.task)) {
        if (key.first == id.ordinal && key.second != host && (copy.exists() || copy.ended)) {
            hosts.push_back(key.second);
        }
    }
    for (const auto& [other, node] : nodes_) {
        if (other != host && node.claimed.contains(id)) {
            hosts.push_back(other);
        }
    }
    return hosts;
}

bool Copies::has_added(const std::string& task) const {
    const auto at = added_.lower_bound(InstanceId{task, 0});
    return at != added_.end() && at->task == task;
}

std::vector<InstanceId> Copies::instances_on(HostIndex host) const {
    std::vector<InstanceId> found;
    const auto node = nodes_.find(host);
    if (node != nodes_.end() && !node->second.is_byzantine) {
        std::ranges::copy_if(node->second.all, std::back_inserter(found), [&](const auto& id) {
            return tasks_.at(id.task).at(Key{id.ordinal, host}).exists();
        });
    }
    return found;
}

const std::map<Copies::Key, Copies::Copy>& Copies::copies_of(const std::string& task) const {
    static const std::map<Key, Copy> none;
    const auto at = tasks_.find(task);
    return at == tasks_.end() ? none : at->second;
}

const Copies::Copy* Copies::find(const InstanceId& id, HostIndex host) const {
    const auto& copies = copies_of(id.task);
    const auto copy = copies.find({id.ordinal, host});
    return copy == copies.end() ? nullptr : &copy->second;
}

bool Copies::runs(const InstanceId& id, HostIndex host) const {
    const Copy* copy = find(id, host);
    return copy != nullptr && copy->processes > 0;
}

bool Copies::was_found(const InstanceId& id, HostIndex host, Generation generation) const {
    const auto node = nodes_.find(host);
    return node != nodes_.end() && node->second.found.contains(id) &&
           node->second.found.at(id) == generation;
}

bool Copies::is_of_another_cluster(const InstanceId& id, HostIndex host,
                                   const ClusterId& cluster) const {
    const Copy* copy = find(id, host);
    return copy != nullptr && !copy->cluster.is_none() && copy->cluster != cluster;
}

bool Copies::has_ended(const InstanceId& id, HostIndex host) const {
    const Copy* copy = find(id, host);
    return copy != nullptr && copy->ended && copy->processes == 0;
}

bool Copies::has_failed(const InstanceId& id, HostIndex host) const {
    const Copy* copy = find(id, host);
    const bool is_listed = has_ended(id, host) && copy->failed;
    return is_listed || (copy != nullptr && copy->reported_failed && copy->processes == 0);
}

std::string Copies::list(const std::string& task) const {
    std::string text;
    for (const auto& [key, copy] : copies_of(task)) {
        const Node& node = nodes_.at(key.second);
        if (copy.exists() && node.counts) {
            text += fmt::format(" {}.{}@{}{}{}{}", task, key.first, node.name,
                                copy.processes > 0 ? " live" : "", copy.listed ? " listed" : "",
                                copy.start ? " ordered" : "");
        }
    }
    return text;
}

}  // namespace muster::sim
