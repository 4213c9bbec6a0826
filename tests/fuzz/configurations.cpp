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

// Files that people write, and what they ask an agent by hand.
namespace muster::fuzz {
namespace {

// The first fault is one sentence that begins with the place.
void ensure_told(const auto& read) {
    ensure(read || read.error().detail.starts_with("x.toml:"), "a fault has its file and line");
    ensure(read || read.error().detail.find('\n') == std::string::npos, "a fault is one line");
}

}  // namespace

void fuzz_task_toml(std::string_view input) {
    const auto tasks = tasks_from_toml(input, "x.toml");
    ensure_told(tasks);
    if (tasks) {
        for (const auto& task : *tasks) {
            ensure(!fault_of(task), "what a file says obeys the rules");
        }
    }
}

void fuzz_node_toml(std::string_view input) { ensure_told(nodes_from_toml(input, "x.toml")); }

void fuzz_coordinator_toml(std::string_view input) {
    ensure_told(coordinator::options_from_toml(input, "x.toml"));
}

void fuzz_agent_toml(std::string_view input) {
    const auto settings = agent::agent_settings_from_toml(input, "x.toml");
    ensure_told(settings);
    ensure(!settings || !fault_of(settings->offer), "what a host offers obeys the rules");
}

void fuzz_scenario_toml(std::string_view input) {
    ensure_told(sim::scenario_from_toml(input, "x.toml"));
}

void fuzz_local_request(std::string_view input) {
    const auto request = agent::local_request(input);
    ensure(request || !agent::local_error(request.error()).empty(), "who is refused is told why");
}

}  // namespace muster::fuzz
