#include "sim/scenario/run.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/checkers/fleet/leaving.hpp"
#include "sim/hosts/agent_host.hpp"
#include "sim/scenario/executor.hpp"
#include "sim/scenario/meter.hpp"

namespace muster::sim {

namespace {

constexpr Duration check_every = 100ms;
constexpr std::int64_t rounds_of_rest = 5;    // A moment is not enough.
constexpr std::int64_t rounds_of_begin = 12;  // A freeze looks ten rounds back.
constexpr Duration all_up_within = 30s;
constexpr std::size_t most_reasons = 3;   // Reasons why work is unplaced.
constexpr std::size_t most_drains = 3;    // Drains that have not ended.
constexpr std::size_t most_failures = 3;  // Tasks that do not run.

ClusterOptions options_of(const Scenario& scenario) {
    ClusterOptions options = scenario.options;
    options.nodes = 0;
    return options;
}

class Player {
public:
    Player(const Scenario& scenario, const PlayOptions& options)
        : scenario_{scenario},
          cluster_{options_of(scenario)},
          meter_{cluster_.world()},
          executor_{cluster_},
          rest_{rounds_of_rest * scenario.options.coordinator.round +
                scenario.options.reconnect.most} {
        cluster_.set_observer(meter_);
        if (options.trace) {
            cluster_.trace().keep_all();
        }
    }

    ScenarioResult play() {
        for (const ScenarioNode& node : scenario_.nodes) {
            cluster_.add_host(node.name, node.offer);
        }
        await_nodes();
        const auto& steps = scenario_.steps;
        const auto end_before = [&](std::size_t next) -> std::optional<Instant> {
            if (next < steps.size() && steps[next].at) {
                return origin + *steps[next].at;
            }
            return next < steps.size() && steps[next].after
                       ? std::optional{began_ + *steps[next].after}
                       : std::nullopt;
        };
        begin("begin");
        executor_.apply(scenario_.tasks);
        pass(end_before(0), began_ + rounds_of_begin * scenario_.options.coordinator.round);
        finish();
        for (std::size_t step = 0; step < steps.size(); ++step) {
            begin(steps[step].action.text);
            executor_.perform(steps[step]);
            meter_.observe(cluster_.now());
            pass(end_before(step + 1), began_);
            finish();
        }
        result_.converged = since_.has_value();
        result_.refused = refused_;
        result_.violations = cluster_.violations();
        result_.simulated = cluster_.now() - origin;
        result_.nodes = cluster_.labels().size();
        result_.hash = cluster_.trace().hash();
        result_.trace = cluster_.trace().text();
        return std::move(result_);
    }

private:
    /// The state when the cluster came to rest.
    struct Rest {
        Instant at{};
        Instant seen{};
        std::uint64_t plans = 0;
        Traffic traffic;
    };

    void begin(const std::string& text) {
        began_ = cluster_.now();
        cluster_.trace().line(began_, "--- " + text);
        result_.steps.push_back({.at = began_ - origin, .text = text});
        meter_.begin(began_);
        traffic_ = cluster_.world().network.traffic();
        violations_ = cluster_.violations().size();
    }

    void finish() {
        StepResult& step = result_.steps.back();
        const auto failed = failures();
        if (!failed.empty()) {
            since_.reset();  // At rest, but not converged.
        }
        const auto counts = meter_.counts(cluster_.now());
        const Rest end = since_.value_or(
            Rest{cluster_.now(), cluster_.now(), counts.plans, cluster_.world().network.traffic()});
        if (since_) {
            step.converged = end.at - began_;
            step.least = least();
        }
        step.plans = end.plans;
        step.messages = end.traffic.messages - traffic_.messages;
        step.bytes = end.traffic.bytes - traffic_.bytes;
        step.made = counts.made;
        step.short_most = counts.short_most;
        step.short_for = counts.short_for;
        std::tie(step.load_least, step.load_most) = cluster_.loads();
        step.violations = cluster_.violations().size() - violations_;
        note_end(step, failed);
    }

    void await_nodes() {
        executor_.list(scenario_.nodes);
        const auto all_serve = [&] {
            const auto status = cluster_.status();
            return status && status->serving == scenario_.nodes.size();
        };
        while (!all_serve() && cluster_.now() < origin + all_up_within) {
            run_until(cluster_.now() + check_every);
        }
    }

    // Runs until the next step is due, or until the cluster has been at rest for a while.
    void pass(std::optional<Instant> end, Instant earliest) {
        const Instant last = end.value_or(cluster_.now() + scenario_.patience);
        since_.reset();
        seen_ = ~std::uint64_t{0};
        observe();
        const auto is_over = [&] {
            return since_ && cluster_.now() >= std::max(since_->seen + rest_, earliest);
        };
        while (cluster_.now() < last && (end || !is_over())) {
            Instant next = std::min(cluster_.now() + check_every, last);
            if (const auto due = executor_.next_at()) {
                next = std::min(next, *due);
            }
            run_until(next);
            if (executor_.next_at() && *executor_.next_at() <= next) {
                executor_.perform_due();
                meter_.observe(next);
                changed_ = next;
            }
            observe();
        }
    }

    void run_until(Instant end) {
        const auto note_change = [&] {
            if (std::exchange(last_changes_, cluster_.world().changes) != last_changes_) {
                changed_ = cluster_.now();
            }
            return false;
        };
        (void)cluster_.run_until(note_change, end - cluster_.now());
    }

    void observe() {
        if (!is_at_rest()) {
            since_.reset();
        } else if (!since_) {
            since_ = Rest{rest_began_, cluster_.now(), meter_.counts(cluster_.now()).plans,
                          cluster_.world().network.traffic()};
        }
    }

    // Expensive checks come last, and only when something has changed.
    [[nodiscard]] bool is_at_rest() {
        const World& world = cluster_.world();
        const bool is_held = world.frozen && !world.frozen_by_operator;
        if (executor_.next_at() || is_held || !cluster_.coordinator_is_up() ||
            cluster_.coordinator_is_paused()) {
            return false;
        }
        const bool is_new = std::exchange(seen_, world.changes) != world.changes;
        if (!is_new &&
            (!is_as_wanted_ || cluster_.now() < asked_ + scenario_.options.coordinator.round)) {
            return is_as_wanted_;
        }
        asked_ = cluster_.now();
        rest_began_ = is_new ? std::max(changed_, began_) : asked_;
        const auto status = cluster_.status();
        is_as_wanted_ = status && status->moving == 0 && status->stopping == 0 &&
                        status->phase != "recovering" &&
                        (is_new ? unrest().empty() : is_as_wanted_);
        return is_as_wanted_;
    }

    /// What is not converged, in sentences.
    [[nodiscard]] std::vector<std::string> unrest() const {
        std::vector<std::string> found = cluster_.differences();
        if (cluster_.coordinator_is_paused()) {
            found.emplace_back("the coordinator is paused");
        }
        for (const std::string& node : cluster_.world().suspended) {
            const bool is_there = std::ranges::any_of(
                scenario_.nodes, [&](const ScenarioNode& one) { return one.name == node; });
            if (is_there && cluster_.in_reach(node)) {
                found.push_back(node + " is suspended");
            }
        }
        return found;
    }

    /// Instances that were placed and do not run, a sentence for each task.
    [[nodiscard]] std::vector<std::string> failures() const {
        struct Failure {
            std::string first;
            std::size_t copies = 0;
        };
        const coordinator::StoreImage& store = cluster_.world().store.durable();
        std::map<std::string, Failure> failed;
        for (const std::string& node : cluster_.labels()) {
            const agent::Agent* core = cluster_.host(node).core();
            if (core == nullptr || !cluster_.in_reach(node)) {
                continue;
            }
            for (const agent::LocalInstance& instance : core->instances()) {
                const InstanceReport& report = instance.report;
                const bool waits = report.state == InstanceState::backoff;
                const coordinator::StoredTask* task = task_of(store, report.id.task);
                if ((!waits && report.state != InstanceState::failed) || task == nullptr ||
                    task->generation != report.generation) {
                    continue;
                }
                Failure& failure = failed[report.id.task];
                if (failure.copies++ == 0) {
                    failure.first =
                        fmt::format("{}: {} {} {}{}", report.id.task, to_string(report.id),
                                    waits ? "ended and is to start again on" : "failed on", node,
                                    report.detail.empty() ? "" : ", ") +
                        report.detail;
                }
            }
        }
        std::vector<std::string> found;
        found.reserve(failed.size());
        for (const auto& [task, failure] : failed) {
            found.push_back(failure.first +
                            (failure.copies == 1
                                 ? ""
                                 : fmt::format(", and {} more like it", failure.copies - 1)));
        }
        return found;
    }

    /// What blocks each drain.
    [[nodiscard]] std::vector<std::string> drains() const {
        const World& world = cluster_.world();
        std::vector<std::string> found;
        for (const std::string& node : cluster_.labels()) {
            const coordinator::StoredIntent* intent = intent_of(world.store.durable(), node);
            const auto there = world.truth.on(cluster_.find(node));
            if (intent == nullptr || intent->intent != coordinator::Intent::draining ||
                there.empty()) {
                continue;
            }
            const Process& first = *world.truth.find(there.front());
            const bool is_stuck = since_ && meter_.counts(first) && cluster_.in_reach(node);
            found.push_back(fmt::format(
                "{} is not drained: {} {}{}", node, to_string(first.id),
                is_stuck ? "has no other place" : "still runs there",
                there.size() == 1 ? "" : fmt::format(", and {} more run there", there.size() - 1)));
            if (is_stuck && !intent->force) {
                found.back() += "; force = true stops instances without another place";
            }
        }
        return found;
    }

    [[nodiscard]] Moves least() const {
        const World& world = cluster_.world();
        const coordinator::StoreImage& store = world.store.durable();
        StepEnds ends;
        for (const auto& [number, process] : meter_.spared()) {
            if (!cluster_.in_reach(process.host)) {
                continue;
            }
            const coordinator::StoredTask* task = task_of(store, process.id.task);
            const bool is_wanted =
                task != nullptr && task->generation == process.generation &&
                (task->wanted.place.every_node || process.id.ordinal < task->wanted.instances) &&
                task->wanted.instances > 0;
            const bool suits = is_wanted && cluster_.meets(process.host, task->wanted.place);
            ends.old_copies.push_back({process.host, process.id.task, process.id.ordinal,
                                       suits || world.truth.find(number) != nullptr});
        }
        std::map<std::string, std::set<InstanceId>> running;
        std::map<HostIndex, std::size_t> loads;
        for (const auto& [number, process] : world.truth.processes()) {
            const coordinator::StoredTask* task = task_of(store, process.id.task);
            if (task != nullptr && meter_.counts(process) && cluster_.in_reach(process.host)) {
                running[process.id.task].insert(process.id);
                ++loads[process.host];
            }
        }
        for (const auto& [name, instances] : running) {
            ends.tasks.push_back({name, task_of(store, name)->wanted.place.pool, instances.size()});
        }
        for (std::uint32_t index = 0; index < cluster_.labels().size(); ++index) {
            const HostIndex host{index};
            if (cluster_.in_reach(host)) {
                ends.nodes.push_back(
                    {host, cluster_.pool_of(host), cluster_.is_open(host), loads[host]});
            }
        }
        return least_moves(ends);
    }

    void note_end(StepResult& step, const std::vector<std::string>& failed) {
        // There may be one note for each node.
        const auto add = [&](const std::vector<std::string>& notes, std::size_t most) {
            const std::size_t shown = std::min(notes.size(), most);
            step.notes.insert(step.notes.end(), notes.begin(),
                              notes.begin() + static_cast<std::ptrdiff_t>(shown));
            if (shown < notes.size()) {
                step.notes.back() += fmt::format(", and {} more like it", notes.size() - shown);
            }
        };
        add(executor_.take_notes(), 1);
        step.refused = executor_.refused() - refused_;
        refused_ = executor_.refused();
        if (meter_.counts(cluster_.now()).was_frozen) {
            step.notes.emplace_back(cluster_.is_frozen() ? "rescheduling is frozen"
                                                         : "rescheduling was frozen");
        }
        std::vector<std::string> shortages;
        if (const auto status = cluster_.status()) {
            step.unplaced = status->unplaced;
            for (const UnplacedReason& reason : status->unplaced_reasons) {
                shortages.push_back(
                    fmt::format("{} unplaced, {}: {}", reason.count, reason.code,
                                reason.task + (reason.detail.empty() ? "" : ", ") + reason.detail));
            }
        }
        add(shortages, most_reasons);
        add(failed, most_failures);
        add(drains(), most_drains);
        if (!since_) {
            add(unrest(), 1);
        }
    }

    const Scenario& scenario_;
    Cluster cluster_;
    Meter meter_;
    ScenarioExecutor executor_;
    const Duration rest_;
    ScenarioResult result_;
    Instant began_{};
    Traffic traffic_;  ///< Before the step.
    std::size_t violations_ = 0;
    std::size_t refused_ = 0;  ///< Before the step.
    std::optional<Rest> since_;
    std::uint64_t seen_ = ~std::uint64_t{0};  ///< Changes at the last comparison.
    bool is_as_wanted_ = false;               ///< The result of the last comparison.
    Instant asked_{};                         ///< When the coordinator was last asked.
    Instant rest_began_{};                    ///< If it was at rest then.
    std::uint64_t last_changes_ = 0;
    Instant changed_{};  ///< When the last change happened.
};

}  // namespace

ScenarioResult play(const Scenario& scenario, const PlayOptions& options) {
    return Player{scenario, options}.play();
}

}  // namespace muster::sim
