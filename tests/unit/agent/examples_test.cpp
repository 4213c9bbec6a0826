// The files in examples/ must be correct. The integration tests run its agents and clients in other
// languages.

#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.hpp"

#include "agent/options.hpp"
#include "agent/policy/policy_file.hpp"
#include "common/codec/fields/spec.hpp"
#include "common/config/spec_toml.hpp"
#include "coordinator/options.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

std::string text_of(const std::string& example) {
    std::ifstream file{std::string{MUSTER_SOURCE_DIR} + "/examples/" + example, std::ios::binary};
    REQUIRE(file);
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<WantedTask> tasks_of(const std::string& example) {
    const auto tasks = tasks_from_toml(text_of(example), example);
    INFO((tasks ? "" : tasks.error().detail));
    REQUIRE(tasks);
    return *tasks;
}

}  // namespace

TEST_CASE("the task files among the examples can be applied", "[examples]") {
    CHECK(tasks_of("hello.toml").size() == 2);
    CHECK(tasks_of("tasks.toml").size() == 5);
}

TEST_CASE("the list of nodes among the examples can be applied", "[examples]") {
    const auto nodes = nodes_from_toml(text_of("nodes.toml"), "nodes.toml");
    INFO((nodes ? "" : nodes.error().detail));
    REQUIRE(nodes);
    CHECK(*nodes == std::vector{ListedNode{"n1"}, ListedNode{"n2"}, ListedNode{"gpu-1", "gpu"}});
}

// Goal: the file that lists every key has the right defaults. Method: compare with a task without
// keys.
TEST_CASE("the example with every key of a task has the defaults where it claims to",
          "[examples]") {
    const auto tasks = tasks_of("tasks.toml");
    const auto& web = tasks.front();
    TaskSpec plain;
    CHECK(web.spec.stop_signal == plain.stop_signal);
    CHECK(web.spec.grace == plain.grace);
    CHECK(web.spec.restart == plain.restart);
    CHECK(web.spec.max_per_node == plain.max_per_node);
    CHECK(web.spec.update == plain.update);
    plain.argv = tasks[1].spec.argv;
    CHECK(tasks[1].spec == plain);
    CHECK(tasks[3].place == PlacementRule{});
}

// Method: the keys are the fields of the wire format; durations have no unit there.
TEST_CASE("the example with every key of a task is complete", "[examples]") {
    const auto text = text_of("tasks.toml");
    WantedTask task;
    const auto visit = [&](std::string_view field, const auto&, const codec::Rule&) {
        const std::string name{field.substr(0, field.find("_ms"))};
        CAPTURE(name);
        const bool is_there = text.find('\n' + name + " = ") != std::string::npos ||
                              text.find("[task." + name + ']') != std::string::npos;
        CHECK(is_there);
    };
    codec::fields(visit, task);
}

TEST_CASE("the example of a coordinator's configuration equals the defaults", "[examples]") {
    const auto read =
        coordinator::options_from_toml(text_of("coordinator.toml"), "coordinator.toml");
    INFO((read ? "" : read.error().detail));
    REQUIRE(read);
    const coordinator::Options plain;
    CHECK(read->log_level == plain.log_level);
    CHECK(read->endpoints.agents == plain.endpoints.agents);
    CHECK(read->endpoints.operators == plain.endpoints.operators);
    CHECK(read->endpoints.events == coordinator::completed(plain.endpoints).events);
    CHECK(read->endpoints.enrolment == coordinator::completed(plain.endpoints).enrolment);
    CHECK(read->insecure_loopback == plain.insecure_loopback);
    CHECK(read->core.accept_pending == plain.core.accept_pending);
    CHECK(read->endpoints.http == plain.endpoints.http);
    CHECK(read->core.round == plain.core.round);
    CHECK(read->core.loss.silent_after == plain.core.loss.silent_after);
    CHECK(read->core.loss.after == plain.core.loss.after);
    CHECK(read->core.recovery_grace == plain.core.recovery_grace);
    CHECK(read->core.recovery_grace == coordinator::usual_recovery_grace(plain.core));
    CHECK(read->core.loss.max_lost == plain.core.loss.max_lost);
    CHECK(read->core.loss.departure_grace == plain.core.loss.departure_grace);
    CHECK(read->core.max_flaky == plain.core.max_flaky);
    CHECK(read->core.loss.rate_percent == plain.core.loss.rate_percent);
    CHECK(read->core.loss.burst == plain.core.loss.burst);
}

TEST_CASE("the example of an agent's configuration equals the defaults", "[examples]") {
    const auto read = agent_settings_from_toml(text_of("agent.toml"), "agent.toml");
    INFO((read ? "" : read.error().detail));
    REQUIRE(read);
    CHECK(read->coordinator == AgentSettings{}.coordinator);
    CHECK(read->log_level == AgentSettings{}.log_level);
    CHECK(completed(*read));
}

TEST_CASE("the example of a policy has every key", "[examples]") {
    const auto policy = policy_from_toml(text_of("policy.toml"), "policy.toml");
    INFO((policy ? "" : policy.error().detail));
    REQUIRE(policy);
    CHECK(policy->users);
    CHECK_FALSE(policy->root);
    CHECK(policy->commands);
    CHECK(policy->directories);
    CHECK(policy->most == Policy::Most{2'000, std::uint64_t{1} << 30U, 256, 4'096});
}
