#include "sim/checkers/fleet/leaving.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "coordinator/core/workload/order_proofs.hpp"

namespace muster::sim {

const coordinator::StoredIntent* intent_of(const coordinator::StoreImage& image,
                                           const std::string& name) {
    const auto at =
        std::ranges::lower_bound(image.intents, name, {}, &coordinator::StoredIntent::name);
    return at != image.intents.end() && at->name == name ? &*at : nullptr;
}

bool requires_proof(const coordinator::StoreImage& image, Generation generation) {
    const auto row = std::ranges::find(image.settings, coordinator::ProofRule::setting,
                                       &coordinator::StoredSetting::name);
    const auto rule =
        row == image.settings.end() ? std::nullopt : coordinator::proof_rule_from(row->value);
    return rule && generation > rule->after;
}

const coordinator::StoredTask* task_of(const coordinator::StoreImage& image,
                                       const std::string& name) {
    const auto name_of = [](const coordinator::StoredTask& task) -> const std::string& {
        return task.wanted.name;
    };
    const auto at = std::ranges::lower_bound(image.tasks, name, {}, name_of);
    return at != image.tasks.end() && at->wanted.name == name ? &*at : nullptr;
}

std::string task_in(const coordinator::Write& write) {
    if (const auto* row = std::get_if<Shared<coordinator::StoredTask>>(&write)) {
        return (*row)->wanted.name;
    }
    const auto* erased = std::get_if<coordinator::Erase<coordinator::StoredTask>>(&write);
    return erased == nullptr ? std::string{} : erased->name;
}

Offer as_listed(const coordinator::StoreImage& image, const std::string& name, Offer offer) {
    if (const auto* intent = intent_of(image, name); intent != nullptr && !intent->pool.empty()) {
        offer.pool = intent->pool;
    }
    return offer;
}

bool meets(const PlacementRule& rule, const Offer& offer, const std::string& name) {
    return offer.pool == rule.pool &&
           std::ranges::all_of(rule.constraints, [&](const Constraint& constraint) {
               if (constraint.key == node_key) {
                   return is_met(constraint, &name);
               }
               const auto label = offer.labels.find(constraint.key);
               return is_met(constraint, label == offer.labels.end() ? nullptr : &label->second);
           });
}

void Leaving::on(Instant, const WelcomeIssued& welcome) {
    if (std::exchange(incarnations_[welcome.host], welcome.incarnation) != welcome.incarnation) {
        seen_[welcome.host] = Revision{};
    }
    last_of_[welcome.name] = welcome.host;
}

void Leaving::on(Instant, const BatchIssued& issued) {
    const coordinator::StoredIntent* intent = intent_of(issued.store, copies_.name_of(issued.host));
    if (intent == nullptr || intent->intent == coordinator::Intent::active) {
        return;
    }
    for (const Start& start : issued.batch.starts) {
        violated("S17", "{} was started on {}, which an operator closed", to_string(start.id),
                 intent->name);
    }
    if (intent->intent == coordinator::Intent::draining && !intent->force) {
        for (const Stop& stop : issued.batch.stops) {
            check_stop(issued, *intent, stop);
        }
    }
}

// A roll-out or an operator's change may stop an unwanted instance. Other checkers judge that.
void Leaving::check_stop(const BatchIssued& issued, const coordinator::StoredIntent& intent,
                         const Stop& stop) {
    const coordinator::StoredTask* task = task_of(issued.store, stop.id.task);
    const auto reported = reported_[issued.host].find(stop.id);
    const bool ran = reported != reported_[issued.host].end() &&
                     reported->second.state == InstanceState::running;
    if (copies_.is_byzantine(issued.host) || task == nullptr || !ran ||
        stop.generation != task->generation || stop.id.ordinal >= task->wanted.instances ||
        task->wanted.place.every_node || task->wanted.spec.update.max_surge == 0) {
        return;
    }
    if (!has_come_up_elsewhere(stop, issued.host)) {
        violated("S17", "{} was stopped on {}, which drains, and runs nowhere else",
                 to_string(stop.id), intent.name);
    }
}

bool Leaving::has_come_up_elsewhere(const Stop& stop, HostIndex host) const {
    return std::ranges::any_of(reported_, [&](const auto& entry) {
        const auto at = entry.second.find(stop.id);
        if (entry.first == host || at == entry.second.end()) {
            return false;
        }
        if (copies_.is_byzantine(entry.first)) {
            return true;  // Only the coordinator's view of its state counts.
        }
        const ReportedInstance& there = at->second;
        // The wanted work has been done there, although it may have taken no time.
        const bool has_ended =
            there.state == InstanceState::exited && there.generation == stop.generation;
        return there.state == InstanceState::running || has_ended;
    });
}

// As of the node's last answer: later starts and ends cannot block a drain.
void Leaving::on(Instant, const EventPublished& published) {
    const auto host = last_of_.find(published.event.name);
    if (published.event.topic != "node.drained" || host == last_of_.end() ||
        copies_.is_byzantine(host->second)) {
        return;
    }
    for (const auto& [id, reported] : reported_[host->second]) {
        const bool is_over =
            reported.state == InstanceState::exited || reported.state == InstanceState::failed;
        if (!is_over && copies_.runs(id, host->second)) {
            violated("L5", "{} was called drained, and {} runs there", host->first, to_string(id));
        }
    }
}

void Leaving::on(Instant, const AgentMessageReceived& received) {
    Revision& seen = seen_[received.host];
    if (const auto* hello = std::get_if<Hello>(&received.message)) {
        seen = std::exchange(lives_[received.host], hello->life) == hello->life ? seen : Revision{};
    }
    // It is not known which reports of a byzantine host the coordinator believed, so each one
    // counts.
    const bool is_byzantine = copies_.is_byzantine(received.host);
    const auto* report = std::get_if<Report>(&received.message);
    if (report == nullptr || report->kind == ReportKind::same) {
        return;
    }
    const bool is_late = report->to < seen || report->incarnation != incarnations_[received.host];
    if (is_late && !is_byzantine) {
        return;  // A repeated report describes the past, perhaps an earlier life.
    }
    seen = report->to;
    auto& instances = reported_[received.host];
    if (report->kind == ReportKind::snapshot && !is_byzantine) {
        instances.clear();
    }
    for (const InstanceReport& instance : report->instances) {
        instances[instance.id] = {instance.generation, instance.state};
    }
    for (const InstanceId& id : report->gone) {
        if (!is_byzantine) {
            instances.erase(id);
        }
    }
}

bool may_stop_first(const BatchIssued& issued, const std::string& name,
                    const coordinator::StoredTask& task) {
    const PlacementRule& rule = task.wanted.place;
    const bool stops_first = rule.every_node || task.wanted.spec.update.max_surge == 0;
    const coordinator::StoredIntent* intent = intent_of(issued.store, name);
    const bool drains = intent != nullptr && intent->intent == coordinator::Intent::draining;
    const bool suits = meets(rule, as_listed(issued.store, name, issued.offer), name);
    return (drains && intent->force) || (stops_first && (drains || !suits));
}

}  // namespace muster::sim
