// The page of the events, from the places where they are told.

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

/// The topics that stand in the core as they are. Where one is put together, only its beginning
/// does: "node." and "task.".
std::set<std::string> topics_in_core() {
    const std::filesystem::path root{MUSTER_SOURCE_DIR "/coordinator/core"};
    const std::regex topic{
        "\"((node|task|instance|freeze|leader|recovery|store|setting|round)\\.[a-z_]+)\""};
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

// Goal: who follows events finds every topic, and none that there is not.
// Method: the topics in the source, with those that are put together from other tables.
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

// Goal: what people read of a node's score is what counts.
// Method: hold the table of the page against the weights, and look for the threshold.
TEST_CASE("the table of weights is the one in the documentation", "[docs]") {
    std::string table = docs::row_of({"cause", "weight", "when"}) + "|---|---|---|\n";
    for (const Weight& row : flap_weights()) {
        CHECK(&weight_of(row.cause) == &row);
        table += docs::row_of({docs::in_code(row.name), std::to_string(row.weight), row.meaning});
    }
    docs::check_part("operations/nodes-and-maintenance.md", "weights", table);
    CHECK(FlapScore::threshold == 1'000);  // As the page says beside the table.
}

}  // namespace muster::coordinator
