// Names that a reader would have to look up. The present name is beside each.

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/tree/source_files.hpp"

namespace muster::tree {
namespace {

struct OldName {
    std::string_view name;
    std::string_view present;
};

constexpr std::array old_names{
    OldName{"take_in", "apply_report"},
    OldName{"took_in", "on_report_applied"},
    OldName{"turn_away", "reject_not_leader"},
    OldName{"turns_away", "reject_unless_admitted"},
    OldName{"why_unwelcome", "admission_error"},
    OldName{"note_of", "describe_..."},
    OldName{"sentence_of", "describe_..."},
    OldName{"is_told", "is_reported"},
    OldName{"was_told", "was_reported"},
    OldName{"times_told", "times_reported"},
    OldName{"told_", "reported_"},
    OldName{"said_", "reported_"},
    OldName{"said_by", "facts_of"},
    OldName{"heard_", "received_"},
    OldName{"heard_from", "mutable_facts_of"},
    OldName{"say_hello", "send_hello"},
    OldName{"may_bear_work", "may_have_copies"},
    OldName{"bears_nothing", "is_empty"},
    OldName{"bears_wanted", "has_wanted_copies"},
    OldName{"leaves_work", "left_instances_running"},
    OldName{"at_stake", "counts_toward_freeze"},
    OldName{"own_pools", "reported_pools"},
    OldName{"is_deaf", "heard_minority"},
    OldName{"store_owes", "note_pending_write"},
    OldName{"ailment", "degraded_reason"},
    OldName{"misdeed", "FlapCause"},
    OldName{"Misdeed", "FlapCause"},
    OldName{"Whereabouts", "InstanceLocation"},
    OldName{"Troubles", "RecentFailures"},
    OldName{"shunned", "excluded"},
    OldName{"out_of_sight", "on_lost_nodes"},
    OldName{"Errand", "AgentCall"},
    OldName{"Errands", "AgentCalls"},
    OldName{"Obedience", "CommandFence"},
    OldName{"must_remember", "must_persist"},
    OldName{"hear_out", "discard_input"},
    OldName{"let_in", "accept_one"},
    OldName{"say_what_became", "log_process_event"},
    OldName{"Deeds", "ScenarioExecutor"},
    OldName{"Onlooker", "Observer"},
    OldName{"is_content", "ok"},
    OldName{"BenchTop", "CoordinatorHarness"},
    OldName{"Puppet", "FakeAgent"},
    OldName{"Goodbye", "Departure"},
    OldName{"goes_on", "continues"},
    OldName{"GoesOn", "Continues"},
    OldName{"in_vain", "without_effect"},
};

/// One sentence for each old name in the text of the file `path`.
std::vector<std::string> old_names_in(const std::string& path, std::string_view text) {
    std::vector<std::string> found;
    for (const auto& [name, present] : old_names) {
        if (contains_word(text, name)) {
            found.push_back(path + " has the name " + std::string{name} + "; it is now called " +
                            std::string{present});
        }
    }
    return found;
}

}  // namespace

// Goal: names that were replaced do not return.
// Method: search every source file but this one.
TEST_CASE("no source file has a name that was replaced", "[source]") {
    const std::filesystem::path root{MUSTER_SOURCE_DIR};
    for (const auto& file : files_of(root)) {
        if (file.ends_with("tree/words_test.cpp")) {
            continue;
        }
        for (const auto& sentence : old_names_in(file, text_of(root / file))) {
            FAIL_CHECK(sentence);
        }
    }
}

TEST_CASE("a name that was replaced is found, and as a part of a name it is not", "[source]") {
    CHECK(old_names_in("cli/main.cpp", "int shunned = told_ + 1;\n").size() == 2);
    CHECK(old_names_in("cli/main.cpp", "int shunned_by = retold_ + 1;\n").empty());
}

}  // namespace muster::tree
