#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"
#include "tests/unit/coordinator/flow/function_trace.hpp"

// docs/internals/flow.md shows ways through the core, function by function. Each numbered line
// begins with the name of a function. Here the core does what the page describes and records which
// functions it enters.
namespace muster::coordinator {
namespace {

using testing::CoordinatorHarness;
using testing::FunctionTrace;

/// The functions that the numbered lines of a section of the page name, in order.
std::vector<std::string> page_flow(std::string_view heading) {
    std::ifstream file{MUSTER_SOURCE_DIR "/docs/internals/flow.md"};
    std::string line;
    std::vector<std::string> functions;
    bool is_inside = false;
    while (std::getline(file, line)) {
        if (line.starts_with("## ")) {
            is_inside = line == "## " + std::string{heading};
        }
        const auto number = line.find_first_not_of("0123456789");
        if (is_inside && number != 0 && number != std::string::npos &&
            line.substr(number).starts_with(". `")) {
            const auto begin = number + 3;
            functions.push_back(line.substr(begin, line.find('`', begin) - begin));
        }
    }
    return functions;
}

/// The first function that was not entered after the one before it; empty: all were, in order.
std::string first_missing(const std::vector<std::string>& page,
                          const std::vector<std::string>& entered) {
    auto at = entered.begin();
    for (const std::string& function : page) {
        at = std::find(at, entered.end(), function);
        if (at == entered.end()) {
            return function;
        }
        ++at;
    }
    return {};
}

std::string joined_lines(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += name + '\n';
    }
    return text;
}

void check_page(std::string_view heading, const std::vector<std::string>& entered) {
    const auto page = page_flow(heading);
    INFO("entered:\n" << joined_lines(entered));
    REQUIRE(page.size() >= 8);
    CHECK(first_missing(page, entered) == "");
}

}  // namespace

TEST_CASE("the page of flows shows the way of an agent's report", "[flow]") {
    CoordinatorHarness harness;
    harness.join("n1");
    REQUIRE(harness.want("web", 1));
    harness.pass(1s);
    auto& agent = harness["n1"];
    agent.answers = false;
    harness.pass(1s);
    REQUIRE_FALSE(agent.polls.empty());
    const Input report = FromAgent{agent.session, harness.report_of(agent, agent.polls.back())};
    const FunctionTrace trace;
    static_cast<void>(harness.coordinator.step(harness.now, report));
    check_page("An agent's report", trace.names());
}

TEST_CASE("the page of flows shows the way of task scale", "[flow]") {
    CoordinatorHarness harness;
    for (const auto* const name : {"n1", "n2"}) {
        harness.join(name);
    }
    REQUIRE(harness.want("web", 1));
    harness.pass(2s);
    const FunctionTrace trace;
    REQUIRE(harness.ask(TaskScaleRequest{"web", 2}, harness.fresh_id()));
    harness.pass(1s);
    check_page("`muster task scale web 2`", trace.names());
    CHECK(harness.running("web") == 2);
}

TEST_CASE("the page of flows shows the way of the loss of a node", "[flow]") {
    CoordinatorHarness harness;
    for (const auto* const name : {"n1", "n2", "n3"}) {
        harness.join(name);
    }
    REQUIRE(harness.want("web", 2));
    harness.pass(2s);
    harness["n1"].answers = false;
    harness.pass(1s);
    const FunctionTrace trace;
    harness.pass(20s);
    REQUIRE(harness.happened("node.lost", "n1"));
    REQUIRE(harness.running("web") == 3);  // With the copy on the lost node.
    check_page("The loss of a node", trace.names());
}

TEST_CASE("a page whose functions are in another order, or never entered, is found wrong",
          "[flow]") {
    const std::vector<std::string> entered{"Rooms::step", "Rooms::on", "Rooms::plan"};
    CHECK(first_missing({"Rooms::step", "Rooms::plan"}, entered).empty());
    CHECK(first_missing({"Rooms::plan", "Rooms::on"}, entered) == "Rooms::on");
    CHECK(first_missing({"Rooms::step", "Rooms::close"}, entered) == "Rooms::close");
    CHECK(first_missing({"Rooms::on", "Rooms::on"}, entered) == "Rooms::on");
}

TEST_CASE("a function is named by its class and its name", "[flow]") {
    CHECK(testing::short_name("muster::coordinator::Rooms::on(muster::StepContext&, int) const") ==
          "Rooms::on");
    CHECK(testing::short_name("void muster::coordinator::TaskHandler::handle<std::vector<int> >"
                              "(int)") == "TaskHandler::handle");
    CHECK(testing::short_name("muster::next(int)") == "muster::next");
}

}  // namespace muster::coordinator
