#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "coordinator/core/planning/index/filters.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/workload/placements.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator::test {

/// A planner with hosts that obey it: they execute orders at once, and report all instances at the
/// end of a round. The actual state is known, so the bounds are checked at each order.
class Fleet {
public:
    struct Host {
        NodeIndex index{};
        Sequence sequence{};
        bool serves = true;
        bool is_lost = false;
        bool is_silent = false;  ///< It does not answer.
        bool refuses = false;    ///< Every start.
        std::map<InstanceId, InstanceReport> runs;
    };

    Fleet() = default;
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    // ---- hosts ----

    Host& add(const std::string& name) {
        Host& host = hosts_[name];
        host.index = NodeIndex{next_node_++};
        names_[host.index] = name;
        placements.add_node(host.index, name);
        placements.set_commandable(host.index, true);
        placements.set_serving(host.index, true);
        return host;
    }
    void add_hosts(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            add("n" + std::to_string(i));
        }
    }
    /// The coordinator decides that the host is lost; its instances keep running.
    void lose(const std::string& name) {
        Host& host = hosts_.at(name);
        host.is_lost = true;
        placements.set_serving(host.index, false);
        placements.set_counted(host.index, false);
    }
    /// The host answers again, and its intent is unchanged. Its instances may have died in between.
    void return_host(const std::string& name, bool empty) {
        Host& host = hosts_.at(name);
        host.is_lost = false;
        if (empty) {
            host.runs.clear();
        }
        report(host);
        placements.set_counted(host.index, true);
        placements.set_serving(host.index, !placements.nodes().evacuation(host.index));
    }
    /// The host is connected, but gets no work; with a reason, its instances should move.
    void suspend(const std::string& name, std::optional<Evacuation> why = std::nullopt) {
        placements.set_serving(host(name).index, false);
        placements.set_evacuating(host(name).index, why);
    }
    void drain(const std::string& name) { suspend(name, Evacuation{}); }
    void resume(const std::string& name) {
        placements.set_evacuating(host(name).index, std::nullopt);
        placements.set_serving(host(name).index, true);
    }
    /// `web.0 max_surge`
    std::vector<std::string> blocked_on(const std::string& name) {
        std::vector<std::string> lines;
        for (const Blocker& blocker : planner.blocked_on(host(name).index)) {
            lines.push_back(muster::to_string(blocker.id) + " " +
                            std::string{coordinator::to_string(blocker.code)});
        }
        return lines;
    }
    void remove(const std::string& name) {
        placements.remove_node(hosts_.at(name).index);
        hosts_.erase(name);
    }
    Host& host(const std::string& name) { return hosts_.at(name); }
    std::map<std::string, Host>& hosts() { return hosts_; }
    const std::string& name_of(NodeIndex node) const { return names_.at(node); }

    // ---- what is wanted ----

    TaskSpec spec() const {
        TaskSpec spec;
        spec.argv = {"/bin/true"};
        spec.update.min_healthy = min_healthy;
        return spec;
    }
    void want(const std::string& name, std::uint32_t instances) { want(name, instances, spec()); }
    /// Adds a task, or changes its number of instances and, if it differs, its spec.
    void want(const std::string& name, std::uint32_t instances, const TaskSpec& spec) {
        auto& task = stored_[name];
        const bool is_new = task.wanted.name.empty();
        if (is_new || task.wanted.spec != spec) {
            task.generation = take_generation();
        }
        if (is_new) {
            task.created = task.generation;
        }
        task.wanted = {name, instances, spec, task.wanted.place};
        requests_[name] = task.wanted.place.request;
        workload.put(task);
    }
    /// Placement rules are not part of the spec: changing them makes no new generation.
    void want_placed(const std::string& name, std::uint32_t instances, const PlacementRule& rule) {
        stored_[name].wanted.place = rule;
        want(name, instances,
             stored_.at(name).wanted.name.empty() ? spec() : stored_.at(name).wanted.spec);
    }
    /// The host's offer from now on.
    void offer(const std::string& name, const Offer& offer) {
        placements.set_offer(hosts_.at(name).index, offer);
    }
    void restart(const std::string& name) {
        stored_.at(name).generation = take_generation();
        workload.put(stored_.at(name));
    }
    void unwant(const std::string& name) {
        stored_.erase(name);
        take_generation();
        workload.unwant(*workload.find(name));
    }
    Generation generation(const std::string& name) const { return stored_.at(name).generation; }
    const std::map<std::string, StoredTask>& stored() const { return stored_; }
    Generation counter() const { return counter_; }

    /// The host runs this copy as if it always had; reported at once unless the caller does so.
    void put(const std::string& host_name, const std::string& task, Ordinal ordinal,
             Generation generation, InstanceState state = InstanceState::running) {
        Host& host = hosts_.at(host_name);
        InstanceReport instance;
        instance.id = {task, ordinal};
        instance.generation = generation;
        instance.state = state;
        instance.started = CivilMs{++now_};
        host.runs[instance.id] = instance;
        report(host);
    }
    void put(const std::string& host_name, const std::string& task, Ordinal ordinal) {
        put(host_name, task, ordinal, generation(task));
    }

    // ---- the loop ----

    /// Sends the orders; connected hosts execute them.
    void carry_out(const Plan& plan) {
        for (const Order& order : plan.orders) {
            Host& host = hosts_.at(names_.at(order.node));
            check(order, host);
            host.sequence = next(host.sequence);
            placements.orders().launched(order, host.sequence);
            if (host.refuses && order.action == Order::Action::start) {
                const InstanceId id{workload.name(order.task), order.ordinal};
                if (placements.orders().refused(host.index, id, order.generation, host.sequence)) {
                    planner.failed(now, {order.task, order.ordinal, host.index, "by a full host"});
                }
            } else if (!host.is_lost) {
                obey(order, host);
            }
            trace.push_back(to_string(order));
        }
    }
    void report_all() {
        for (auto& [name, host] : hosts_) {
            if (!host.is_lost && !host.is_silent) {
                report(host);
            }
        }
    }
    /// One round: plan, execute, report. Returns the number of orders.
    std::size_t round(const Scope& scope = {}) {
        now = scope.now;
        for (const auto& [name, host] : hosts_) {
            if (!host.is_lost && !host.is_silent) {
                placements.set_answered(host.index, scope.now);
            }
        }
        const Plan plan = planner.plan(scope);
        carry_out(plan);
        report_all();
        return plan.orders.size();
    }
    /// Runs rounds until nothing is ordered. False: still not after `most`.
    bool converge(std::size_t most = 100) {
        for (std::size_t i = 0; i < most; ++i) {
            if (round() == 0) {
                return true;
            }
        }
        return false;
    }
    /// Makes `starting` processes `running`; with `starts_slowly` only this call does so.
    void finish_starts() {
        for (auto& [name, host] : hosts_) {
            for (auto& [id, instance] : host.runs) {
                if (instance.state == InstanceState::starting) {
                    instance.state = InstanceState::running;
                }
            }
        }
        report_all();
    }
    /// A second later.
    std::size_t next_round() { return round({.now = now + 1s}); }
    /// This host's copy has failed, and is not restarted there.
    void fail(const std::string& host_name, const InstanceId& id) {
        host(host_name).runs.at(id).state = InstanceState::failed;
        report(host(host_name));
    }
    Instant now{};  ///< Of the last round.
    /// For new specs. Most tests do not test roll-outs, and their time does not advance.
    Duration min_healthy{};
    bool starts_slowly = false;
    std::uint32_t stop_takes = 0;  ///< The number of reports in which a copy is `stopping`.

    // ---- what is true ----

    std::uint32_t running(const std::string& task) const {
        std::uint32_t count = 0;
        for (const auto& [name, host] : hosts_) {
            for (const auto& [id, instance] : host.runs) {
                count += id.task == task && instance.state == InstanceState::running ? 1U : 0U;
            }
        }
        return count;
    }
    /// The resources that the host's running instances use, including removed tasks.
    Use use_of(const Host& host) const {
        Use use;
        for (const auto& [id, instance] : host.runs) {
            const auto request = requests_.find(id.task);
            use.add(request == requests_.end() ? Resources{.slots = 1} : request->second);
        }
        return use;
    }
    std::size_t load(const std::string& name) const { return hosts_.at(name).runs.size(); }
    /// True if planned loads of serving hosts differ by one at most.
    bool is_planned_evenly() const {
        std::uint32_t least = ~std::uint32_t{0};
        std::uint32_t most = 0;
        for (const auto& [name, host] : hosts_) {
            if (placements.nodes().is_serving(host.index)) {
                least = std::min(least, planner.load(host.index));
                most = std::max(most, planner.load(host.index));
            }
        }
        return least > most || most - least <= 1;
    }
    /// `start web.0 n1 missing`
    std::string to_string(const Order& order) const {
        return std::string{order.action == Order::Action::start ? "start " : "stop "} +
               workload.name(order.task) + "." + std::to_string(order.ordinal) + " " +
               names_.at(order.node) + " " + std::string{coordinator::to_string(order.cause)};
    }
    std::vector<std::string> text(const Plan& plan) const {
        std::vector<std::string> lines;
        for (const Order& order : plan.orders) {
            lines.push_back(to_string(order));
        }
        return lines;
    }

    /// Of all tasks, after the last report.
    Totals totals() {
        planner.refresh_totals();
        return planner.totals();
    }

    Workload workload;
    Placements placements{workload};
    Planner planner{workload, placements};
    std::vector<std::string> trace;
    std::vector<std::string> violations;

private:
    Generation take_generation() {
        counter_ = next(counter_);
        workload.raise_counter(counter_);
        return counter_;
    }

    void obey(const Order& order, Host& host) {
        const InstanceId id{workload.name(order.task), order.ordinal};
        const auto found = host.runs.find(id);
        if (order.action == Order::Action::stop) {
            if (found == host.runs.end() || found->second.generation > order.generation) {
                return;
            }
            if (stop_takes > 0) {
                found->second.state = InstanceState::stopping;
                stops_in_[{host.index, id}] = stop_takes;
            } else {
                host.runs.erase(found);
            }
            return;
        }
        if (found != host.runs.end() && found->second.generation >= order.generation) {
            return;
        }
        InstanceReport& instance = host.runs[id];
        instance = {};
        instance.id = id;
        instance.generation = order.generation;
        instance.state = starts_slowly ? InstanceState::starting : InstanceState::running;
        instance.started = CivilMs{++now_};
    }

    void report(Host& host) {
        std::vector<InstanceReport> instances;
        for (auto at = host.runs.begin(); at != host.runs.end();) {
            const auto stops = stops_in_.find({host.index, at->first});
            if (stops != stops_in_.end() && stops->second-- == 0) {
                stops_in_.erase(stops);
                at = host.runs.erase(at);
            } else {
                instances.push_back((at++)->second);
            }
        }
        if (!placements.replace(host.index, instances).sound) {
            violations.emplace_back("a sound report was called faulty");
        }
        placements.orders().resolve(host.index, host.sequence);
    }

    /// True if a move off the node can begin with the stop.
    bool may_stop_first(const Order& order) const {
        const auto evacuation = placements.nodes().evacuation(order.node);
        const bool surges = workload[order.task].spec.update.max_surge > 0;
        const bool moves = evacuation || order.cause == Cause::rollout;
        return (evacuation && evacuation->force) ||
               (!surges && moves && !placements.nodes().is_serving(order.node));
    }

    /// Checks S7, the spread rule, and that no wanted instance is stopped before another copy runs.
    void check(const Order& order, const Host& host) {
        const std::string line = to_string(order);
        const std::string& task = workload.name(order.task);
        const InstanceId id{task, order.ordinal};
        std::uint32_t copies = 0;
        std::uint32_t others_running = 0;
        for (const auto& [name, other] : hosts_) {
            for (const auto& [other_id, instance] : other.runs) {
                copies += other_id.task == task && !other.is_lost ? 1U : 0U;
                others_running += other_id == id && other.index != host.index && !other.is_lost &&
                                          instance.state == InstanceState::running
                                      ? 1U
                                      : 0U;
            }
        }
        if (!placements.nodes().is_commandable(host.index)) {
            violations.push_back(line + ": not commandable");
        }
        const auto here = static_cast<std::uint32_t>(std::ranges::count_if(
            host.runs, [&](const auto& entry) { return entry.first.task == task; }));
        if (order.action == Order::Action::stop) {
            const bool is_wanted =
                stored_.contains(task) && order.ordinal < stored_.at(task).wanted.instances;
            // A roll-out can take down a copy that exceeds a lowered max_per_node.
            const bool is_crowded = is_wanted && order.cause == Cause::rollout &&
                                    here > stored_.at(task).wanted.spec.max_per_node;
            const auto stopped = host.runs.find(id);
            const bool is_good =
                stopped == host.runs.end() || stopped->second.state != InstanceState::failed;
            const bool is_everywhere =
                stored_.contains(task) && stored_.at(task).wanted.place.every_node;
            if (is_wanted && !is_everywhere && is_good && others_running == 0 && !is_crowded &&
                !may_stop_first(order)) {
                violations.push_back(line + ": no other copy runs");
            }
            return;
        }
        const WantedTask& wanted = stored_.at(task).wanted;
        if (!placements.nodes().is_serving(host.index)) {
            violations.push_back(line + ": not serving");
        }
        if (host.runs.contains(id)) {
            return;  // In place.
        }
        if (wanted.place.every_node && others_running > 0) {
            violations.push_back(line + ": runs on another node");
        }
        if (!wanted.place.every_node &&
            copies + 1 > wanted.instances + wanted.spec.update.max_surge) {
            violations.push_back(line + ": too many copies");
        }
        const Offer& offer = placements.nodes().offer(host.index);
        if (judge_offer(wanted.place, names_.at(host.index), offer) != Verdict::fits) {
            violations.push_back(line + ": does not suit the node");
        }
        if (judge_room(wanted.place.request, allowance_of(offer), use_of(host)) != Verdict::fits) {
            violations.push_back(line + ": no room on the node");
        }
        if (here >= wanted.spec.max_per_node) {
            violations.push_back(line + ": too many on the node");
        }
    }

    std::map<std::string, Host> hosts_;
    std::map<NodeIndex, std::string> names_;
    std::map<std::string, StoredTask> stored_;
    std::map<std::string, Resources> requests_;                           // As wanted last.
    std::map<std::pair<NodeIndex, InstanceId>, std::uint32_t> stops_in_;  // Remaining reports.
    std::uint32_t next_node_ = 0;
    std::int64_t now_ = 1'000;
    Generation counter_{};
};

}  // namespace muster::coordinator::test
