// What operators do with a whole store: the real programs, on a file and on a real etcd.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"
#include "coordinator/store/tools/export_text.hpp"
#include "tests/integration/support/etcd_client_of.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"
#include "tests/integration/support/keyed_cluster.hpp"

using namespace muster;
using namespace muster::integration;

namespace {

const std::string moved_prefix = "/muster/moved";

/// A cluster with keys, whose coordinator runs with one of two configurations.
class MovingCluster : public KeyedCluster {
public:
    explicit MovingCluster(const EtcdServers& servers) {
        write_text(with_etcd(),
                   text_of(with_file()) + EtcdServers::section(moved_prefix, servers.endpoints(),
                                                               EtcdServers::long_lease()));
    }
    [[nodiscard]] std::string with_file() const { return directory() + "/coordinator.toml"; }
    [[nodiscard]] std::string with_etcd() const { return directory() + "/etcd.toml"; }

    void stop() {
        if (own_) {
            own_->signal(SIGTERM);
            REQUIRE(own_->wait(soon()) == Exit{.code = 0});
            own_.reset();
        } else {
            coordinator().signal(SIGTERM);
            REQUIRE(coordinator().wait(soon()) == Exit{.code = 0});
        }
    }
    [[nodiscard]] Command command(const std::string& config) const {
        Command command = coordinator_command();
        std::ranges::replace(command.argv, with_file(), config);
        command.errors = directory() + "/own.log";
        return command;
    }
    void start(const std::string& config) {
        own_ = start_ready(directory(), command(config));
        CHECK(until([&] {
            return text_of(directory() + "/own.log").find("leading cluster=") != std::string::npos;
        }));
        CHECK(serving(1));
    }
    Finished store(std::vector<std::string> words, const std::string& config) const {
        words.insert(words.begin(), {program("muster"), "store"});
        words.insert(words.end(), {"--config", config});
        return run(directory(), words);
    }
    std::string done(const std::vector<std::string>& words, const std::string& config) const {
        const auto finished = store(words, config);
        INFO(finished.output << finished.errors);
        REQUIRE(finished.exit == Exit{.code = 0});
        return finished.output;
    }
    std::string refused(const std::vector<std::string>& words, const std::string& config) const {
        const auto finished = store(words, config);
        INFO(finished.output << finished.errors);
        CHECK(finished.exit == Exit{.code = 6});
        return finished.errors;
    }
    std::string asked(const std::vector<std::string>& words) const {
        const auto finished = muster_by_key(words);
        INFO(finished.output << finished.errors);
        REQUIRE(finished.exit == Exit{.code = 0});
        return finished.output;
    }

private:
    std::unique_ptr<Process> own_;
};

/// The lines of all rows but those that each leadership changes.
std::vector<std::string> lasting_rows(const std::string& text) {
    std::vector<std::string> rows;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at) + 1;
        const std::string line = text.substr(at, end - at);
        if (line.starts_with("{\"table\"") && !line.starts_with("{\"table\":\"meta\"") &&
            !line.starts_with("{\"table\":\"audit_head\"")) {
            rows.push_back(line);
        }
        at = end;
    }
    std::ranges::sort(rows);
    return rows;
}

/// The only row that is new after a move, while no other is gone: that of the audit.
void check_moved(const std::string& before, const std::string& after) {
    const auto old = lasting_rows(before);
    const auto moved = lasting_rows(after);
    std::vector<std::string> lost;
    std::vector<std::string> added;
    std::ranges::set_difference(old, moved, std::back_inserter(lost));
    std::ranges::set_difference(moved, old, std::back_inserter(added));
    CHECK(lost.empty());
    REQUIRE(added.size() == 1);
    CHECK_THAT(added.front(), Catch::Contains("\"action\":\"store migrate\""));
}

}  // namespace

// Goal: a cluster moves from a file to etcd and back, and nothing of it is lost or restarted.
// Method: rows of most kinds; the rows as text before and after; what the programs say of them.
TEST_CASE("a cluster moves to etcd and back, and loses nothing", "[integration][etcd][tools]") {
    const EtcdServers servers;
    MovingCluster cluster{servers};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("web", 1);
    write_text(cluster.directory() + "/value", "s3cr3t");
    cluster.asked({"secret", "set", "db", "--file", cluster.directory() + "/value"});
    cluster.asked({"key", "add", "ann", "operator", std::string(64, 'a')});
    cluster.asked({"limit", "set", "moves_per_round", "7"});
    cluster.asked({"node", "add", "n9", "--reason", "new"});
    cluster.asked({"token", "create", "--node", "web-*"});
    const std::string while_it_runs = cluster.done({"export"}, cluster.with_file());
    CHECK_THAT(while_it_runs, Catch::Contains("\"table\":\"secrets\"") &&
                                  Catch::Contains("\"table\":\"intents\"") &&
                                  Catch::Contains("\"table\":\"tokens\"") &&
                                  Catch::Contains("\"table\":\"requests\"") &&
                                  !Catch::Contains("s3cr3t"));
    CHECK_THAT(cluster.refused({"migrate", "--to", "etcd"}, cluster.with_etcd()),
               Catch::Contains("stop all coordinators first"));
    cluster.stop();
    const std::string before = cluster.done({"export"}, cluster.with_file());
    CHECK_THAT(cluster.refused({"migrate", "--to", "etcd"}, cluster.with_file()),
               Catch::Contains("write [etcd] with endpoints into the configuration"));
    CHECK_THAT(cluster.done({"migrate", "--to", "etcd", "--dry-run"}, cluster.with_etcd()),
               Catch::StartsWith("would move "));
    CHECK(cluster.store({"check"}, cluster.with_etcd()).exit == Exit{.code = 1});
    CHECK_THAT(cluster.done({"migrate", "--to", "etcd"}, cluster.with_etcd()),
               Catch::StartsWith("moved ") && Catch::Contains("start the coordinators"));
    check_moved(before, cluster.done({"export"}, cluster.with_etcd()));
    CHECK_THAT(cluster.done({"check"}, cluster.with_etcd()),
               Catch::Contains("is ok: ") && Catch::Contains("rows is whole"));

    const auto old = run(cluster.directory(), cluster.command(cluster.with_file()).argv);
    CHECK(old.exit == Exit{.code = 1});
    CHECK_THAT(old.errors, Catch::Contains("was moved to etcd"));
    cluster.start(cluster.with_etcd());
    CHECK(cluster.status().at("epoch") == 3);  // 1 led, 2 moved.
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 1) == running);
    CHECK_THAT(cluster.asked({"audit", "verify"}), Catch::StartsWith("the audit is whole"));
    CHECK_THAT(cluster.asked({"key", "list"}), Catch::Contains("ann"));
    CHECK_THAT(cluster.asked({"secret", "list"}), Catch::Contains("db"));
    CHECK_THAT(cluster.refused({"migrate", "--to", "sqlite"}, cluster.with_etcd()),
               Catch::Contains("a coordinator leads with the store below"));
    const std::string backup = cluster.directory() + "/backup";
    cluster.done({"backup", backup}, cluster.with_etcd());
    CHECK_THAT(cluster.refused({"import", backup}, cluster.with_etcd()),
               Catch::Contains("there is a store below " + moved_prefix));
    CHECK_THAT(cluster.done({"check"}, cluster.with_etcd()), Catch::Contains(" leads\n"));

    cluster.stop();
    const std::string in_etcd = cluster.done({"export"}, cluster.with_etcd());
    CHECK_THAT(cluster.done({"migrate", "--to", "sqlite"}, cluster.with_etcd()),
               Catch::Contains("take [etcd] out of the configuration"));
    check_moved(in_etcd, cluster.done({"export"}, cluster.with_file()));
    const std::string log = cluster.directory() + "/late.log";
    Command late = cluster.command(cluster.with_etcd());
    late.errors = log;
    Process second{late};
    CHECK(second.wait(soon()) == Exit{.code = 1});
    CHECK_THAT(text_of(log), Catch::Contains("is not used any more: all was moved to"));
    CHECK_THAT(cluster.refused({"migrate", "--to", "etcd"}, cluster.with_etcd()),
               Catch::Contains("choose another prefix"));
    cluster.start(cluster.with_file());
    CHECK(cluster.status().at("epoch") == 5);
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 1) == running);
    CHECK_THAT(cluster.asked({"audit", "verify"}), Catch::StartsWith("the audit is whole"));
    cluster.stop();
}

namespace {

/// An export of large tasks.
std::string export_of_tasks(int count) {
    auto mirror = coordinator::Mirror::open("a test", ClusterId{1, 2});
    REQUIRE(mirror);
    REQUIRE((*mirror)->apply(coordinator::Write{
        coordinator::Meta{ClusterId{1, 2}, Epoch{3}, LeaderId{3, 4}, Generation{1}, CivilMs{1}}}));
    for (int at = 0; at < count; ++at) {
        coordinator::StoredTask task;
        task.wanted.name = "t" + std::to_string(at);
        task.wanted.spec.argv = {"/bin/true", std::string(9'000, 'x')};
        task.generation = task.created = Generation{1};
        REQUIRE(
            (*mirror)->apply(coordinator::Write{Shared<coordinator::StoredTask>{std::move(task)}}));
    }
    return export_of(**mirror)->text;
}

}  // namespace

// Goal: an import that is killed leaves an empty store or a whole one. Method: kill the program at
// several moments, each seen in etcd or in the directory; what is there is read, and if it is
// nothing, the same import is made again.
TEST_CASE("an import that is killed leaves nothing, or all", "[integration][etcd][tools][S1]") {
    const EtcdServers servers;
    const Directory directory;
    const std::string file = directory.path() + "/store.jsonl";
    const std::string text = export_of_tasks(300);
    write_text(file, text);
    const auto client = client_of(servers);
    int whole = 0;
    // So many keys in etcd, or none and a file in part.
    for (const std::size_t moment : {0U, 1U, 5U, 60U}) {
        CAPTURE(moment);
        const std::string name = "k" + std::to_string(moment);
        const std::string config = directory.path() + '/' + name + ".toml";
        const std::string state = directory.path() + '/' + name;
        write_text(config, "state_dir = \"" + state + "\"\n" +
                               (moment > 0 ? EtcdServers::section("/" + name, servers.endpoints(),
                                                                  paces(50))
                                           : ""));
        const auto store = [&](std::vector<std::string> words) {
            words.insert(words.begin(), {program("muster"), "store"});
            words.insert(words.end(), {"--config", config});
            return run(directory.path(), words);
        };
        const Command command{
            .argv = {program("muster"), "store", "import", file, "--config", config},
            .errors = directory.path() + "/errors"};
        auto import = std::make_unique<Process>(command);
        const bool is_in_part = until([&] {
            if (moment == 0) {
                return std::filesystem::exists(state + "/coordinator/store.sqlite.part");
            }
            if (!import->running()) {  // Under load its lease may end before etcd has answered.
                import = std::make_unique<Process>(command);
            }
            const auto found =
                client->read("/" + name + "/", coordinator::etcd::end_of("/" + name + "/"));
            return found && found->pairs.size() >= moment;
        });
        INFO(text_of(directory.path() + "/errors"));
        REQUIRE(is_in_part);
        import->signal(SIGKILL);
        REQUIRE(import->wait(soon()));
        const auto checked = store({"check"});
        INFO(checked.output << checked.errors);
        const bool is_whole = checked.exit == Exit{.code = 0};
        whole += is_whole ? 1 : 0;
        if (!is_whole) {
            REQUIRE(checked.exit == Exit{.code = 1});
            CHECK_THAT(checked.errors, Catch::Contains("there is no store"));
            // The lease of the killed one ends by itself.
            CHECK(until([&] { return store({"import", file}).exit == Exit{.code = 0}; }));
        }
        CHECK(lasting_rows(store({"export"}).output) == lasting_rows(text));
    }
    CHECK(whole > 0);
}

// Method: each fault below a prefix of its own.
TEST_CASE("a check names what is wrong with a store in etcd", "[integration][etcd][tools]") {
    const EtcdServers servers;
    const Directory directory;
    write_text(directory.path() + "/store.jsonl", export_of_tasks(3));
    const auto client = client_of(servers);
    const auto store = [&](const std::string& below, std::vector<std::string> words) {
        const std::string config = directory.path() + "/c.toml";
        write_text(config,
                   "state_dir = \"" + directory.path() + "/state\"\n" +
                       EtcdServers::section(below, servers.endpoints(), EtcdServers::long_lease()));
        words.insert(words.begin(), {program("muster"), "store"});
        words.insert(words.end(), {"--config", config});
        return run(directory.path(), words);
    };
    CHECK(store("/none", {"check"}).errors ==
          "muster-coordinator store: there is no store below /none in etcd\n");
    const auto fault = [&](const std::string& below, const std::string& key,
                           const std::string& value) {
        REQUIRE(store(below, {"import", directory.path() + "/store.jsonl"}).exit.code == 0);
        REQUIRE(store(below, {"check"}).exit == Exit{.code = 0});
        REQUIRE(client->commit(
            {.conditions = {}, .operations = {coordinator::etcd::Put{below + key, value, {}}}}));
        const auto found = store(below, {"check"});
        INFO(found.output << found.errors);
        CHECK(found.exit == Exit{.code = 3});
        CHECK_THAT(found.output,
                   Catch::StartsWith("the store below " + below + " in etcd: 1 fault\n"));
        return found.output;
    };
    CHECK_THAT(fault("/a", "/parts/1-1/whole", "7"),
               Catch::Contains("a part of a change, which is damaged"));
    CHECK_THAT(fault("/b", "/rows/nodes/n1/000000", "{"),
               Catch::Contains("a row of nodes that cannot be read"));
    CHECK_THAT(fault("/c", "/rows/settings/who/000000", R"({"name":"who","value":"1"})"),
               Catch::Contains("table settings, row 'who': there is no such setting"));
    CHECK_THAT(fault("/d", "/rows/tasks/x", ""), Catch::Contains("which muster never wrote"));
    CHECK_THAT(fault("/e", "/schema", "99"), Catch::Contains("by a newer muster (schema 99"));
    const auto part_fault = [&](const std::string& below, const std::string& operation) {
        REQUIRE(store(below, {"import", directory.path() + "/store.jsonl"}).exit.code == 0);
        REQUIRE(client->commit(
            {.conditions = {},
             .operations = {coordinator::etcd::Put{below + "/parts/9/whole", "1", {}}}}));
        REQUIRE(client->commit(
            {.conditions = {},
             .operations = {coordinator::etcd::Put{below + "/parts/9/000000", operation, {}}}}));
        return store(below, {"check"}).output;
    };
    CHECK_THAT(part_fault("/f", R"([{"delete":"/f/rows/z/1","end":"/f/rows/a/1"}])"),
               Catch::Contains("a part of a change, which is damaged"));
    CHECK_THAT(part_fault("/g", R"([{"put":"/g","value":"x"}])"),
               Catch::Contains("a part of a change, which is damaged"));
    write_text(directory.path() + "/far.toml", "[etcd]\nendpoints = [\"127.0.0.1:1\"]\n");
    const auto found = run(directory.path(), {program("muster"), "store", "check", "--config",
                                              directory.path() + "/far.toml"});
    CHECK(found.exit == Exit{.code = 1});
    CHECK_THAT(found.errors, Catch::Contains("etcd at 127.0.0.1:1 did not read"));
}
