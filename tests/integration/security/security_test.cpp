#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/stat.h>

#include "tests/catch.hpp"

#include "common/crypto/key.hpp"
#include "tests/integration/support/cluster.hpp"
#include "tests/integration/support/harness.hpp"
#include "tests/integration/support/keyed_cluster.hpp"

using namespace muster;
using namespace muster::integration;

namespace {

bool is_answered(const Json& outcome) { return outcome.contains("answer"); }

}  // namespace

// Goal: nothing but an admitted key, proved by CURVE, gets an answer on any endpoint.
// Method: peers in Python with NULL, PLAIN, and CURVE with a random key; and the admin's key, which
// shows that the same peer is answered when it may be.
TEST_CASE("a stranger gets no answer on any endpoint [A2][A9]", "[integration][keys]") {
    const KeyedCluster cluster;
    const auto& at = cluster.endpoints();
    const std::string status = R"({"verb": "status"})";
    for (const auto& endpoint : {at.agents, at.operators, at.events, at.enrolment}) {
        INFO(endpoint);
        for (const auto* const mechanism : {"null", "plain"}) {
            INFO(mechanism);
            CHECK_FALSE(is_answered(answer_to_stranger(cluster, {endpoint, mechanism, status})));
        }
        CHECK_FALSE(is_answered(cluster.curve(endpoint, "", status)));
    }
    CHECK(is_answered(cluster.curve(at.operators, cluster.admin_file(), status)));
    CHECK(is_answered(cluster.curve(at.agents, cluster.key_of("n1"), status)));
}

// Goal: a key opens the endpoint of its role only.
// Method: an agent's key at the operators' endpoint, an admin's key at the agents'.
TEST_CASE("an agent's key commands nothing, and an operator's key is no agent [A7]",
          "[integration][keys]") {
    const KeyedCluster cluster;
    const auto& at = cluster.endpoints();
    CHECK_FALSE(
        is_answered(cluster.curve(at.operators, cluster.key_of("n1"), R"({"verb": "freeze on"})")));
    CHECK_FALSE(is_answered(cluster.curve(at.agents, cluster.admin_file(), hello_of("n1"))));
    CHECK(cluster.status().at("freeze").at("on") == false);
}

// Goal: an agent that is admitted cannot take another's name, neither in use nor before its owner
// comes.
// Method: the key of n1 says hello as n2, which runs, and as n3, whose key is admitted and whose
// agent never ran.
TEST_CASE("an agent cannot take another's name [A4][A5]", "[integration][keys]") {
    KeyedCluster cluster{{"n1", "n2"}};
    REQUIRE(cluster.join("n3", cluster.join_words("n3")).exit == Exit{.code = 0});
    for (const std::string name : {"n2", "n3"}) {
        const auto outcome =
            cluster.curve(cluster.endpoints().agents, cluster.key_of("n1"), hello_of(name));
        REQUIRE(is_answered(outcome));
        const std::string answer = outcome.at("answer");
        CHECK(answer.find("\"denied\"") != std::string::npos);
        CHECK(answer.find("the key belongs to n1") != std::string::npos);
    }
    const std::string log = cluster.log_of("coordinator");
    CHECK(log.find("agent refused code=denied reason=\"the key belongs to n1") !=
          std::string::npos);
    CHECK(cluster.serving(2));
    cluster.start_agent("n3");
    CHECK(cluster.serving(3));
}

// Goal: a copy of an agent's directory on another host takes nothing from the agent.
// Method: run a second agent with the copied keys while the first one runs.
TEST_CASE("a cloned agent is refused while the agent runs [A6]", "[integration][keys]") {
    KeyedCluster cluster;
    const std::string clone = cluster.directory() + "/clone";
    std::filesystem::create_directories(clone + "/agents");
    std::filesystem::copy(cluster.agent_state("n1"), clone + "/agents/n1",
                          std::filesystem::copy_options::recursive);
    const std::string log = cluster.directory() + "/clone.log";
    Process second{{.argv = {program("muster-agent"), "--name", "n1", "--state-dir", clone,
                             "--run-dir", cluster.directory() + "/clone-run"},
                    .output = log,
                    .errors = log}};
    CHECK(until(
        [&] { return text_of(log).find("refused by the coordinator") != std::string::npos; }));
    CHECK(text_of(log).find("name_in_use") != std::string::npos);
    CHECK(cluster.agent("n1").running());
    CHECK(cluster.serving(1));
    second.signal(SIGTERM);
    CHECK(second.wait(soon()) == Exit{.code = 0});
}

// Goal: a token outlives the coordinator that is named first. Method: nobody listens at the first
// of two advertised hosts.
TEST_CASE("a host joins while the first of several coordinators is dead", "[integration][keys]") {
    KeyedCluster cluster{std::vector<std::string>{}};
    cluster.kill_coordinator();
    Command command = cluster.coordinator_command();
    const std::string& agents = cluster.endpoints().agents;
    const std::size_t port = agents.rfind(':');
    const std::size_t scheme = std::string{"tcp://"}.size();
    command.argv.insert(command.argv.end(),
                        {"--advertise", "127.0.0.2," + agents.substr(scheme, port - scheme)});
    const auto coordinator = start_ready(cluster.directory(), command);
    const auto joined = cluster.join("n1", cluster.join_words("n1"));
    INFO(joined.errors);
    REQUIRE(joined.exit == Exit{.code = 0});
    const std::string known = text_of(cluster.agent_state("n1") + "/cluster");
    CHECK(known.find("\"tcp://127.0.0.2" + agents.substr(port) + "," + agents + "\"") !=
          std::string::npos);
    cluster.start_agent("n1");
    CHECK(cluster.serving(1));
}

// Goal: an agent obeys only the coordinator whose key it got when it joined.
// Method: change that key in its file; start it.
TEST_CASE("an agent does not follow a coordinator with another key [A10]", "[integration][keys]") {
    KeyedCluster cluster{{}};
    REQUIRE(cluster.join("n1", cluster.join_words("n1")).exit == Exit{.code = 0});
    const std::string file = cluster.agent_state("n1") + "/cluster";
    std::string text = text_of(file);
    const std::string own = public_key(cluster.key_of("n1"));
    text.replace(text.find(cluster.server_key()), own.size(), own);
    write_text(file, "");
    std::ofstream{file, std::ios::trunc} << text;
    cluster.start_agent("n1");
    CHECK(until(
        [&] { return cluster.log_of("n1").find("does not prove the key") != std::string::npos; }));
    CHECK(cluster.log_of("n1").find("join again with a new token") != std::string::npos);
    CHECK(cluster.status().at("nodes") == 0);
}

// Goal: a revoked key is cut off at once, and says so on both sides.
// Method: revoke the key of a running agent and of an operator.
TEST_CASE("a key that is revoked in use is cut off [A11]", "[integration][keys]") {
    KeyedCluster cluster;
    const std::string mine = cluster.directory() + "/ann";
    const auto added =
        cluster.muster_by_key(mine, {"context", "add", "prod", "-c", cluster.endpoints().operators,
                                     "--coordinator-key", cluster.server_key(), "-o", "json"});
    REQUIRE(added.exit == Exit{.code = 0});
    const std::string key = Json::parse(added.output).at("key");
    const auto before = cluster.muster_by_key(mine, {"status"});
    CHECK(before.exit == Exit{.code = 6});
    CHECK(before.errors.find("does not admit the key") != std::string::npos);
    const std::string refused =
        "connection refused, because its key is not admitted "
        "endpoint=operators address=127.0.0.1 key=" +
        fingerprint(parse_public_key(key).value());
    CHECK(until([&] { return cluster.log_of("coordinator").find(refused) != std::string::npos; }));
    REQUIRE(cluster.muster_by_key({"key", "add", "ann", "operator", key}).exit == Exit{.code = 0});
    CHECK(cluster.muster_by_key(mine, {"task", "add", "t", "--", "/bin/sleep", "1000"}).exit ==
          Exit{.code = 0});
    const auto admins = cluster.muster_by_key(mine, {"token", "create"});
    CHECK(admins.exit == Exit{.code = 6});
    CHECK(admins.errors.find("needs the role admin, and ann is an operator") != std::string::npos);
    REQUIRE(cluster.muster_by_key({"key", "revoke", "ann"}).exit == Exit{.code = 0});
    CHECK(cluster.muster_by_key(mine, {"task", "remove", "t", "--yes"}).exit == Exit{.code = 6});
    REQUIRE(until([&] { return cluster.tasks("t").size() == 1; }));
    REQUIRE(cluster.muster_by_key({"key", "revoke", "n1"}).exit == Exit{.code = 0});
    CHECK(until([&] { return cluster.log_of("n1").find("code=denied") != std::string::npos; }));
    CHECK(until([&] { return cluster.node("n1").at("health") == "lost"; }));
    CHECK(cluster.tasks("t").size() == 1);  // It keeps its task: silence is no order.
}

// Goal: events reach those who may read them, on the wire, and no one else.
// Method: subscribers in Python under CURVE, limited and unlimited, to all topics and to single
// ones; tasks inside and outside of the scope; then a revocation. A later event of its own shows to
// each subscriber that it got all that was sent to it before.
TEST_CASE("a subscriber gets the events of its scope, and none once its key is revoked",
          "[integration][keys][events]") {
    KeyedCluster cluster;
    const auto person = [&](const std::string& name, std::vector<std::string> limits) {
        const std::string home = cluster.directory() + "/" + name;
        const auto added = cluster.muster_by_key(
            home, {"context", "add", "prod", "-c", cluster.endpoints().operators,
                   "--coordinator-key", cluster.server_key(), "-o", "json"});
        REQUIRE(added.exit == Exit{.code = 0});
        std::vector<std::string> words{"key", "add", name, "operator",
                                       Json::parse(added.output).at("key")};
        words.insert(words.end(), limits.begin(), limits.end());
        REQUIRE(cluster.muster_by_key(words).exit == Exit{.code = 0});
        return home + "/muster/contexts/prod";
    };
    const std::string ann = person("ann", {"--task", "web*"});
    const std::string bob = person("bob", {});
    const auto listen = [&](const std::string& log, const std::string& keys,
                            const std::vector<std::string>& topics) {
        std::vector<std::string> argv{
            "/usr/bin/python3",
            std::string{MUSTER_SOURCE_DIR} + "/tests/integration/support/listen.py",
            cluster.endpoints().events, cluster.server_key(), keys};
        argv.insert(argv.end(), topics.begin(), topics.end());
        return std::make_unique<Process>(
            Command{.argv = argv, .output = log, .errors = log + ".errors"});
    };
    const std::string at = cluster.directory() + "/events-";
    const auto all_of_ann = listen(at + "ann", ann, {});
    const auto tasks_of_ann = listen(at + "ann-tasks", ann, {"@ann/task."});
    const auto others_of_ann =
        listen(at + "ann-others", ann, {"task.", "@bob/", "@", "node.", "@ann/task.removed"});
    const auto all_of_bob = listen(at + "bob", bob, {});
    const auto tasks_of_bob = listen(at + "bob-tasks", bob, {"task.", "@ann/"});
    const auto has = [&](const std::string& log, const std::string& text) {
        return text_of(at + log).find(text) != std::string::npos;
    };
    int tries = 0;
    // Tasks of this name are added until each of these subscribers has got one.
    const auto reach = [&](const std::string& name, const std::vector<std::string>& logs) {
        return until([&] {
            cluster.apply({cluster.task(name + std::to_string(tries++), 0)});
            return std::ranges::all_of(logs,
                                       [&](const std::string& log) { return has(log, name); });
        });
    };
    REQUIRE(reach("web-first", {"ann", "ann-tasks", "bob", "bob-tasks"}));
    cluster.apply({cluster.task("secret", 1)});
    REQUIRE(cluster.wait("secret"));
    REQUIRE(reach("web-last", {"ann", "ann-tasks", "bob", "bob-tasks"}));
    CHECK(has("ann", "@ann/task.added {"));
    for (const auto* const log : {"ann", "ann-tasks"}) {
        INFO(log);
        for (const auto* const hidden : {"secret", "round.closed", "node.", "\n@bob", "\ntask."}) {
            CHECK_FALSE(has(log, hidden));
        }
    }
    // What came before this one, came before it there, too.
    const auto others = [&] {
        cluster.apply({cluster.task("web-gone" + std::to_string(tries), 0)});
        cluster.ask({{"verb", "task remove"}, {"pattern", "web-gone" + std::to_string(tries++)}});
        return has("ann-others", "web-gone");
    };
    REQUIRE(until(others));
    CHECK(text_of(at + "ann-others").starts_with("listening\n@ann/task.removed {"));
    for (const auto* const hidden : {"secret", "task.added", "node."}) {
        INFO(hidden);
        CHECK_FALSE(has("ann-others", hidden));
    }
    CHECK(has("bob", "instance.start"));
    CHECK(has("bob", "secret"));
    CHECK(until([&] { return has("bob", "round.closed"); }));
    CHECK(has("bob-tasks", "secret"));
    CHECK_FALSE(has("bob", "@ann"));
    CHECK_FALSE(has("bob-tasks", "@ann"));

    REQUIRE(cluster.muster_by_key({"key", "revoke", "bob"}).exit == Exit{.code = 0});
    REQUIRE(reach("web-after", {"ann", "ann-tasks"}));  // They reconnect.
    CHECK_FALSE(has("bob", "web-after"));
    CHECK_FALSE(has("bob-tasks", "web-after"));
    // Another scope holds for a subscriber that stays.
    REQUIRE(
        cluster.muster_by_key({"key", "add", "ann", "operator", public_key(ann), "--task", "job*"})
            .exit == Exit{.code = 0});
    REQUIRE(reach("job-new", {"ann", "ann-tasks"}));
    cluster.apply({cluster.task("web-hidden", 0)});
    REQUIRE(reach("job-last", {"ann", "ann-tasks"}));
    CHECK_FALSE(has("ann", "web-hidden"));
}

// Goal: a token is good for one host of its name, and every misuse gets a sentence.
TEST_CASE("a token that is wrong in any way admits nobody [A13]", "[integration][keys]") {
    KeyedCluster cluster{{}};
    const auto refused = [&](const std::string& name, const std::vector<std::string>& words,
                             const std::string& sentence) {
        const auto done = cluster.join(name, words);
        INFO(done.errors);
        CHECK(done.exit.code != 0);
        CHECK(done.errors.find(sentence) != std::string::npos);
        CHECK(std::count(done.errors.begin(), done.errors.end(), '\n') == 1);
    };
    refused("n1", {"join", "nonsense"}, "a token begins with muster1/");
    refused("n1", {"join"}, "a token begins with muster1/");
    const auto words = cluster.join_words("n1");
    refused("n1", {"join", words[1].substr(0, 90)}, "cut off or damaged");
    refused("n2", words, "the token is for n1, and this host is called n2");
    auto for_any = words[1].substr(0, words[1].rfind('/') + 1);
    refused("n2", {"join", for_any}, "the token is for n1, not for n2");
    auto guessed = for_any;
    guessed[guessed.size() - 2] = guessed[guessed.size() - 2] == '0' ? '1' : '0';
    refused("n1", {"join", guessed}, "the token is not known");
    REQUIRE(cluster.join("n1", words).exit == Exit{.code = 0});
    CHECK(text_of(cluster.agent_state("n1") + "/cluster").find(cluster.endpoints().agents) !=
          std::string::npos);
    // The endpoint is closed again, and opens with the next token, which the used one is not.
    refused("n2", {"join", for_any}, "no token is open");
    const auto next = cluster.join_words("n3");
    refused("n2", {"join", for_any}, "the token is not known");
    const auto again = cluster.join("n1", {"join", for_any});
    CHECK(again.exit == Exit{.code = 0});  // It is admitted already.
    REQUIRE(cluster.muster_by_key({"key", "remove", "n1"}).exit == Exit{.code = 0});
    refused("n1", {"join", for_any}, "the token is not known");
    const auto short_lived =
        cluster.muster_by_key({"token", "create", "--node", "n4", "--ttl", "1ms", "-o", "json"});
    REQUIRE(short_lived.exit == Exit{.code = 0});
    refused("n4", {"join", Json::parse(short_lived.output).at("token").get<std::string>()},
            "the token has expired");
}

// Goal: no key file that others can read is used, and none that is not whole.
// Method: break each file in each way, and start the program that reads it.
TEST_CASE("key files that are readable by others, cut or mixed up are refused [A18]",
          "[integration][keys]") {
    KeyedCluster cluster{{}};
    REQUIRE(cluster.join("n1", cluster.join_words("n1")).exit == Exit{.code = 0});
    cluster.kill_coordinator();
    const auto coordinator = [&] {
        return run(cluster.directory(), cluster.coordinator_command().argv);
    };
    const auto agent = [&] { return run(cluster.directory(), cluster.agent_command("n1").argv); };
    const auto operators = [&] {
        return cluster.muster_by_key({"status", "--timeout", in_ms(pace())});
    };
    struct Case {
        std::string path;
        std::function<Finished()> start;
    };
    const Case cases[] = {{cluster.key_directory() + "/coordinator.key", coordinator},
                          {cluster.key_directory() + "/cluster.key", coordinator},
                          {cluster.key_of("n1"), agent},
                          {cluster.agent_state("n1") + "/cluster", agent},
                          {cluster.admin_file(), operators}};
    for (const Case& one : cases) {
        const std::string& path = one.path;
        INFO(path);
        const std::string whole = text_of(path);
        const auto put = [&](const std::string& text) {
            std::ofstream{path, std::ios::trunc} << text;
        };
        const auto expect = [&](const std::string& sentence) {
            const auto done = one.start();
            INFO(done.errors);
            CHECK(done.exit.code > 0);
            CHECK(done.errors.find(path) != std::string::npos);
            CHECK(done.errors.find(sentence) != std::string::npos);
            CHECK(done.errors.find(whole.substr(whole.size() - 40, 30)) == std::string::npos);
        };
        REQUIRE(chmod(path.c_str(), 0644) == 0);
        expect("others may read");
        REQUIRE(chmod(path.c_str(), 0600) == 0);
        put(whole.substr(0, whole.size() / 2));
        expect("is not ");
        if (whole.find("secret = ") != std::string::npos) {
            std::string swapped = whole;
            const auto at = swapped.find("public = \"") + 10;
            swapped.replace(at, 64, std::string(64, 'a'));
            put(swapped);
            expect("halves of two different keys");
        }
        put(whole);
    }
    std::filesystem::remove(cluster.key_directory() + "/cluster.key");
    CHECK(coordinator().errors.find("cluster.key is missing") != std::string::npos);
}

// Goal: what listens to whom, for each kind of address, with and without keys and the flag.
// Method: the daemon's start for every combination.
TEST_CASE("a coordinator starts only where nobody but its peers can command it [A1]",
          "[integration][keys][startup]") {
    const Directory directory;
    const std::string keyed = directory.path() + "/keyed";
    const std::string plain = directory.path() + "/plain";
    REQUIRE(run(directory.path(), {program("muster"), "init", "--state-dir", keyed},
                {"XDG_CONFIG_HOME=" + directory.path() + "/config"})
                .exit == Exit{.code = 0});
    for (const auto& state : {keyed, plain}) {
        for (const bool is_flagged : {false, true}) {
            for (const bool is_open : {false, true}) {
                const bool has_keys = state == keyed;
                INFO(has_keys << ' ' << is_flagged << ' ' << is_open);
                const auto at = free_endpoints();
                const auto port = at.agents.substr(at.agents.rfind(':'));
                std::vector<std::string> argv{program("muster-coordinator"),
                                              "--state-dir",
                                              state,
                                              "--run-dir",
                                              directory.path() + "/run",
                                              "--agents",
                                              is_open ? "tcp://0.0.0.0:*" : at.agents,
                                              "--operators",
                                              at.operators,
                                              "--events",
                                              at.events,
                                              "--http",
                                              "none",
                                              "--enrolment",
                                              at.enrolment};
                if (is_flagged) {
                    argv.emplace_back("--insecure-loopback");
                }
                const std::string log = directory.path() + "/log";
                std::filesystem::remove(log);
                Process daemon{{.argv = argv, .output = log, .errors = log}};
                if (has_keys || (is_flagged && !is_open)) {
                    CHECK(
                        until([&] { return text_of(log).find(" leading ") != std::string::npos; }));
                    CHECK((text_of(log).find("without keys") != std::string::npos) == !has_keys);
                    daemon.signal(SIGTERM);
                    CHECK(daemon.wait(soon()) == Exit{.code = 0});
                } else {
                    CHECK(daemon.wait(soon()) == Exit{.code = 1});
                    CHECK(text_of(log).find("muster init") != std::string::npos);
                }
            }
        }
    }
}

// Goal: programs in other languages can do all of this.
// Method: the examples in Python, as an agent and as an operator.
TEST_CASE("a foreign agent and a foreign client work with keys", "[integration][keys][foreign]") {
    KeyedCluster cluster{{}};
    const std::string examples = std::string{MUSTER_SOURCE_DIR} + "/examples/";
    REQUIRE(cluster.join("n9", cluster.join_words("n9")).exit == Exit{.code = 0});
    Process agent{
        {.argv = {"/usr/bin/python3", examples + "agent.py", "n9", cluster.endpoints().agents,
                  cluster.directory() + "/n9.json", cluster.agent_state("n9")},
         .env = {"TEST_CLUSTER=" + cluster.directory()},
         .errors = cluster.directory() + "/n9.log"}};
    INFO(text_of(cluster.directory() + "/n9.log"));
    REQUIRE(cluster.serving(1));
    const auto asked = run(cluster.directory(), {"/usr/bin/python3", examples + "ask.py",
                                                 cluster.admin_file(), "node list"});
    INFO(asked.errors);
    REQUIRE(asked.exit == Exit{.code = 0});
    CHECK(Json::parse(asked.output).at("nodes").at(0).at("name") == "n9");
    agent.signal(SIGTERM);
    CHECK(agent.wait(soon()) == Exit{.code = 0});
}

// Goal: a copy of an agent's files, which is refused, changes nothing of the live agent.
// Method: the live one speaks JSON, and the other one msgpack. The live one gets an order
// afterwards.
TEST_CASE("a second agent with the key of a live one changes nothing of it [A36]",
          "[integration][keys][foreign]") {
    KeyedCluster cluster{{}};
    REQUIRE(cluster.join("n9", cluster.join_words("n9")).exit == Exit{.code = 0});
    const auto agent = [&](const std::string& program, const std::string& file) {
        return Command{
            .argv = {"/usr/bin/python3", std::string{MUSTER_SOURCE_DIR} + program, "n9",
                     cluster.endpoints().agents, cluster.directory() + "/" + file + ".json",
                     cluster.agent_state("n9")},
            .env = {"TEST_CLUSTER=" + cluster.directory()},
            .errors = cluster.directory() + "/" + file + ".log"};
    };
    Process live{agent("/examples/agent.py", "live")};
    REQUIRE(cluster.serving(1));
    Process other{agent("/tests/integration/support/msgpack_agent.py", "other")};
    CHECK(until([&] {
        return contains(text_of(cluster.directory() + "/other.log"), "refused as name_in_use");
    }));
    REQUIRE(cluster.muster_by_key({"task", "add", "web", "--", "/bin/sleep", "1000"}).exit ==
            Exit{.code = 0});
    CHECK(until([&] { return cluster.status().at("running") == 1; }));
    INFO(text_of(cluster.directory() + "/live.log"));
    CHECK(live.running());
    for (Process* const one : {&other, &live}) {
        one->signal(SIGTERM);
        static_cast<void>(one->wait(soon()));
    }
}

// Goal: a cluster without keys says so to everybody who looks.
TEST_CASE("status shows that a cluster has no keys", "[integration][keys]") {
    const RealCluster plain{{.nodes = {}}};
    CHECK(plain.status().at("alarms").dump().find("there are no keys") != std::string::npos);
    const KeyedCluster keyed{{}};
    CHECK(keyed.status().at("alarms").empty());
}
