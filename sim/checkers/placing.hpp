#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "coordinator/core/planning/index/filters.hpp"
#include "sim/checkers/fleet/leaving.hpp"

namespace muster::sim {

/// When an instance starts, its node passes the filters: it serves, it is in the task's pool, its
/// labels meet the constraints, it does not have too many copies of the task, and its capacity is
/// sufficient. Judged by the wanted state in the store and the last hello of the agent.
///
/// A copy that replaces another in its place needs no more room than that one. The room on a
/// byzantine host is not judged, because its leader cannot know what runs there.
class Placing : public Checker {
public:
    explicit Placing(const Copies& copies) : copies_{copies} {}

    void on(Instant, const LeadershipBegan&) { facts_.clear(); }

    void on(Instant, const WelcomeIssued& welcome) {
        Host& host = hosts_[welcome.host];
        host.offer = host.sent;
    }

    void on(Instant, const AgentMessageReceived& received) {
        if (const auto* hello = std::get_if<Hello>(&received.message)) {
            hosts_[received.host].sent = hello->offer;
        }
    }

    void on(Instant, const EventPublished& published) {
        Facts& facts = facts_[published.event.name];
        const std::string& topic = published.event.topic;
        if (topic == "node.ready") {
            facts.able = true;
        } else if (topic == "node.joined" || topic == "node.restarted" || topic == "node.unready") {
            facts.able = false;
        } else if (topic == "node.suspension_ended" || topic == "node.released") {
            facts.able = facts.suspended = false;
        } else if (topic == "node.suspended") {
            facts.suspended = true;
        } else if (topic == "node.lost" || topic == "node.left") {
            facts.there = false;
        } else if (topic == "node.returned") {
            facts.there = true;
        } else if (topic == "node.forgotten" || topic == "node.removed") {
            facts = {};
        }
    }

    void on(Instant, const BatchIssued& issued) {
        const Offer offer =
            as_listed(issued.store, copies_.name_of(issued.host), hosts_[issued.host].offer);
        for (const Start& start : issued.batch.starts) {
            check_start(issued, start, offer);
        }
        if (!copies_.added().empty() && !copies_.is_byzantine(issued.host)) {
            check_room(issued, offer);
        }
    }

private:
    struct Host {
        Offer sent;   ///< In the last hello that arrived.
        Offer offer;  ///< In the last hello that was welcomed.
    };
    /// Facts about a node in this leadership.
    struct Facts {
        bool able = true;
        bool there = true;
        bool suspended = false;
    };

    void check_start(const BatchIssued& issued, const Start& start, const Offer& offer) {
        const std::string& name = copies_.name_of(issued.host);
        const coordinator::StoredTask* task = task_of(issued.store, start.id.task);
        const auto wrong = [&](std::string_view why) {
            violated("placing", "{} was started on {}, {}", to_string(start.id), name, why);
        };
        if (const Facts& facts = facts_[name]; !facts.able || !facts.there || facts.suspended) {
            wrong(facts.suspended ? "which is suspended"
                  : facts.there   ? "which is not ready"
                                  : "which is lost or left");
        }
        if (task == nullptr || task->generation != start.generation) {
            return;  // Other checkers judge starts.
        }
        if (!meets(task->wanted.place, offer, name)) {
            wrong("which is of another pool or has not the labels asked for");
        }
        const auto copies =
            std::ranges::count(copies_.instances_on(issued.host), start.id.task, &InstanceId::task);
        if (copies_.added().contains(start.id) && !copies_.is_byzantine(issued.host) &&
            static_cast<std::uint64_t>(copies) > task->wanted.spec.max_per_node) {
            wrong(fmt::format("and makes {} there, above max_per_node", copies));
        }
    }

    // The resources of an instance that is no longer wanted are not known here.
    void check_room(const BatchIssued& issued, const Offer& offer) {
        coordinator::Use used;
        coordinator::Use added;
        for (const InstanceId& id : copies_.instances_on(issued.host)) {
            const coordinator::StoredTask* task = task_of(issued.store, id.task);
            const Resources request = task == nullptr ? Resources{} : task->wanted.place.request;
            used.add(request);
            if (copies_.added().contains(id)) {
                added.add(request);
            }
        }
        const auto& [cpu, memory, slots] = offer.capacity;
        const Resources& kept = offer.reserved;
        if ((added.cpu_milli > 0 && is_over(used.cpu_milli, kept.cpu_milli, cpu)) ||
            (added.memory_bytes > 0 && is_over(used.memory_bytes, kept.memory_bytes, memory)) ||
            (added.slots > 0 && is_over(used.slots, kept.slots, slots))) {
            violated("placing",
                     "{} has {} cpu_milli, {} bytes and {} slots placed, above its capacity",
                     copies_.name_of(issued.host), used.cpu_milli, used.memory_bytes, used.slots);
        }
    }

    const Copies& copies_;
    std::map<HostIndex, Host> hosts_;
    std::map<std::string, Facts> facts_;
};

}  // namespace muster::sim
