// The shell around an agent's core: its settings, its memory on disk, and local requests.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "tests/catch.hpp"

#include "agent/local_requests.hpp"
#include "agent/options.hpp"
#include "agent/refusal_log.hpp"
#include "agent/storage/state_directory.hpp"
#include "common/base/limits.hpp"
#include "tests/few_files.hpp"
#include "tests/temporary_directory.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

namespace fs = std::filesystem;

AgentMemory some_memory() { return {{1, 2}, Epoch{3}, {4, 5}, Generation{6}, Incarnation{7}}; }

}  // namespace

// ---- the log ----

// Goal: an agent that is refused for days does not fill the disk, and still logs the present error.
// Method: the same refusal each second for an hour, another one, and the first again after a
// welcome.
TEST_CASE("a refusal is logged once, then rarely", "[agent_shell]") {
    RefusalLog refusals;
    const Instant start{1h};
    const auto is_logged = [&refusals](Instant now, Errc code) {
        return refusals.limit(code).pass(now).has_value();
    };
    int logged = 0;
    for (auto second = 0s; second < 1h; second += 1s) {
        logged += is_logged(start + second, Errc::name_in_use) ? 1 : 0;
    }
    CHECK(logged == 6);
    CHECK(is_logged(start + 1h, Errc::busy));
    CHECK_FALSE(is_logged(start + 1h, Errc::busy));
    CHECK(is_logged(start + 1h, Errc::name_in_use));
    CHECK_FALSE(is_logged(start + 1h, Errc::name_in_use));
    refusals.welcomed();
    CHECK(is_logged(start + 1h, Errc::name_in_use));
    CHECK_THAT(std::string{RefusalLog::advice(Errc::name_in_use)}, Catch::Contains("--name"));
}

// ---- settings ----

TEST_CASE("the name of a host becomes a valid name of a node", "[agent_shell]") {
    CHECK(node_name_of_host("web-7") == "web-7");
    CHECK(node_name_of_host("Web7.Example.COM") == "web7.example.com");
    CHECK(node_name_of_host("--a..b c_") == "a.b-c_");
    CHECK(node_name_of_host("...") == "");
    for (const char* host : {"localhost", "DESKTOP-1AB2", "x\xc3\xa4y", "a.-.b"}) {
        CHECK(is_valid_name(node_name_of_host(host)));
    }
    CHECK(is_valid_name(node_name_of_host(std::string(300, 'x'))));
}

TEST_CASE("an agent without any configuration is named after its host", "[agent_shell]") {
    const auto settings = completed({});
    REQUIRE(settings);
    CHECK(is_valid_name(settings->name));
    CHECK(settings->coordinator == "tcp://127.0.0.1:7700");
}

TEST_CASE("a bad name and a coordinator at no host are refused with one sentence",
          "[agent_shell]") {
    AgentSettings named;
    named.name = "../x";
    const auto refused = completed(named);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::Contains("'../x' is not a valid node name"));
    AgentSettings far;
    far.coordinator = "tcp://0.0.0.0:7700";
    const auto remote = completed(far);
    REQUIRE_FALSE(remote);
    CHECK_THAT(remote.error().detail, Catch::Contains("means every address"));
}

TEST_CASE("a configuration file sets only what it names", "[agent_shell]") {
    const auto settings =
        agent_settings_from_toml("name = \"web-7\"\nlog_level = \"debug\"\n", "agent.toml");
    REQUIRE(settings);
    CHECK(settings->name == "web-7");
    CHECK(settings->log_level == log::Level::debug);
    CHECK(settings->coordinator == "tcp://127.0.0.1:7700");
}

TEST_CASE("a configuration error is reported with file, line and the correct form",
          "[agent_shell]") {
    struct Case {
        std::string text;
        std::string sentence;
    };
    const auto wrong = GENERATE(values<Case>(
        {{"\nnmae = \"x\"",
          "agent.toml:2: unknown key 'nmae' in the configuration; did you mean 'name'? the keys "
          "are name, coordinator"},
         {"name = 7", "agent.toml:1: name needs a text in quotes"},
         {"name = \"\"", "agent.toml:1: name needs a text in quotes"},
         {"log_level = \"loud\"", "agent.toml:1: log_level 'loud' is no log level"},
         {"name = \"x", "agent.toml:1: "}}));
    const auto settings = agent_settings_from_toml(wrong.text, "agent.toml");
    REQUIRE_FALSE(settings);
    CHECK_THAT(settings.error().detail, Catch::StartsWith(wrong.sentence));
}

TEST_CASE("a configuration sets the host's resources and its check", "[agent_shell]") {
    const auto settings = agent_settings_from_toml(R"(
        pool = "fast"
        secrets_dir = "/srv/secrets"
        [labels]
        rack = "r7"
        ssd = "yes"
        [capacity]
        memory = "1kB"
        slots = 3
        [reserved]
        cpu = "0.25"
        slots = 1
        [readiness]
        command = ["/bin/ready", "--disk"]
        timeout = "3s"
    )",
                                                   "agent.toml");
    INFO((settings ? "" : settings.error().detail));
    REQUIRE(settings);
    CHECK(settings->secrets_dir == "/srv/secrets");
    CHECK(settings->offer.pool == "fast");
    CHECK(settings->offer.labels == Labels{{"rack", "r7"}, {"ssd", "yes"}});
    CHECK(settings->offer.capacity == Capacity{.cpu_milli = {}, .memory_bytes = 1'000, .slots = 3});
    CHECK(settings->offer.reserved == Resources{.cpu_milli = 250, .slots = 1});
    CHECK(settings->check == CheckOptions{{"/bin/ready", "--disk"}, 3s});

    const auto whole = completed(*settings);
    REQUIRE(whole);
    CHECK(whole->offer.capacity.cpu_milli.value_or(0) >= 1'000);
    CHECK(whole->offer.capacity.memory_bytes == 1'000);  // A configured value overrides.
}

TEST_CASE("an impossible resource of the host is refused with its line", "[agent_shell]") {
    struct Case {
        std::string text;
        std::string sentence;
    };
    const auto wrong = GENERATE(values<Case>({
        {"pool = \"Fast Ones\"", "agent.toml:1: pool is 'Fast Ones'"},
        {"labels = 3", "agent.toml:1: labels is not a table"},
        {"[labels]\nnode = \"x\"", "agent.toml:1: labels have the key 'node'"},
        {"[labels]\nrack = \"a\\u001bb\"", "agent.toml:1: labels have for 'rack'"},
        {"\n[capacity]\ncores = 3", "agent.toml:3: unknown key 'cores' in capacity"},
        {"\n[capacity]\nslots = -1", "agent.toml:3: slots is -1"},
        {"[reserved]\nmemory_bytes = 9_223_372_036_854_775_807", "agent.toml:2: memory_bytes is 9"},
        {"[capacity]\nslots = 1\n[reserved]\nslots = 2", "agent.toml:3: reserved is more"},
        {"capacity = 3", "agent.toml:1: capacity is a table: write [capacity]"},
        {"[readiness]\ncommand = \"x\"", "agent.toml:2: command is not an array"},
        {"[readiness]\ncommand = []", "agent.toml:2: command names no program"},
        {"[readiness]\ntimeout = \"1h\"", "agent.toml:2: timeout is 1h; it is 100ms to 10m"},
    }));
    INFO(wrong.text);
    const auto settings = agent_settings_from_toml(wrong.text, "agent.toml");
    REQUIRE_FALSE(settings);
    CHECK_THAT(settings.error().detail, Catch::StartsWith(wrong.sentence));

    AgentSettings greedy;
    greedy.offer.reserved.cpu_milli = limits::cpu_milli;
    const auto refused = completed(greedy);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::Contains("reserved is more than the capacity"));
}

// ---- memory ----

TEST_CASE("an agent's memory reads back what was written, also with the largest numbers",
          "[agent_shell]") {
    CHECK(memory_from_text(to_text(some_memory())) == some_memory());
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    const AgentMemory largest{
        {most, most}, Epoch{most}, {most, most}, Generation{most}, Incarnation{most}};
    CHECK(memory_from_text(to_text(largest)) == largest);
}

// Goal: a damaged disk cannot make the agent obey a leader that it had refused.
// Method: cut the text at every length, and change every byte.
TEST_CASE("a damaged memory is refused, never guessed", "[agent_shell]") {
    const std::string text = to_text(some_memory());
    for (std::size_t i = 0; i < text.size(); ++i) {
        CAPTURE(i);
        CHECK_FALSE(memory_from_text(text.substr(0, i)));
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        CHECK_FALSE(memory_from_text(changed));
    }
    CHECK_FALSE(memory_from_text(text + "\n"));
}

TEST_CASE("a state directory keeps its memory from one life to the next", "[agent_shell]") {
    const TemporaryDirectory directory;
    {
        auto state = StateDirectory::open(directory.below("n1"));
        REQUIRE(state);
        CHECK(state->read_memory() == AgentMemory{});
        REQUIRE(state->write_memory(some_memory()));
    }
    // As if a life had ended between writing and renaming.
    std::ofstream{directory.below("n1/memory.new")} << "half";
    auto state = StateDirectory::open(directory.below("n1"));
    REQUIRE(state);
    CHECK(state->read_memory() == some_memory());

    std::ofstream{directory.below("n1/memory")} << "garbage";
    const auto damaged = state->read_memory();
    REQUIRE_FALSE(damaged);
    CHECK_THAT(damaged.error().detail, Catch::Contains("n1/memory is damaged"));
}

TEST_CASE("a memory that cannot be written leaves the old one in place", "[agent_shell]") {
    const TemporaryDirectory directory;
    auto state = StateDirectory::open(directory.below("n1"));
    REQUIRE(state);
    REQUIRE(state->write_memory(some_memory()));
    fs::create_directory(directory.below("n1/memory.new"));
    const auto written = state->write_memory({});
    REQUIRE_FALSE(written);
    CHECK_THAT(written.error().detail, Catch::Contains("n1/memory cannot be written"));
    CHECK(state->read_memory() == some_memory());
}

// Goal: an agent without free file descriptors can still obey, and report what it cannot do.
// Method: open files until there are no more, then persist.
TEST_CASE("a memory is also written when this process can open no more files", "[agent_shell]") {
    const TemporaryDirectory directory;
    auto state = StateDirectory::open(directory.below("n1"));
    REQUIRE(state);
    int written = 0;
    bool had_files_left = false;
    {
        const FewFiles few;
        for (int i = 0; i < 3; ++i) {
            had_files_left = had_files_left || FewFiles::can_open_one();
            written += state->write_memory(some_memory()) ? 1 : 0;
        }
    }
    CHECK_FALSE(had_files_left);
    CHECK(written == 3);
    CHECK(state->read_memory() == some_memory());
}

// Found by killing an agent 5,000 times. A process that it was forking holds its lock a moment
// longer.
TEST_CASE("an agent waits for a state directory that is about to be free", "[agent][state]") {
    const TemporaryDirectory directory;
    auto first = StateDirectory::open(directory.below("n1"));
    REQUIRE(first);
    bool is_opened = false;
    std::thread second{
        [&] { is_opened = StateDirectory::open(directory.below("n1")).has_value(); }};
    first = fail(Errc::refused, "the agent is gone");
    second.join();
    CHECK(is_opened);
}

TEST_CASE("a second agent on one state directory is refused while the first runs",
          "[agent_shell]") {
    const TemporaryDirectory directory;
    {
        const auto first = StateDirectory::open(directory.below("n1"));
        REQUIRE(first);
        const auto second = StateDirectory::open(directory.below("n1"));
        REQUIRE_FALSE(second);
        CHECK(second.error().code == Errc::refused);
        CHECK_THAT(second.error().detail,
                   Catch::Contains("another agent uses the state directory"));
        CHECK(StateDirectory::open(directory.below("n2")));
    }
    CHECK(StateDirectory::open(directory.below("n1")));
}

// ---- local requests ----

TEST_CASE("a local request is a line of text or a JSON object", "[agent_shell]") {
    using Verb = LocalRequest::Verb;
    CHECK(local_request("status")->verb == Verb::status);
    CHECK(local_request("list\r\n")->verb == Verb::list);
    CHECK(local_request("{\"verb\": \"help\", \"more\": [1]}\n")->verb == Verb::help);
    const auto level = local_request("log level debug");
    CHECK(level->verb == Verb::log_level);
    CHECK(level->level == "debug");
    CHECK(local_request(R"({"verb": "log level", "level": "warn"})")->level == "warn");
}

// Goal: an agent and a coordinator answer the same mistake with the same code.
// Method: each kind of mistake, as a line and as an object.
TEST_CASE("an invalid local request is refused with a stable code", "[agent_shell]") {
    const auto refuse = [](std::string_view frame) { return local_request(frame).error(); };
    CHECK(refuse("").code == Errc::malformed);
    CHECK(refuse(" \n").code == Errc::malformed);
    CHECK(refuse("stop everything").code == Errc::unknown_verb);
    CHECK(refuse("stauts").detail ==
          "an agent has no verb 'stauts'; did you mean 'status'? the verbs are help, status, list, "
          "stop-all, "
          "log level "
          "LEVEL");
    CHECK_THAT(refuse("log-level debug").detail, Catch::Contains("did you mean 'log level'"));
    CHECK(refuse(std::string(60'000, 'x')).code == Errc::unknown_verb);
    CHECK(refuse(R"({"verb": "stop"})").code == Errc::unknown_verb);
    CHECK(refuse("status now").code == Errc::invalid);
    CHECK(refuse("log level").detail == "wrong arguments; usage: log level LEVEL");
    CHECK(refuse("log").code == Errc::unknown_verb);
    CHECK(refuse("{}").detail == "request: verb is missing");
    CHECK(refuse(R"({"verb": 7})").detail == "request: verb is not a text");
    CHECK(refuse(R"({"verb": "log level"})").detail == "log level: level is missing");
    CHECK(refuse(R"({"verb": 7})").code == Errc::malformed);
    CHECK(local_request("{").error().code == Errc::malformed);
    CHECK_FALSE(local_request("{\"a\":" + std::string(30'000, '[')));
    CHECK(local_error({Errc::invalid, "a \"b\"\n"}) ==
          R"({"ok":false,"error":{"code":"invalid","message":"a \"b\"\n"}})");
}

TEST_CASE("status and list show the agent's identity and what it runs", "[agent_shell]") {
    InstanceReport report;
    report.id = {"web", 3};
    report.generation = Generation{9};
    report.state = InstanceState::running;
    report.started = CivilMs{1'000};
    report.detail = "\xff";  // A program can report any bytes; the answer is still JSON.
    const std::vector<LocalProcess> processes{{report, 4711}, {InstanceReport{}, std::nullopt}};
    CHECK_THAT(local_list(processes),
               Catch::StartsWith(R"({"ok":true,"verb":"list","instances":[{"instance":"web.3",)"
                                 R"("generation":9,"state":"running","restarts":0,)"
                                 R"("exit_code":-1,"exit_signal":0,"started":1000,)"));
    CHECK_THAT(local_list(processes), Catch::Contains(R"("pid":4711})"));
    const auto status = local_status({.name = "n1",
                                      .version = "1",
                                      .coordinator = "tcp://127.0.0.1:7700",
                                      .led = true,
                                      .life = {1, 2},
                                      .memory = some_memory()},
                                     processes);
    CHECK_THAT(status, Catch::StartsWith(R"({"ok":true,"verb":"status","name":"n1",)"));
    CHECK_THAT(status, Catch::Contains(R"("epoch":3,"counter":6,"instances":2,"running":1)"));
    CHECK_THAT(local_help(), Catch::Contains(R"("example":"log level debug")"));
}

// Goal: the largest list is within the manual's bound.
// Method: a full node whose details have the maximum length, and are hard to print.
TEST_CASE("a list of a full node has less than 8 MiB", "[agent_shell]") {
    LocalProcess process;
    process.report.id = {std::string(limits::name_bytes, 'x'), limits::instances_per_task};
    process.report.generation = Generation{~std::uint64_t{0}};
    process.report.state = InstanceState::starting;
    process.report.restarts = ~std::uint32_t{0};
    process.report.started = CivilMs{std::numeric_limits<std::int64_t>::min()};
    process.report.detail.assign(limits::detail_bytes, '\1');
    process.pid = std::numeric_limits<int>::max();
    const std::vector<LocalProcess> full(limits::instances_per_node, process);
    CHECK(local_list(full).size() < 8U * 1024U * 1024U);
}
