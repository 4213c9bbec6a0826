#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "cli/subjects/render.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

UsageNode node(const std::string& name, std::uint64_t at_us) {
    return {.name = name,
            .at_us = at_us,
            .cpu_milli = 2'000,
            .memory_bytes = std::uint64_t{4} << 30U,
            .load_milli = 500,
            .detail = {}};
}

UsageInstance instance(Ordinal ordinal, std::uint64_t cpu_us, std::uint64_t memory_bytes) {
    return {.use = {{"web", ordinal}, cpu_us, memory_bytes, 2},
            .node = "n1",
            .restarts = 3,
            .state = "running",
            .generation = Generation{4}};
}

const UsageReply before{{node("n1", 1'000'000)}, {instance(0, 100, 1), instance(1, 500'000, 1)}};
const UsageReply after{{node("n1", 3'000'000)},
                       {instance(0, 100, std::uint64_t{5} << 20U), instance(1, 1'500'000, 4096)}};

}  // namespace

TEST_CASE("the instance with the highest usage is first, in percent of a core", "[cli]") {
    CHECK(render_usage(before, after, 0, {}) ==
          "NODE  CPU            MEMORY        LOAD  INSTANCES  RESTARTS\n"
          "n1    50.0% of 200%  5MiB of 4GiB  0.50  2          6\n"
          "\n"
          "INSTANCE  NODE  STATE    CPU    MEMORY  PROCESSES  RESTARTS  GENERATION\n"
          "web.1     n1    running  50.0%  4KiB    2          3         4\n"
          "web.0     n1    running  0.0%   5MiB    2          3         4\n");
}

TEST_CASE("an instance that was measured once has no percentage yet", "[cli]") {
    const std::string shown = render_usage({}, after, 0, {});
    CHECK(shown.find("web.1     n1    running  -    4KiB") != std::string::npos);
    // Restarted in between: its total is smaller than before.
    const UsageReply restarted{after.nodes, {instance(1, 7, 1)}};
    CHECK(render_usage(before, restarted, 0, {}).find("running  -") != std::string::npos);
}

TEST_CASE("a node that did not answer is shown with the reason", "[cli]") {
    UsageReply silent = after;
    silent.nodes.push_back({.name = "n2", .detail = "n2 did not answer within 3 s"});
    CHECK(render_usage(before, silent, 0, {}).find("n2 did not answer within 3 s\n") !=
          std::string::npos);
}

TEST_CASE("as many rows are shown as fit, with the number of the rest", "[cli]") {
    UsageReply many{{}, {}};
    for (Ordinal ordinal = 0; ordinal < 100; ++ordinal) {
        many.nodes.push_back(node("m" + std::to_string(ordinal), 5));
        many.instances.push_back(instance(ordinal, 1, 1));
    }
    for (const std::size_t rows : {1U, 2U, 5U, 24U, 50U, 150U, 300U}) {
        CAPTURE(rows);
        const std::string shown = render_usage({}, many, rows, {});
        const auto lines = static_cast<std::size_t>(std::ranges::count(shown, '\n'));
        CHECK(lines <= std::max<std::size_t>(rows, 5));
    }
    CHECK(render_usage({}, many, 24, {}).ends_with("90 more nodes and 90 more instances\n"));
    CHECK(render_usage({}, {}, 24, {}).ends_with("no instances\n"));
}
