// The table of a node's life on the page of the architecture.

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/catch.hpp"

#include "coordinator/core/nodes/lifecycle.hpp"
#include "tests/unit/docs/page.hpp"

namespace muster::coordinator {

namespace {

std::string words_of(const FactChange& sets) {
    std::string words;
    const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
    const auto fact = [&](const std::optional<bool>& to, const std::string& yes,
                          const std::string& no) {
        if (to) {
            add(*to ? yes : no);
        }
    };
    fact(sets.lost, "lost", "not lost");
    fact(sets.gone, "left", "not left");
    fact(sets.able, "able", "not able");
    fact(sets.is_suspended, "suspended", "not suspended");
    fact(sets.ahead, "ahead", "not ahead");
    if (sets.admission) {
        add(*sets.admission == Admission::listed ? "listed" : "removed");
    }
    if (sets.intent) {
        add("intent " + std::string{to_string(*sets.intent)});
    }
    return words;
}

}  // namespace

// Goal: the documented table is correct.
// Method: compare the table of the page with the one in the core.
TEST_CASE("the table of a node's life is the one in the documentation", "[docs]") {
    std::string table = docs::row_of({"event", "in health", "under intent", "sets", "when"}) +
                        "|---|---|---|---|---|\n";
    std::set<std::string_view> names;
    for (const Transition& row : transitions()) {
        CHECK(&transition_of(row.change) == &row);
        names.insert(row.name);
        table += docs::row_of({docs::in_code("node." + std::string{row.name}), row.from, row.under,
                               words_of(row.sets), row.meaning});
    }
    CHECK(names.size() == node_changes);
    docs::check_part("internals/architecture.md", "life of a node", table);
}

}  // namespace muster::coordinator
