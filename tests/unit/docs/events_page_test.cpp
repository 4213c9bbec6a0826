// The page of the events, from the code that publishes them.

#include <regex>
#include <set>
#include <string>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/nodes/lifecycle.hpp"
#include "coordinator/core/suspension/flap_score.hpp"
#include "tests/unit/docs/page.hpp"
#include "tests/unit/tree/source_files.hpp"

namespace muster::coordinator {

namespace {

/// The topics that are literals in the core. Of composed topics, only the beginning is: "node." and
/// "task.".
std::set<std::string> topics_in_core() {
    const std::filesystem::path root{MUSTER_SOURCE_DIR "/coordinator/core"};
    const std::regex topic{
        "\"((node|task|instance|freeze|leader|recovery|store|setting|round|key|token|secret|"
        "enrolment|demand|pool)\\.["
        "a-z_]+)\""};
    std::set<std::string> topics;
    for (const std::string& file : tree::files_of(root)) {
        const std::string text = tree::text_of(root / file);
        for (std::sregex_iterator at{text.begin(), text.end(), topic}; at != std::sregex_iterator{};
             ++at) {
            topics.insert((*at)[1]);
        }
    }
    return topics;
}

}  // namespace

// Goal: the page has exactly the topics that exist.
// Method: the topics in the source, and those composed from other tables.
TEST_CASE("the page of the events has every topic", "[docs]") {
    std::set<std::string> topics = topics_in_core();
    CHECK(topics.contains("leader.elected"));  // The source was found, and read.
    for (const Transition& row : transitions()) {
        topics.insert("node." + std::string{row.name});
    }
    for (const char* const phase : {"converged", "unplaced", "failed"}) {
        topics.insert(std::string{"task."} + phase);
    }
    docs::check_names("reference/events.md", "events", topics);
}

// Goal: the documented weights of the score are correct.
// Method: compare the table of the page with the weights, and check the threshold.
TEST_CASE("the table of weights is the one in the documentation", "[docs]") {
    std::string table = docs::row_of({"cause", "weight", "when"}) + "|---|---|---|\n";
    for (const Weight& row : flap_weights()) {
        CHECK(&weight_of(row.cause) == &row);
        table += docs::row_of({docs::in_code(row.name), std::to_string(row.weight), row.meaning});
    }
    docs::check_part("operations/nodes-and-maintenance.md", "weights", table);
    CHECK(FlapScore::threshold == 1'000);  // The page says so beside the table.
}

}  // namespace muster::coordinator
