#include "sim/scenario/file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/ids.hpp"
#include "common/base/number.hpp"
#include "common/base/read_file.hpp"
#include "common/config/spec_toml.hpp"
#include "common/config/task_toml.hpp"
#include "common/spec/duration.hpp"
#include "coordinator/core_options.hpp"

namespace muster::sim {

namespace {

constexpr std::size_t largest_fleet = 10'000;  // More would take too long.
constexpr std::size_t longest_story = 10'000;
constexpr Duration longest = 24h * 7;
constexpr std::string_view usual_name = "n";

constexpr std::array<std::string_view, 9> file_keys{
    "seed", "patience", "cluster", "nodes", "network", "tasks", "task", "node", "step"};
constexpr std::array<std::string_view, 3> network_keys{"delay", "jitter", "loss"};
constexpr std::array<std::string_view, 6> node_keys{"name",   "count",    "pool",
                                                    "labels", "capacity", "reserved"};

/// Reads a scenario, one part after the other.
class ScenarioReader {
public:
    ScenarioReader(std::string_view text, std::string_view file) : fields_{file} {
        scenario_.file = file;
        try {
            read(toml::parse(text));
        } catch (const toml::parse_error& error) {
            fields_.fail_at(error.source(),
                            "this is not TOML: " + std::string{error.description()});
        }
    }

    [[nodiscard]] Result<Scenario> take() {
        if (fields_.fault()) {
            return tl::unexpected{*fields_.fault()};
        }
        return std::move(scenario_);
    }

private:
    template <class... Values>
    void fail_at(const toml::node& where, fmt::format_string<Values...> what, Values&&... values) {
        fields_.fail_at(where.source(), fmt::format(what, std::forward<Values>(values)...));
    }

    void read(const toml::table& root) {
        fields_.known_keys(root, file_keys, "the scenario");
        fields_.number(root.get("seed"), "seed", 0, 1'000'000'000'000, scenario_.options.seed);
        fields_.duration(root.get("patience"), "patience", scenario_.patience);
        scenario_.options.nodes = 0;
        scenario_.options.compare_numbers = false;
        scenario_.options.coordinator = {};
        for (const std::string_view section : {"cluster", "nodes"}) {
            if (const auto* const table = fields_.table(root, section)) {
                read_options(*table, section);
            }
        }
        toml::source_region where;
        if (const auto done = coordinator::complete(scenario_.options.coordinator, root, where);
            !done) {
            fields_.fail_at(where, done.error().detail);
        }
        if (const auto* const table = fields_.table(root, "network")) {
            read_network(*table);
        }
        each(root, "node", [&](const toml::table& table) { read_node(table); });
        if (fleet_.size() == 0 && !fields_.fault()) {
            fail_at(root, "there is no node; write [[node]] and count = 12 below it");
        }
        scenario_.tasks = tasks_of(root);
        each(root, "step", [&](const toml::table& table) {
            if (!fields_.fault()) {  // Each step depends on those before it.
                read_step(table);
            }
        });
    }

    void read_options(const toml::table& table, std::string_view section) {
        const auto keys = coordinator::core_keys(section);
        std::vector<std::string_view> names;
        std::ranges::transform(keys, std::back_inserter(names), &coordinator::CoreKey::name);
        fields_.known_keys(table, names, fmt::format("[{}]", section));
        for (const auto& [name, value] : table) {
            const auto key = std::ranges::find(keys, name.str(), &coordinator::CoreKey::name);
            if (key == keys.end()) {
                continue;
            }
            if (const auto read = key->read(value, scenario_.options.coordinator); !read) {
                fail_at(value, "{} {}", key->name, read.error().detail);
            }
        }
    }

    void read_network(const toml::table& table) {
        fields_.known_keys(table, network_keys, "[network]");
        Span& delay = scenario_.options.delay;
        Duration jitter{};
        fields_.duration(table.get("delay"), "delay", delay.least);
        fields_.duration(table.get("jitter"), "jitter", jitter);
        delay.most = delay.least + jitter;
        fields_.number(table.get("loss"), "loss", 0, 1'000, scenario_.options.loss);
        if (delay.most > 1min) {
            fail_at(table, "delay and jitter are at most 1m together");
        }
    }

    void read_node(const toml::table& table) {
        fields_.known_keys(table, node_keys, "[[node]]");
        const Offer offer = offer_of(table);
        std::string name;
        fields_.text(table.get("name"), "name", name);
        if (table.contains("count")) {
            std::size_t count = 0;
            fields_.number(table.get("count"), "count", 1, largest_fleet, count);
            number(name.empty() ? std::string{usual_name} : name, count, offer, table,
                   scenario_.nodes);
        } else {
            add(name, offer, table, scenario_.nodes);
        }
    }

    [[nodiscard]] Offer offer_of(const toml::table& table) {
        Offer offer;
        fields_.text(table.get("pool"), "pool", offer.pool);
        read_offer(fields_, table, offer);
        return offer;
    }
    /// A name is the prefix and the next free number.
    void number(const std::string& prefix, std::size_t count, const Offer& offer,
                const toml::table& where, std::vector<ScenarioNode>& into) {
        for (std::size_t node = 0; node < count && !fields_.fault(); ++node) {
            std::string name;
            do {
                name = fmt::format("{}{}", prefix, numbers_[prefix]++);
            } while (fleet_.contains(name));
            add(std::move(name), offer, where, into);
        }
    }

    void add(std::string name, const Offer& offer, const toml::table& where,
             std::vector<ScenarioNode>& into) {
        if (!is_valid_name(name)) {
            fail_at(where, "name is '{}'; {}, or write count = 12",
                    name.substr(0, limits::name_bytes), name_rule());
        } else if (fleet_.contains(name)) {
            fail_at(where, "there is a node '{}' already; give it another name", name);
        } else if (fleet_.size() == largest_fleet) {
            fail_at(where, "there are at most {} nodes", largest_fleet);
        } else {
            fleet_.add(name, offer.labels);
            into.push_back({std::move(name), offer});
        }
    }
    /// The tasks in `task`, and those in the file that `tasks` names.
    [[nodiscard]] std::vector<WantedTask> tasks_of(const toml::table& table) {
        std::vector<WantedTask> tasks = read_tasks(fields_, table.get("task"));
        std::string file;
        const auto* const beside = table.get("tasks");
        fields_.text(beside, "tasks", file);
        if (beside != nullptr && !fields_.fault()) {
            const auto path = std::filesystem::path{scenario_.file}.parent_path() / file;
            const auto read =
                read_file(path.string(), limits::upload_bytes).and_then([&](auto text) {
                    return tasks_from_toml(text, path.string());
                });
            if (read) {
                tasks.insert(tasks.end(), read->begin(), read->end());
            } else {
                fail_at(*beside, "tasks: {}", read.error().detail);
            }
        }
        std::set<std::string> names;
        for (const WantedTask& task : tasks) {
            check(task, table);
            // A duplicate within this file was reported already.
            if (!names.insert(task.name).second && beside != nullptr) {
                fail_at(*beside, "task '{}' is in {}, and here, too", task.name, file);
            }
            fleet_.add_task(task.name);
        }
        return tasks;
    }

    // Most programs are unknown to the simulation: they run until they are ordered to end.
    void check(const WantedTask& task, const toml::node& where) {
        const auto& argv = task.spec.argv;
        const auto is_number = [&](std::size_t at) {
            return number_in<std::uint32_t>(argv[at]).has_value();
        };
        if (!argv.empty() && argv[0] == "exit" &&
            (argv.size() != 3 || !is_number(1) || !is_number(2))) {
            fail_at(where,
                    "task '{}': write argv = [\"exit\", \"1\", \"500\"] for what "
                    "ends with code 1 after 500 ms",
                    task.name);
        }
    }

    void read_step(const toml::table& table) {
        ScenarioStep step;
        read_time(table, step);
        const auto* const actions = table.get("do");
        const auto* const list = actions == nullptr ? nullptr : actions->as_array();
        if (actions == nullptr || (list != nullptr && list->empty())) {
            fail_at(table, "the step does nothing; write do = \"crash n3\"");
            return;
        }
        std::vector<std::string_view> known{"at", "after", "do"};
        const std::size_t count = list == nullptr ? 1 : list->size();
        for (std::size_t index = 0; index < count && !fields_.fault(); ++index) {
            read_action(table, list == nullptr ? *actions : *list->get(index), step, known);
            step.at.reset();
            step.after.reset();
        }
        for (const auto& [key, value] : table) {
            const std::string_view owner = verb_with_key(key.str());
            if (!owner.empty() && std::ranges::find(known, key.str()) == known.end()) {
                fail_at(value, "'{}' belongs to {}", key.str(), owner);
            }
        }
        fields_.known_keys(table, known, "this step");
    }

    void read_time(const toml::table& table, ScenarioStep& into) {
        const auto* const at = table.get("at");
        const auto* const after = table.get("after");
        if (at != nullptr && after != nullptr) {
            fail_at(*after,
                    "a step has `at`, since the beginning, or `after`, since the step before");
        }
        const auto read = [&](const toml::node* node, std::string_view key,
                              std::optional<Duration>& time) {
            if (node != nullptr) {
                fields_.duration(node, key, time.emplace());
                if (*time > longest) {
                    fail_at(*node, "{} is at most {}", key, muster::to_string(longest));
                }
            }
        };
        read(at, "at", into.at);
        read(after, "after", into.after);
        if (into.at && *into.at < last_at_) {
            fail_at(*at, "at is {}, but a step above it is at {}; steps are in the order of time",
                    muster::to_string(*into.at), muster::to_string(last_at_));
        }
        last_at_ = into.at.value_or(last_at_);
    }

    void read_action(const toml::table& table, const toml::node& sentence, ScenarioStep step,
                     std::vector<std::string_view>& known) {
        const auto words = sentence.value_exact<std::string>();
        if (!words) {
            fail_at(sentence, "do is a text, or a list of texts: do = \"crash n3\"");
            return;
        }
        const std::string shown = words->substr(0, limits::pattern_bytes);
        if (!fleet_.is_led() && !step.at && !step.after) {
            fail_at(sentence,
                    "'{}' would wait forever, because no coordinator works; give it a "
                    "step of its own, with after = \"30s\"",
                    shown);
            return;
        }
        auto action = fleet_.read(*words);
        if (!action) {
            fail_at(sentence, "'{}': {}", shown, action.error().detail);
            return;
        }
        step.action = std::move(*action);
        const auto own = keys_of(step.action.verb);
        known.insert(known.end(), own.begin(), own.end());
        fields_.duration(table.get("down"), "down", step.down);
        fields_.number(table.get("times"), "times", 1, 1'000, step.times);
        fields_.duration(table.get("period"), "period", step.period);
        fields_.duration(table.get("by"), "by", step.by);
        fields_.truth(table.get("force"), "force", step.force);
        if (step.period == Duration{}) {
            fail_at(table, "period is 0s; write one like \"20s\"");
        }
        if (std::max({step.down, step.period, step.by}) > longest) {
            fail_at(table, "down, period and by are at most {}", muster::to_string(longest));
        }
        if (step.action.verb == Verb::join) {
            std::string prefix{usual_name};
            fields_.text(table.get("name"), "name", prefix);
            number(prefix, step.action.count, offer_of(table), table, step.join);
        } else if (step.action.verb == Verb::apply) {
            step.tasks = tasks_of(table);
            if (step.tasks.empty()) {
                fail_at(table,
                        "no task is applied; write [[step.task]] below it, or tasks = \"FILE\"");
            }
        }
        if (scenario_.steps.size() == longest_story) {
            fail_at(table, "there are at most {} steps", longest_story);
        }
        scenario_.steps.push_back(std::move(step));
    }

    /// Visits the tables of an array of tables. Anything else is a fault.
    template <class Read>
    void each(const toml::table& root, std::string_view key, Read&& read) {
        const auto* const node = root.get(key);
        const auto* const array = node == nullptr ? nullptr : node->as_array();
        if (node != nullptr && array == nullptr) {
            fail_at(*node, "begin each {} with [[{}]]", key, key);
        }
        for (std::size_t at = 0; array != nullptr && at < array->size(); ++at) {
            if (const auto* const table = array->get(at)->as_table()) {
                read(*table);
            } else {
                fail_at(*array->get(at), "begin each {} with [[{}]]", key, key);
            }
        }
    }

    TomlFields fields_;
    Scenario scenario_;
    Fleet fleet_;
    std::map<std::string, std::size_t> numbers_;  ///< The next number of each prefix.
    Duration last_at_{};
};

}  // namespace

Result<Scenario> scenario_from_toml(std::string_view text, std::string_view file) {
    return ScenarioReader{text, file}.take();
}

Result<Scenario> read_scenario(const std::string& file) {
    return read_file(file, limits::configuration_bytes).and_then([&](const std::string& text) {
        return scenario_from_toml(text, file);
    });
}

}  // namespace muster::sim
