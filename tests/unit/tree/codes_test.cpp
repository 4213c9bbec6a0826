// Codes that programs read are in the reference that their authors use.

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/catch.hpp"

#include "coordinator/core/planning/index/filters.hpp"
#include "coordinator/core/workload/placements.hpp"

using namespace muster;

namespace {

std::string page_of(const std::string& name) {
    std::ifstream file{std::string{MUSTER_SOURCE_DIR} + "/docs/reference/" + name,
                       std::ios::binary};
    REQUIRE(file);
    return {std::istreambuf_iterator<char>{file}, {}};
}

bool names_code(const std::string& text, std::string_view code) {
    return text.find('`' + std::string{code} + '`') != std::string::npos;
}

}  // namespace

TEST_CASE("the reference names every verdict and every cause", "[explain]") {
    const std::string text = page_of("protocol.md");
    const std::string events = page_of("events.md");
    for (std::size_t at = 0; at < coordinator::verdicts; ++at) {
        const auto verdict = static_cast<coordinator::Verdict>(at);
        CAPTURE(to_string(verdict));
        // A health or an intent is shown instead for a node that does not serve.
        CHECK(
            (verdict == coordinator::Verdict::not_serving || names_code(text, to_string(verdict))));
    }
    for (std::size_t at = 0; at <= static_cast<std::size_t>(coordinator::Cause::every_node); ++at) {
        CAPTURE(to_string(static_cast<coordinator::Cause>(at)));
        CHECK(names_code(events, to_string(static_cast<coordinator::Cause>(at))));
    }
}
