#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/spec/placement.hpp"

namespace muster::sim {

/// The actions of a written scenario.
enum class Verb : std::uint8_t {
    crash,
    boot,
    restart,
    stop,
    leave,
    crash_agent,
    start_agent,
    pause,
    resume,
    partition,
    cut_inbound,
    cut_outbound,
    flap,
    slow,
    heal,
    heal_all,
    join,
    drain,
    offline,
    online,
    apply,
    scale,
    restart_task,
    remove,
    freeze_on,
    freeze_off,
    crash_coordinator,
    restart_coordinator,
    pause_coordinator,
    resume_coordinator,
};

/// A verb with its arguments, as in `scale web 40`.
struct ScenarioAction {
    Verb verb{};
    std::string text;                  ///< As it was written.
    std::vector<std::string> nodes{};  ///< In the order of the fleet, without repetition.
    std::string task{};
    std::uint32_t count = 0;  ///< Of instances, or of nodes that join.
    bool empty = false;       ///< A host restarts with an empty disk.
};

/// The keys that a step with this verb may have beside `at` and `do`.
[[nodiscard]] std::span<const std::string_view> keys_of(Verb verb);
/// The verb whose step may have this key. Empty: there is none.
[[nodiscard]] std::string_view verb_with_key(std::string_view key);

/// The state of a host or of the coordinator after earlier steps. `any` and `on` (all but `off`)
/// are only requirements.
enum class HostState : std::uint8_t { any, on, up, without_agent, paused, off };

struct Form;

/// The hosts, tasks and coordinator as a scenario leaves them step by step, so that an impossible
/// step is found before anything runs.
class Fleet {
public:
    void add(const std::string& name, const Labels& labels);
    void add_task(const std::string& name) { tasks_.insert(name); }
    [[nodiscard]] bool contains(const std::string& name) const { return hosts_.contains(name); }
    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] bool is_led() const { return coordinator_ == HostState::up; }

    /// Reads the sentence of a step, and applies it to the fleet. Hosts that join are added by
    /// add(). An error says what would be right.
    [[nodiscard]] Result<ScenarioAction> read(std::string_view sentence);

private:
    struct Host {
        Labels labels;
        HostState state = HostState::up;
    };

    [[nodiscard]] Result<void> read_words(const Form& form, std::span<const std::string_view> words,
                                          ScenarioAction& into);
    [[nodiscard]] Result<void> read_nodes(std::span<const std::string_view> words,
                                          ScenarioAction& into);
    [[nodiscard]] Result<void> select(std::string_view word, std::set<std::string>& into) const;
    [[nodiscard]] Error unknown_label(std::string_view key, std::string_view pattern) const;
    [[nodiscard]] Result<void> read_task(std::string_view word, ScenarioAction& into);

    std::map<std::string, Host, std::less<>> hosts_;
    std::vector<std::string> order_;
    std::set<std::string> tasks_;
    HostState coordinator_ = HostState::up;  ///< Off: it does not run.
};

}  // namespace muster::sim
