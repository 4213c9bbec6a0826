#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

#include "agent/local_requests.hpp"
#include "agent/options.hpp"
#include "common/base/ensure.hpp"
#include "common/config/spec_toml.hpp"
#include "common/spec/spec.hpp"
#include "coordinator/options.hpp"
#include "sim/scenario/file.hpp"
#include "tests/fuzz/targets.hpp"

// Configuration files, and local requests to an agent.
namespace muster::fuzz {
namespace {

// Every error is one line that begins with its position, and their number is bounded.
void ensure_explained(const auto& read) {
    if (read) {
        return;
    }
    std::istringstream lines{read.error().detail};
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        ensure(line.starts_with("x.toml:"), "a fault has its file and line");
    }
    constexpr std::size_t most = 21;  // Twenty, and one line for further errors.
    ensure(count > 0 && count <= most, "a file's faults fit on a screen");
}

}  // namespace

void fuzz_task_toml(std::string_view input) {
    const auto tasks = tasks_from_toml(input, "x.toml");
    ensure_explained(tasks);
    if (tasks) {
        for (const auto& task : *tasks) {
            ensure(!fault_of(task), "what a file says obeys the rules");
        }
    }
}

void fuzz_node_toml(std::string_view input) { ensure_explained(nodes_from_toml(input, "x.toml")); }

void fuzz_coordinator_toml(std::string_view input) {
    ensure_explained(coordinator::options_from_toml(input, "x.toml"));
}

void fuzz_agent_toml(std::string_view input) {
    const auto settings = agent::agent_settings_from_toml(input, "x.toml");
    ensure_explained(settings);
    ensure(!settings || !fault_of(settings->offer), "what a host offers obeys the rules");
}

void fuzz_scenario_toml(std::string_view input) {
    ensure_explained(sim::scenario_from_toml(input, "x.toml"));
}

void fuzz_local_request(std::string_view input) {
    const auto request = agent::local_request(input);
    ensure(request || !agent::local_error(request.error()).empty(), "a refusal has a reason");
}

}  // namespace muster::fuzz
