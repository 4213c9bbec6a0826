// The keys of each configuration file, from what the programs read.

#include <set>
#include <sstream>
#include <string>

#include "tests/catch.hpp"

#include "agent/options.hpp"
#include "agent/policy/policy_file.hpp"
#include "common/config/spec_toml.hpp"
#include "common/spec/description.hpp"
#include "coordinator/options.hpp"
#include "tests/unit/docs/page.hpp"

namespace muster {

namespace {

using Names = std::set<std::string>;

/// The valid keys that a program lists in its error for an unknown key.
Names offered(const std::string& message, const std::string& before) {
    const auto at = message.find(before);
    INFO(message);
    REQUIRE(at != std::string::npos);
    std::istringstream list{message.substr(at + before.size())};
    Names names;
    for (std::string name; std::getline(list >> std::ws, name, ',');) {
        names.insert(name);
    }
    return names;
}

/// The keys that `read` accepts in a file, those of a table as `table.key`. Where people choose the
/// name of a table, the page has NAME.
template <class Read>
void add_keys(Names& into, Read read, const std::string& table, const std::string& before,
              const std::string& shown_as = {}) {
    const std::string head = table.empty() ? "" : "[" + table + "]\n";
    const auto done = read(head + "no_such_key = 1\n", "f.toml");
    REQUIRE_FALSE(done);
    for (const std::string& name : offered(done.error().detail, before)) {
        if (!name.starts_with('[')) {
            // The keys of a list element, as [[node]], have no prefix.
            const bool is_bare = table.empty() || table.front() == '[';
            into.insert(is_bare ? name : (shown_as.empty() ? table : shown_as) + '.' + name);
        }
    }
}

/// The keys of a described type, and of the tables in it.
template <Described T>
void add_fields(Names& into, const std::string& prefix = {}) {
    for_each_field<T>([&](const auto& field) {
        using Value = typename std::remove_cvref_t<decltype(field)>::Value;
        const std::string name = prefix + std::string{field.name()};
        into.insert(name);
        if constexpr (Described<Value>) {
            add_fields<Value>(into, name + '.');
        }
    });
}

}  // namespace

// Goal: each key has its line, and each line its key.
// Method: the programs' suggestions for an unknown key.
TEST_CASE("the page of the configuration has every key of both daemons", "[docs]") {
    Names coordinator;
    for (const std::string table : {"", "endpoints", "cluster", "nodes", "etcd"}) {
        add_keys(coordinator, coordinator::options_from_toml, table, "the keys are ");
    }
    for (const std::string table : {"providers", "predictors"}) {
        add_keys(coordinator, coordinator::options_from_toml, table + ".x", "the keys are ",
                 table + ".NAME");
    }
    for (const char* const table :
         {"endpoints", "cluster", "nodes", "etcd", "providers", "predictors"}) {
        coordinator.erase(table);
    }
    docs::check_names("reference/configuration.md", "coordinator.toml", coordinator);

    Names agent{"labels"};  // Its keys are free.
    add_keys(agent, agent::agent_settings_from_toml, "", "the keys are ");
    for (const std::string table : {"capacity", "reserved", "floors", "readiness"}) {
        add_keys(agent, agent::agent_settings_from_toml, table, "the keys are ");
        agent.erase(table);
    }
    docs::check_names("reference/configuration.md", "agent.toml", agent);

    Names policy;
    for (const std::string table : {"", "limits"}) {
        add_keys(policy, agent::policy_from_toml, table, "the keys are ");
    }
    policy.erase("limits");
    docs::check_names("reference/configuration.md", "policy.toml", policy);

    Names node;
    add_keys(node, nodes_from_toml, "[node]", "the keys are ");
    docs::check_names("reference/configuration.md", "node list", node);
}

TEST_CASE("the page of the task file has every key of a task", "[docs]") {
    Names spec;
    add_fields<TaskSpec>(spec);
    Names place;
    add_fields<PlacementRule>(place);
    docs::check_names("reference/task-file.md", "spec", spec);
    docs::check_names("reference/task-file.md", "placement", place);

    Names all{"name", "instances"};
    all.insert(spec.begin(), spec.end());
    all.insert(place.begin(), place.end());
    std::erase_if(all, [](const std::string& name) { return name.find('.') != std::string::npos; });
    const auto done = tasks_from_toml("[[task]]\nno_such_key = 1\n", "f.toml");
    REQUIRE_FALSE(done);
    CHECK(offered(done.error().detail, "the keys are ") == all);
}

}  // namespace muster
