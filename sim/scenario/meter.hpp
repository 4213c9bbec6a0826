#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/checkers/fleet/leaving.hpp"
#include "sim/checkers/observer.hpp"
#include "sim/hosts/agent_host.hpp"
#include "sim/model/world.hpp"
#include "sim/scenario/least.hpp"

namespace muster::sim {

/// Counts what happens during one step of a scenario, for tasks whose processes stay (see stays()).
/// A process counts until it ends if its task was such a task when it began.
///
/// A copy serves while its process runs on a host that is not cut off. An instance is short if it
/// is wanted in the store and no copy of it serves. A task with `every_node` is never short.
class Meter final : public Observer {
public:
    explicit Meter(const World& world) : world_{world} {}

    void on(Instant now, const Committed& committed) override {
        std::map<std::string, std::uint64_t> wanted;
        for (const coordinator::StoredTask& task : committed.after.tasks) {
            if (stays(task.wanted.spec)) {
                wanted[task.wanted.name] = task.wanted.place.every_node ? 0 : task.wanted.instances;
            }
        }
        const bool is_same =
            std::ranges::equal(wanted, tasks_, [](const auto& one, const auto& other) {
                return one.first == other.first && one.second == other.second.wanted;
            });
        if (!is_same) {
            observe(now);
        }
    }

    void on(Instant now, const BatchIssued& issued) override {
        const bool orders = !issued.batch.starts.empty() || !issued.batch.stops.empty();
        if (orders && planned_ != now) {
            planned_ = now;
            ++counts_.plans;
        }
    }

    void on(Instant, const EventPublished& published) override {
        counts_.was_frozen = counts_.was_frozen || published.event.topic == "freeze.began";
    }

    void on(Instant, const AgentBegan& began) override { shutting_down_.erase(began.host); }

    void on(Instant, const ShutDownOrdered& ordered) override {
        shutting_down_.insert(ordered.host);
    }

    void on(Instant, const EndOrdered& ordered) override {
        ordered_.emplace(ordered.host, ordered.process);
    }

    void on(Instant now, const ProcessBegan& began) override {
        if (counts_for(began.id.task)) {
            counted_.emplace(began.host, began.process, began.id, began.generation);
            ++counts_.made.starts;
            change(now, began.host, began.id, true);
        }
    }

    void on(Instant now, const ProcessGone& gone) override {
        const Key key{gone.host, gone.process, gone.id, gone.generation};
        const bool did_count = counted_.erase(key) > 0;
        const bool was_ordered = ordered_.erase({gone.host, gone.process}) > 0;
        if (!was_ordered || gone.with_host || shutting_down_.contains(gone.host)) {
            lost_.insert(key);
        } else if (did_count) {
            ++counts_.made.stops;
        }
        change(now, gone.host, gone.id, false);
    }

    /// A step begins: all counts are 0, and the present processes are noted.
    void begin(Instant now) {
        account(now);
        counts_ = {.was_frozen = world_.frozen};
        lost_.clear();
        before_ = world_.truth.processes();
        std::erase_if(before_, [&](const auto& entry) { return !counts(entry.second); });
    }
    /// Wires were cut or healed: determines again which copies serve.
    void observe(Instant now) {
        account(now);
        tasks_.clear();
        for (const coordinator::StoredTask& task : world_.store.durable().tasks) {
            if (stays(task.wanted.spec)) {
                tasks_[task.wanted.name].wanted =
                    task.wanted.place.every_node ? 0 : task.wanted.instances;
            }
        }
        for (const auto& [number, process] : world_.truth.processes()) {
            const auto task = tasks_.find(process.id.task);
            if (task != tasks_.end() && !world_.network.is_cut(process.host)) {
                ++task->second.serving[process.id.ordinal];
            }
        }
        short_ = 0;
        for (const auto& [name, task] : tasks_) {
            short_ += short_of(task);
        }
    }

    struct Counts {
        std::uint64_t plans = 0;  ///< Moments at which something was ordered.
        Moves made{};             ///< Processes that began, and that ended as ordered.
        std::uint64_t short_most = 0;
        Duration short_for{};
        bool was_frozen = false;
    };

    [[nodiscard]] Counts counts(Instant now) const {
        Counts counts = counts_;
        if (short_ > 0 && now > since_) {
            counts.short_most = std::max(counts.short_most, short_);
            counts.short_for += now - since_;
        }
        return counts;
    }
    /// The processes that ran when the step began, except those that a fault ended.
    [[nodiscard]] std::map<TrueProcess, Process> spared() const {
        auto spared = before_;
        std::erase_if(spared, [&](const auto& entry) {
            const Process& process = entry.second;
            return lost_.contains({process.host, process.number, process.id, process.generation});
        });
        return spared;
    }

    [[nodiscard]] bool counts(const Process& process) const {
        return counted_.contains({process.host, process.number, process.id, process.generation});
    }

private:
    using Key = std::tuple<HostIndex, std::uint64_t, InstanceId, Generation>;
    struct Task {
        std::uint64_t wanted = 0;
        std::map<Ordinal, std::uint64_t> serving;  ///< Copies of each, at least one.
    };

    [[nodiscard]] bool counts_for(const std::string& task) const {
        const coordinator::StoredTask* stored = task_of(world_.store.durable(), task);
        return stored == nullptr || stays(stored->wanted.spec);
    }

    void change(Instant now, HostIndex host, const InstanceId& id, bool begins) {
        const auto task = tasks_.find(id.task);
        if (task == tasks_.end() || world_.network.is_cut(host)) {
            return;
        }
        account(now);
        short_ -= short_of(task->second);
        auto& serving = task->second.serving;
        if (begins) {
            ++serving[id.ordinal];
        } else if (const auto copies = serving.find(id.ordinal);
                   copies != serving.end() && --copies->second == 0) {
            serving.erase(copies);
        }
        short_ += short_of(task->second);
    }

    void account(Instant now) {
        counts_ = counts(now);
        since_ = now;
    }

    [[nodiscard]] static std::uint64_t short_of(const Task& task) {
        return task.wanted - std::min<std::uint64_t>(task.wanted, task.serving.size());
    }

    const World& world_;
    Counts counts_;
    Instant planned_{};
    std::map<std::string, Task> tasks_;
    std::uint64_t short_ = 0;
    Instant since_{};
    std::map<TrueProcess, Process> before_;
    std::set<Key> counted_;  ///< Counted processes that run.
    std::set<Key> lost_;
    std::set<std::pair<HostIndex, std::uint64_t>> ordered_;  ///< By host and number.
    std::set<HostIndex> shutting_down_;  ///< Processes end with their agent, without an order.
};

}  // namespace muster::sim
