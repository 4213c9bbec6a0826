#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.hpp"

#include "cli/help.hpp"
#include "cli/verb_table.hpp"

using namespace muster::cli;

namespace {

std::string file_text(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

// The output of a shell that runs the script. The script has no single quote.
std::string output_of(const std::string& script, const std::string& shell = "bash") {
    FILE* const pipe = popen((shell + " -c '" + script + "' 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> piece{};
    for (std::size_t got = 0; (got = fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
        text.append(piece.data(), got);
    }
    CHECK(pclose(pipe) == 0);
    return text;
}

// The candidates that bash offers for the last of the words.
std::string offered(const std::string& words, int position) {
    return output_of("source " MUSTER_SOURCE_DIR "/cli/completion/muster.bash; COMP_WORDS=(" +
                     words + "); COMP_CWORD=" + std::to_string(position) +
                     "; _muster; echo \"${COMPREPLY[*]}\"");
}

constexpr auto without_zsh = "SKIPPED: there is no zsh on this host";
bool has_zsh() { return !output_of("command -v zsh || true").empty(); }

// The candidates of zsh, each in <>, for a word after these. The script is loaded as zsh loads an
// installed one; the test defines compadd, muster and the words.
std::string given(const std::string& words, const std::string& muster = "false") {
    return output_of("exec 3>&1; fpath=(" MUSTER_SOURCE_DIR
                     "/cli/completion); autoload -Uz _muster; "
                     "compadd() { [[ $1 == -- ]] && shift && print -r -- \"<${(j:> <:)@}>\"; }; "
                     "_files() { print files; }; muster() { " +
                         muster +
                         "; }; "
                         "words=(" +
                         words + "); CURRENT=${#words}; _muster",
                     "zsh -f");
}

}  // namespace

// Goal: the installed scripts know every verb. Method: they equal the table's output, byte for
// byte.
TEST_CASE("the completion files equal what the program prints", "[cli]") {
    CHECK(file_text(MUSTER_SOURCE_DIR "/cli/completion/muster.bash") == *completion_script("bash"));
    CHECK(file_text(MUSTER_SOURCE_DIR "/cli/completion/_muster") == *completion_script("zsh"));
    CHECK_FALSE(completion_script("fish"));
}

// Goal: completion works in a real shell. Method: let bash complete.
TEST_CASE("bash completes verbs, options and their values", "[cli]") {
    CHECK(offered("muster st", 1) == "status stats store\n");
    CHECK(offered("muster task re", 2) == "remove restart\n");
    CHECK(offered("muster -o json task sc", 4) == "scale\n");
    CHECK(offered("muster status --ch", 2) == "--check\n");
    CHECK(offered("muster status -o j", 3) == "json\n");
    CHECK(offered("muster log level de", 3) == "debug\n");
    CHECK(offered("muster help ta", 2) == "task\n");
    CHECK(offered("muster help task s", 3) == "show scale signal\n");
    CHECK(offered("muster help task show s", 4) == "\n");
    CHECK(offered("muster task scale web ''", 4) == "\n");
    CHECK(offered("muster log level debug ''", 4) == "\n");
    CHECK(offered("muster task add web -- --ch", 5) == "\n");
}

// Goal: names come from the coordinator that the command line selects.
// Method: a muster that prints its arguments.
TEST_CASE("bash asks the coordinator that the line names", "[cli]") {
    const std::string words = "muster task show -c tcp://127.0.0.1:9 --run-dir /r x";
    CHECK(output_of("exec 3>&1; muster() { echo \"$@\" >&3; }; source " MUSTER_SOURCE_DIR
                    "/cli/completion/muster.bash; COMP_WORDS=(" +
                    words + "); COMP_CWORD=7; _muster; true")
              .find("task -c tcp://127.0.0.1:9 --run-dir /r list") == 0);
}

// Goal: completion works in a real zsh.
// Method: zsh runs the installed script, once for each of its branches.
TEST_CASE("zsh completes verbs, options, their values and names", "[cli]") {
    if (!has_zsh()) {
        WARN(without_zsh);
        return;
    }
    CHECK_THAT(given("muster s"), Catch::StartsWith("<apply> <plan> <status> <stats> <node>"));
    CHECK(given("muster node s") ==
          "<list> <show> <offline> <online> <drain> <forgive> <add> <remove> <apply> <accept>\n");
    CHECK(given("muster -o json node s") ==
          "<list> <show> <offline> <online> <drain> <forgive> <add> <remove> <apply> <accept>\n");
    CHECK(given("muster help task s") ==
          "<list> <show> <add> <remove> <scale> <restart> <signal>\n");
    CHECK(given("muster status -o j") == "<table> <json>\n");
    CHECK(given("muster log level d") == "<trace> <debug> <info> <warn> <error>\n");
    CHECK(given("muster apply --") ==
          "<--file> <--replace> <--yes> <--force> <--sign> <--wait> <--coordinator> <--context> "
          "<--timeout> "
          "<--output> <--run-dir> <--help>\n");
    CHECK(given("muster apply -f t") == "files\n");
    CHECK(given("muster events --since 1").empty());
    CHECK(given("muster task add web -- --x").empty());
    const std::string table = "print -l \"TASK STATE\" \"one up\" \"two up\"";
    CHECK(given("muster task show o", table) == "<one> <two>\n");
    CHECK(given("muster node show n", "print \"no nodes\"") == "<>\n");
    CHECK(given("muster task show -c tcp://127.0.0.1:9 --run-dir /r x", "print -r -- \"$*\" >&3") ==
          "task -c tcp://127.0.0.1:9 --run-dir /r list --timeout 500ms\n<>\n");
}

// Goal: zsh uses the script also if a startup file sources it.
TEST_CASE("zsh registers the script when it is sourced", "[cli]") {
    if (!has_zsh()) {
        WARN(without_zsh);
        return;
    }
    CHECK(output_of("compdef() { print \"$@\"; }; source " MUSTER_SOURCE_DIR
                    "/cli/completion/_muster",
                    "zsh -f") == "_muster muster\n");
}

TEST_CASE("every verb has its case in both scripts", "[cli]") {
    for (const std::string shell : {"bash", "zsh"}) {
        const auto script = *completion_script(shell);
        for (const VerbEntry& entry : verb_table()) {
            CAPTURE(shell, entry.words);
            CHECK(script.find('\'' + std::string{entry.words} + "'*)") != std::string::npos);
        }
        CHECK(script.find('@') == script.find("@\""));  // No placeholder is left: only zsh's "$@".
    }
}
