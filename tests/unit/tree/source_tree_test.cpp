// The layers of the source tree, checked in the text itself. The compiler cannot check them,
// because all system packages share one include directory. It prevents mistakes, not intent.

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/tree/source_files.hpp"

namespace muster::tree {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t lines_per_file = 500;
constexpr std::size_t files_per_folder = 25;

// Prefixes of headers that a core must not include.
constexpr std::array core_forbidden_headers{
    "<zmq"sv,          "<msgpack"sv,       "<spdlog"sv,
    "<sqlite3"sv,      "<nlohmann/"sv,     "<toml++/"sv,
    "<CLI/"sv,         "<systemd/"sv,      "<thread>"sv,
    "<mutex>"sv,       "<future>"sv,       "<atomic>"sv,
    "<latch>"sv,       "<barrier>"sv,      "<semaphore>"sv,
    "<random>"sv,      "<ctime>"sv,        "<time.h>"sv,
    "<fstream>"sv,     "<iostream>"sv,     "<cstdio>"sv,
    "<stdio.h>"sv,     "<sys/"sv,          "<linux/"sv,
    "<netinet/"sv,     "<arpa/"sv,         "<unistd.h>"sv,
    "<fcntl.h>"sv,     "<pthread.h>"sv,    "<stop_token>"sv,
    "<filesystem>"sv,  "<shared_mutex>"sv, "<condition_variable>"sv,
    "\"common/log/"sv, "\"common/net/"sv,  "\"coordinator/store/"sv,
    "\"agent/exec/"sv, "<sodium"sv,        "\"common/crypto/random"sv,
    "<date/"sv,
};

// A core reads no time, chance or environment, has no callbacks and no floating point.
constexpr std::array core_forbidden_words{
    "system_clock"sv,  "steady_clock"sv, "high_resolution_clock"sv,
    "clock_gettime"sv, "getenv"sv,       "random_device"sv,
    "std::function"sv, "float"sv,        "double"sv,
};

struct LayerRule {
    std::string_view layer;             ///< Files below this directory
    std::string_view forbidden_header;  ///< do not include headers with this prefix.
};

// Neither daemon includes the other, whatever the order of the rooms.
constexpr std::array layer_rules{
    LayerRule{"coordinator/", "\"agent/"},
    LayerRule{"agent/", "\"coordinator/"},
    LayerRule{"cli/", "\"coordinator/"},
    LayerRule{"cli/", "\"agent/"},
};

// A benchmark compares with the bare socket, an integration test is a foreign client, and one file
// of tests takes the place of the authenticator.
bool may_use_zeromq(std::string_view path) {
    return path.starts_with("common/net/") || path.starts_with("bench/") ||
           path.starts_with("tests/integration/") || path.starts_with("examples/") ||
           path == "tests/unit/common/net/foreign_handler.hpp";
}

// The codec's tests compare it with the public library.
bool may_use_msgpack(std::string_view path) {
    return path.starts_with("common/codec/") || path.starts_with("tests/unit/common/codec/");
}

// Handlers of changes have Changes in place of the ledger. Calls to agents change nothing.
bool may_use_ledger(std::string_view path) {
    return !path.starts_with("coordinator/core/operators/") ||
           path.starts_with("coordinator/core/operators/agent_calls/") ||
           path == "coordinator/core/operators/changes.cpp";
}

std::size_t behind_quote(std::string_view text, char quote, std::size_t from) {
    for (auto at = from; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == quote || text[at] == '\n') {
            return at + 1;
        }
    }
    return text.size();
}

// The text without comments and literals, which can contain the forbidden words.
std::string code_of(std::string_view text) {
    std::string code;
    for (std::size_t at = 0; at < text.size();) {
        const auto rest = text.substr(at);
        if (rest.starts_with("//")) {
            at = behind(text, "\n", at);
        } else if (rest.starts_with("/*")) {
            at = behind(text, "*/", at + 2);
        } else if (rest.starts_with("R\"(")) {
            at = behind(text, ")\"", at + 3);
        } else if (rest.front() == '"') {
            at = behind_quote(text, '"', at + 1);
        } else if (rest.front() == '\'' && (code.empty() || !is_word_character(code.back()))) {
            at = behind_quote(text, '\'', at + 1);  // Not the separator in 1'000.
        } else {
            code += rest.front();
            ++at;
            continue;
        }
        code += ' ';
    }
    return code;
}

bool begins_with_any(std::string_view header, std::span<const std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](auto beginning) { return header.starts_with(beginning); });
}

bool is_forbidden(std::string_view path, std::string_view header) {
    const auto against_layer = [&](const LayerRule& rule) {
        return path.starts_with(rule.layer) && header.starts_with(rule.forbidden_header);
    };
    return (is_core(path) && begins_with_any(header, core_forbidden_headers)) ||
           (header == "\"coordinator/core/ledger/ledger.hpp\"" && !may_use_ledger(path)) ||
           (header.starts_with("<zmq") && !may_use_zeromq(path)) ||
           (header.starts_with("<msgpack") && !may_use_msgpack(path)) ||
           std::any_of(layer_rules.begin(), layer_rules.end(), against_layer);
}

// One sentence for each violation in the file `path`, which is relative to the root.
std::vector<std::string> breaches(const std::string& path, std::string_view text) {
    std::vector<std::string> found;
    for (const auto& header : included_in(text)) {
        if (is_forbidden(path, header)) {
            found.push_back(path + " includes " + header);
        }
    }
    if (is_core(path)) {
        const auto code = code_of(text);
        for (const auto word : core_forbidden_words) {
            if (contains_word(code, word)) {
                found.push_back(path + " says " + std::string{word});
            }
        }
    }
    if (std::count(text.begin(), text.end(), '\n') > static_cast<std::ptrdiff_t>(lines_per_file)) {
        found.push_back(path + " has more than " + std::to_string(lines_per_file) + " lines");
    }
    return found;
}

/// One sentence for each folder with too many headers and sources.
std::vector<std::string> full_folders(const std::vector<std::string>& files) {
    std::map<std::string, std::size_t> counts;
    for (const auto& file : files) {
        if (file.ends_with(".cpp") || file.ends_with(".hpp")) {
            ++counts[file.substr(0, file.rfind('/') + 1)];
        }
    }
    std::vector<std::string> found;
    for (const auto& [folder, count] : counts) {
        if (count > files_per_folder) {
            found.push_back(folder + " has " + std::to_string(count) + " files");
        }
    }
    return found;
}

}  // namespace

// Goal: no file crosses a layer by accident.
// Method: check every source file below the root against the rules.
TEST_CASE("every file of the source tree stays in its layer", "[source][SC-D10][SC-D13]") {
    const std::filesystem::path root{MUSTER_SOURCE_DIR};
    const auto files = files_of(root);
    REQUIRE(std::find(files.begin(), files.end(), "CMakeLists.txt") != files.end());
    for (const auto& file : files) {
        for (const auto& breach : breaches(file, text_of(root / file))) {
            FAIL_CHECK(breach);
        }
    }
}

// Goal: a core does not reach the system through another header either.
// Method: follow all its includes.
TEST_CASE("no header that a core includes includes the system", "[source]") {
    const std::filesystem::path root{MUSTER_SOURCE_DIR};
    std::vector<std::string> reached;
    for (const auto& file : files_of(root)) {
        if (is_core(file)) {
            reached.push_back('"' + file + '"');
        }
    }
    for (std::size_t at = 0; at < reached.size(); ++at) {
        const auto file = reached[at].substr(1, reached[at].size() - 2);
        for (const auto& header : included_in(text_of(root / file))) {
            if (begins_with_any(header, core_forbidden_headers)) {
                FAIL_CHECK(file + ", which a core includes, includes " + header);
            }
            if (header.starts_with('"') &&
                std::find(reached.begin(), reached.end(), header) == reached.end()) {
                reached.push_back(header);
            }
        }
    }
    CHECK(std::find(reached.begin(), reached.end(), "\"common/base/ids.hpp\"") != reached.end());
}

// Goal: the rules above are effective.
// Method: violate each, in a file where it applies and in one where it does not.
TEST_CASE("a core that includes a library or the system is found", "[source]") {
    for (const auto header : core_forbidden_headers) {
        const auto name = std::string{header} + (header.starts_with('<') ? "x>" : "x.hpp\"");
        const auto text = "#pragma once\n  #  include " + name + "\n";
        CAPTURE(text);
        CHECK_FALSE(breaches("coordinator/core/nodes/registry.hpp", text).empty());
        CHECK_FALSE(breaches("agent/core/agent.cpp", text).empty());
    }
    CHECK(breaches("coordinator/core/nodes/registry.hpp", "#include <vector>\n").empty());
    CHECK(breaches("coordinator/server.cpp", "#include <thread>\n").empty());
}

TEST_CASE("a core that reads time, chance or its environment is found", "[source]") {
    for (const auto word : core_forbidden_words) {
        const auto text = "const auto x = " + std::string{word} + "(1);\n";
        CAPTURE(text);
        CHECK(breaches("coordinator/core/planning/planner.cpp", text).size() == 1);
        CHECK(breaches("agent/core/agent.cpp", text).size() == 1);
        CHECK(breaches("agent/daemon.cpp", text).empty());
    }
}

TEST_CASE("a forbidden word in a comment, a literal or a longer word is not a violation",
          "[source]") {
    const auto* const core = "agent/core/agent.cpp";
    CHECK(breaches(core, "// counts double\n/* float\n */ int redouble = 1'000;\n").empty());
    CHECK(breaches(core, "auto a = \"double \\\" double\"; auto b = R\"(float)\";\n").empty());
    CHECK(breaches(core, "char c = '\"'; double d;\n").size() == 1);
    CHECK(breaches(core, "auto n = 1'000; double d = 1'000;\n").size() == 1);
}

TEST_CASE("coordinator and agent that include each other are found", "[source]") {
    CHECK(breaches("coordinator/main.cpp", "#include \"agent/core/agent.hpp\"\n").size() == 1);
    CHECK(breaches("agent/main.cpp", "#include \"coordinator/server.hpp\"\n").size() == 1);
    CHECK(breaches("sim/model/cluster.hpp", "#include \"agent/core/agent.hpp\"\n").empty());
}

TEST_CASE("ZeroMQ outside the net and msgpack outside the codec are found", "[source]") {
    CHECK(breaches("cli/client.cpp", "#include <zmq.hpp>\n").size() == 1);
    CHECK(breaches("tests/unit/common/net/net_test.cpp", "#include <zmq.h>\n").size() == 1);
    CHECK(breaches("common/net/loop.cpp", "#include <zmq.hpp>\n").empty());
    CHECK(breaches("common/net/router.cpp", "#include <msgpack.hpp>\n").size() == 1);
    CHECK(
        breaches("common/messages/message.hpp", "#include <msgpack/adaptor/define.hpp>\n").size() ==
        1);
    CHECK(breaches("common/codec/reader.cpp", "#include <msgpack.hpp>\n").empty());
}

// Goal: a reader of a folder finds a file by its name.
TEST_CASE("a handler of changes that reaches for durable rows is found", "[source][A33]") {
    const std::string text = "#include \"coordinator/core/ledger/ledger.hpp\"\n";
    CHECK_FALSE(breaches("coordinator/core/operators/key_handler.cpp", text).empty());
    CHECK_FALSE(breaches("coordinator/core/operators/pools/pool_handler.hpp", text).empty());
    CHECK(breaches("coordinator/core/operators/changes.cpp", text).empty());
    CHECK(breaches("coordinator/core/queries/facts.hpp", text).empty());
}

TEST_CASE("no folder has more files than a reader can survey", "[source]") {
    CHECK(full_folders(files_of(std::filesystem::path{MUSTER_SOURCE_DIR})) ==
          std::vector<std::string>{});
    std::vector<std::string> files(files_per_folder, "cli/a.cpp");
    CHECK(full_folders(files).empty());
    files.emplace_back("cli/b.hpp");
    CHECK(full_folders(files).size() == 1);
}

TEST_CASE("a file that grew too long is found", "[source]") {
    CHECK(breaches("cli/main.cpp", std::string(lines_per_file, '\n')).empty());
    CHECK(breaches("cli/main.cpp", std::string(lines_per_file + 1, '\n')).size() == 1);
}

}  // namespace muster::tree
