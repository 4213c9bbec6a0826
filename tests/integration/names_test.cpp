#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/support/keyed_cluster.hpp"

namespace muster::integration {
namespace {

namespace fs = std::filesystem;

/// What a path could be made of.
const std::vector<std::string> traversals{
    "../evil",  "..",      ".",         "/etc/evil",   "/tmp/evil",     "a/../../evil", "a/b",
    "..\\evil", "a\\b",    "evil\n",    "evil\r\nx",   "%2e%2e%2fevil", "..%2fevil",    "~evil",
    "$(evil)",  "`evil`",  "evil;evil", "a..b",        "..evil",        "-evil",        ".evil",
    "Evil",     "evil ",   " evil",     "\u2025/evil", "e\u0301vil",    "ev\u202eil",   "*/evil",
    "${HOME}",  "\\u0000", "evil|evil", "evil&",       "evil>evil",     "con:evil",     "\xff\xfe"};

std::set<std::string> files_below(const std::string& directory) {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator{directory}) {
        found.insert(entry.path().lexically_relative(directory));
    }
    return found;
}

/// Nothing of this test is anywhere but where it belongs.
bool is_traversed(const std::string& directory) {
    for (const std::string place : {"/etc/evil", "/tmp/evil", "/evil"}) {
        if (fs::exists(place)) {
            return true;
        }
    }
    const auto all = files_below(directory);
    return std::any_of(all.begin(), all.end(), [](const std::string& path) {
        return fs::path{path}.filename().string().find("evil") != std::string::npos;
    });
}

}  // namespace

// Goal: no name in any message or argument becomes a path that leaves its directory.
// Method: every field that is a name or a pattern, of every verb as docs/reference/protocol.md
// lists them, and of every message of agents, with each text of a corpus; the same as arguments of
// the programs. Each is refused with a sentence, and no file appears.
TEST_CASE("no name leads out of a directory [A17]", "[integration][keys][hostile]") {
    KeyedCluster cluster;
    const auto& at = cluster.endpoints();
    const std::string rogue = cluster.enrolled("rogue");
    write_text(cluster.directory() + "/corpus.json",
               Json(traversals).dump(-1, ' ', true, Json::error_handler_t::replace));
    const auto outcome = lines_of(
        run(cluster.directory(),
            hostile("traversals.py",
                    {std::string{MUSTER_SOURCE_DIR} + "/docs/reference/protocol.md",
                     cluster.directory() + "/corpus.json", cluster.server_key(), at.operators,
                     cluster.admin_file(), at.agents, rogue, cluster.agent_socket("n1")})));
    for (const auto& one : outcome) {
        INFO(one.dump());
        CHECK(one.at("sent") > 0);
        CHECK(one.at("accepted").empty());
    }
    CHECK(outcome.size() > 40);
    CHECK_FALSE(is_traversed(cluster.directory()));
    CHECK(cluster.serving(1));
}

// Goal: the same for what a person or a file gives to a program.
TEST_CASE("no argument of a program leads out of a directory [A17]", "[integration][keys]") {
    KeyedCluster cluster{{}};
    const std::string token = cluster.join_words("*").at(1);
    const std::string state = cluster.directory() + "/elsewhere/state";
    for (const auto& name : {traversals[0], traversals[1], traversals[3], traversals[5],
                             traversals[9], traversals[13], traversals[15], traversals[17]}) {
        INFO(name);
        const auto refused = [&](const Finished& done) {
            INFO(done.output << done.errors);
            CHECK(done.exit.code > 0);
            CHECK_FALSE(done.errors.empty());
            CHECK(done.errors.find("Traceback") == std::string::npos);
        };
        const std::vector<std::string> places{"--state-dir", state, "--run-dir",
                                              cluster.directory() + "/elsewhere/run"};
        const auto agent = [&](std::vector<std::string> words) {
            words.insert(words.begin(), program("muster-agent"));
            words.insert(words.end(), places.begin(), places.end());
            return run(cluster.directory(), words);
        };
        refused(agent({"join", token, "--only-join", "--name", name}));
        refused(agent({"--coordinator", "tcp://127.0.0.1:1", "--name", name}));
        refused(agent({"stop-all", "--name", name}));
        refused(cluster.muster_by_key({"context", "add", name, "-c", cluster.endpoints().operators,
                                       "--coordinator-key", cluster.server_key()}));
        refused(cluster.muster_by_key({"context", "use", name}));
        refused(cluster.muster_by_key({"--context", name, "status"}));
        refused(cluster.muster_by_key({"task", "add", name, "--", "/bin/true"}));
        refused(cluster.muster_by_key({"logs", name + ".0"}));
    }
    CHECK_FALSE(is_traversed(cluster.directory()));
}

}  // namespace muster::integration
