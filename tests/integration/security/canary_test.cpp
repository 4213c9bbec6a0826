#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/integration/support/keyed_cluster.hpp"

namespace muster::integration {
namespace {

namespace fs = std::filesystem;

const std::string secret_of_task = "canary-3f81d0c2-of-a-task";

std::string field_of(const std::string& path, const std::string& name) {
    const std::string text = text_of(path);
    const auto at = text.find(name + " = \"") + name.size() + 4;
    REQUIRE(at < text.size());
    return text.substr(at, text.find('"', at) - at);
}

std::string bytes_of(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

/// Secrets by what they are, and places by what they are; neither may meet.
class Search {
public:
    void secret(const std::string& name, const std::string& text) {
        REQUIRE(text.size() >= 20);
        secrets_[name] = text;
    }
    /// In hexadecimal digits, and as bytes.
    void key(const std::string& name, const std::string& hex) {
        REQUIRE(hex.size() == 64);
        secret(name, hex);
        secret(name + " as bytes", bytes_of(hex));
    }
    void look(const std::string& place, const std::string& text) {
        ++places_;
        for (const auto& [name, secret] : secrets_) {
            INFO(name << " in " << place);
            CHECK(text.find(secret) == std::string::npos);
        }
    }
    void look_below(const std::string& directory) {
        for (const auto& entry : fs::recursive_directory_iterator{directory}) {
            if (entry.is_regular_file()) {
                look(entry.path(), text_of(entry.path()));
            }
        }
    }
    [[nodiscard]] int places() const { return places_; }

private:
    std::map<std::string, std::string> secrets_;
    int places_ = 0;
};

}  // namespace

// Goal: no secret is where people, other processes or files for support could see it.
// Method: a cluster whose secrets are known, with logs of the lowest level, a recorder, a task with
// a secret and all kinds of errors; then look at everything that it says and leaves.
TEST_CASE("a secret is in no log, process, record, answer or bundle [A19]",
          "[integration][keys][secrets]") {
    const Directory host;
    const std::string secrets = host.path() + "/secrets";
    fs::create_directory(secrets);
    write_text(secrets + "/canary", secret_of_task);
    REQUIRE(chmod((secrets + "/canary").c_str(), 0600) == 0);
    KeyedCluster cluster{
        {},
        {.records = true,
         .agent_config = "log_level = \"trace\"\nsecrets_dir = \"" + secrets + "\"\n"}};
    Search search;
    search.secret("a task's secret", secret_of_task);
    search.key("the coordinator's key",
               field_of(cluster.key_directory() + "/coordinator.key", "secret"));
    const std::string of_cluster = text_of(cluster.key_directory() + "/cluster.key");
    search.key("the cluster's key", of_cluster.substr(of_cluster.find('\n') + 1, 64));
    search.key("the admin's key", field_of(cluster.admin_file(), "secret"));
    REQUIRE(cluster.muster_by_key({"log", "level", "trace"}).exit.code == 0);
    const auto words = cluster.join_words("n1");
    const auto open = cluster.join_words("n2");  // Stays unused.
    const auto fields_of = [](const std::string& token) {
        std::vector<std::string> fields{""};
        for (const char c : token) {
            if (c == '/') {
                fields.emplace_back();
            } else {
                fields.back().push_back(c);
            }
        }
        return fields;
    };
    const std::string server = cluster.server_key();
    int found = 0;
    for (const auto& token : {words.at(1), open.at(1)}) {
        for (const auto& field : fields_of(token)) {
            if (field.size() >= 32 && field != server) {
                search.secret("a token " + std::to_string(++found), field);
            }
        }
    }
    REQUIRE(found >= 2);
    auto wrong = words;
    wrong[1][wrong[1].rfind('/') - 1] ^= 1;
    const auto not_joined = cluster.join("n1", wrong);
    REQUIRE(not_joined.exit.code != 0);
    search.look("the error of a wrong token", not_joined.errors + not_joined.output);
    const auto joined = cluster.join("n1", words);
    REQUIRE(joined.exit.code == 0);
    search.look("the output of a join", joined.errors + joined.output);
    search.key("the agent's key", field_of(cluster.key_of("n1"), "secret"));
    cluster.start_agent("n1");
    REQUIRE(cluster.serving(1));
    auto task = cluster.task("web", 1);
    task["secrets"] = {"canary"};
    cluster.apply({task});
    REQUIRE(cluster.wait("web"));
    const auto tasks = cluster.pids("", 1);

    for (const auto& process : cluster.processes()) {
        const std::string proc = "/proc/" + std::to_string(process.pid);
        search.look(proc + "/cmdline", text_of(proc + "/cmdline"));
        search.look(proc + "/environ", text_of(proc + "/environ"));
    }
    for (const std::string verb : {"status",
                                   "stats",
                                   "node list",
                                   "node show n1",
                                   "task list",
                                   "task show web",
                                   "key list",
                                   "token list",
                                   "audit show",
                                   "audit verify",
                                   "explain web.0",
                                   "reported",
                                   "usage",
                                   "events",
                                   "logs web.0",
                                   "help",
                                   "limit list",
                                   "nonsense",
                                   "task show none",
                                   "key add x agent nonsense",
                                   "enrol n3 nonsense",
                                   "token create x nonsense"}) {
        const auto answer = ask_line(cluster.operators_socket(), verb);
        REQUIRE(answer);
        search.look("the answer to " + verb, answer->dump());
    }
    for (const std::string verb : {"status", "list", "nonsense"}) {
        search.look("the agent's answer", ask_line(cluster.agent_socket("n1"), verb)->dump());
    }
    for (const std::string page : {"/metrics", "/healthz", "/readyz", "/none"}) {
        RawConnection http{cluster.endpoints().http};
        REQUIRE(http.send("GET " + page + " HTTP/1.1\r\nHost: x\r\n\r\n"));
        std::string text;
        for (auto piece = http.receive(1 << 20); !piece.empty(); piece = http.receive(1 << 20)) {
            text += piece;
        }
        REQUIRE(text.starts_with("HTTP/1.1 "));
        search.look(page, text);
    }
    for (const std::vector<std::string>& command : {std::vector<std::string>{"doctor"},
                                                    {"context", "list"},
                                                    {"audit", "export"},
                                                    {"-o", "json", "status"}}) {
        const auto done = cluster.muster_by_key(command);
        search.look("muster " + command.back(), done.output + done.errors);
    }
    const std::string bundle = cluster.directory() + "/support.tgz";
    const auto bundled = cluster.muster_by_key({"bundle", "-o", bundle});
    INFO(bundled.errors);
    REQUIRE(bundled.exit.code == 0);
    fs::create_directory(cluster.directory() + "/bundle");
    REQUIRE(run(cluster.directory(),
                {"/bin/tar", "-xzf", bundle, "-C", cluster.directory() + "/bundle"})
                .exit.code == 0);
    REQUIRE_FALSE(fs::is_empty(cluster.directory() + "/bundle"));
    search.look_below(cluster.directory() + "/bundle");
    search.look("the store", text_of(cluster.store_file()));
    search.look("the store's journal", text_of(cluster.store_file() + "-wal"));
    cluster.agent("n1").signal(SIGKILL);
    cluster.kill_coordinator();
    search.look_below(cluster.directory() + "/record");
    search.look("the coordinator's log", cluster.log_of("coordinator"));
    search.look("the agent's log", cluster.log_of("n1"));
    CHECK(search.places() > 45);
    CHECK(tasks.size() == 1);
}

// Goal: neither a crash of a daemon nor of the command leaves its memory on the disk.
// Method: abort each where any other program leaves a core.
TEST_CASE("no core is written of a process that has keys [A19]", "[integration][keys][secrets]") {
    KeyedCluster cluster{{}};
    static_cast<void>(cluster.enrolled("n1"));
    const std::string place = cluster.directory() + "/crash";
    fs::create_directory(place);
    const auto core_of = [&](const std::string& name, const std::string& text,
                             const std::vector<std::string>& argv) {
        std::vector<std::string> words{place + "/" + name, text};
        words.insert(words.end(), argv.begin(), argv.end());
        const auto outcome = lines_of(run(cluster.directory(), hostile("core_of.py", words),
                                          {"XDG_CONFIG_HOME=" + cluster.contexts()}))
                                 .at(0);
        INFO(name << ": " << outcome.dump() << text_of(place + "/" + name));
        CHECK(outcome.at("signal") == SIGABRT);
        return outcome.at("core").get<bool>();
    };
    if (!core_of("other", "ready", {"/bin/sh", "-c", "echo ready; exec sleep 60"})) {
        WARN("this host writes no cores at all, so the test shows nothing");
    }
    CHECK_FALSE(core_of("agent", "welcomed", cluster.agent_command("n1").argv));
    CHECK_FALSE(core_of("muster", "leader.elected",
                        {program("muster"), "events", "--follow", "--since", "10m"}));
    cluster.kill_coordinator();
    CHECK_FALSE(core_of("coordinator", "leading", cluster.coordinator_command().argv));
}

}  // namespace muster::integration
