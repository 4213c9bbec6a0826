#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.hpp"

#include "cli/completion.hpp"
#include "cli/verb_table.hpp"

using namespace muster::cli;

namespace {

std::string file_text(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

// What a shell prints when it runs the script. The script holds no single quote.
std::string output_of(const std::string& script) {
    FILE* const pipe = popen(("bash -c '" + script + "' 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> piece{};
    for (std::size_t got = 0; (got = fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
        text.append(piece.data(), got);
    }
    CHECK(pclose(pipe) == 0);
    return text;
}

// The candidates bash would offer for the last of the words.
std::string offered(const std::string& words, int position) {
    return output_of("source " MUSTER_SOURCE_DIR "/cli/completion/muster.bash; COMP_WORDS=(" +
                     words + "); COMP_CWORD=" + std::to_string(position) +
                     "; _muster; echo \"${COMPREPLY[*]}\"");
}

}  // namespace

// Goal: the installed scripts know every verb. Method: they are what the table makes, to the byte.
TEST_CASE("the completion files are what the program prints", "[cli]") {
    CHECK(file_text(MUSTER_SOURCE_DIR "/cli/completion/muster.bash") == *completion_script("bash"));
    CHECK(file_text(MUSTER_SOURCE_DIR "/cli/completion/_muster") == *completion_script("zsh"));
    CHECK_FALSE(completion_script("fish"));
}

// Goal: it works in the shell, not only on paper. Method: let bash complete.
TEST_CASE("bash completes verbs, options and their values", "[cli]") {
    CHECK(offered("muster st", 1) == "status store\n");
    CHECK(offered("muster task re", 2) == "remove restart\n");
    CHECK(offered("muster -o json task sc", 4) == "scale\n");
    CHECK(offered("muster status --ch", 2) == "--check\n");
    CHECK(offered("muster status -o j", 3) == "json\n");
    CHECK(offered("muster log level de", 3) == "debug\n");
    CHECK(offered("muster help ta", 2) == "task\n");
    CHECK(offered("muster help task s", 3) == "show scale\n");
    CHECK(offered("muster help task show s", 4) == "\n");
    CHECK(offered("muster task scale web ''", 4) == "\n");
    CHECK(offered("muster log level debug ''", 4) == "\n");
    CHECK(offered("muster task add web -- --ch", 5) == "\n");
}

// Goal: names are those of the coordinator that the line is for.
// Method: a muster that shows what it was called with.
TEST_CASE("bash asks the coordinator that the line names", "[cli]") {
    const std::string words = "muster task show -c tcp://127.0.0.1:9 --run-dir /r x";
    CHECK(output_of("exec 3>&1; muster() { echo \"$@\" >&3; }; source " MUSTER_SOURCE_DIR
                    "/cli/completion/muster.bash; COMP_WORDS=(" +
                    words + "); COMP_CWORD=7; _muster; true")
              .find("task -c tcp://127.0.0.1:9 --run-dir /r list") == 0);
}

TEST_CASE("every verb has its case in both scripts", "[cli]") {
    for (const std::string shell : {"bash", "zsh"}) {
        const auto script = *completion_script(shell);
        for (const VerbEntry& entry : verb_table()) {
            CAPTURE(shell, entry.words);
            CHECK(script.find('\'' + std::string{entry.words} + "'*)") != std::string::npos);
        }
        CHECK(script.find('@') == script.find("@\""));  // No mark is left: only zsh's "$@".
    }
}
