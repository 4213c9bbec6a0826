#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/cluster.hpp"
#include "sim/scenario/file.hpp"

namespace muster::sim {

/// Applies the verbs of a scenario to a cluster, including their later parts: a restarted host
/// boots, a flapping wire is cut and healed again.
class ScenarioExecutor {
public:
    explicit ScenarioExecutor(Cluster& cluster) : cluster_{cluster} {}

    void perform(const ScenarioStep& step);
    /// Lists these nodes on the coordinator, if only listed nodes may join.
    void list(const std::vector<ScenarioNode>& nodes);
    /// Adds or changes tasks.
    void apply(std::vector<WantedTask> tasks);

    /// When the next later part of a verb is due. Nothing: all is done.
    [[nodiscard]] std::optional<Instant> next_at() const;
    void perform_due();

    /// What failed since the last call, and what the coordinator refused or has not answered.
    [[nodiscard]] std::vector<std::string> take_notes();
    /// How many of the taken notes were failures or refusals.
    [[nodiscard]] std::size_t refused() const { return refused_; }

private:
    enum class Later : std::uint8_t { boot, start_agent, cut, heal };
    struct Entry {
        Later what{};
        std::string node;
    };

    void ask(RequestBody body) { asked_.push_back(cluster_.ask(std::move(body))); }
    /// Otherwise adds a note.
    [[nodiscard]] bool has_what_it_needs(Verb verb, const std::string& node);
    void crash(const std::string& node);
    void restart_coordinator();
    void restart(const ScenarioStep& step, const std::string& node);
    void flap(const ScenarioStep& step, const std::string& node);
    void start_agent(const std::string& node);
    void heal(const std::string& node);
    void heal_all();
    void later(Duration from_now, Later what, const std::string& node);
    /// Drops the later parts of earlier verbs for the node.
    void forget(const std::string& node);

    Cluster& cluster_;
    std::multimap<Instant, Entry> agenda_;
    std::vector<std::size_t> asked_;
    std::vector<std::string> notes_;
    std::size_t refused_ = 0;
};

}  // namespace muster::sim
