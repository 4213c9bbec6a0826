#include "coordinator/options.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/host/file_limit.hpp"
#include "tests/few_files.hpp"

namespace muster::coordinator {
namespace {

std::string fault(std::string_view text) {
    const auto options = options_from_toml(text, "c.toml");
    REQUIRE_FALSE(options);
    CHECK(options.error().code == Errc::invalid);
    return options.error().detail;
}

}  // namespace

// Goal: the example documents the configuration.
// Method: read it; it has every default.
TEST_CASE("the example configuration has the defaults", "[options]") {
    std::ifstream file{MUSTER_SOURCE_DIR "/examples/coordinator.toml"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    REQUIRE_FALSE(text.empty());
    const auto options = options_from_toml(text, "coordinator.toml");
    REQUIRE(options);
    const Options defaults;
    CHECK(options->endpoints.agents == defaults.endpoints.agents);
    CHECK(options->endpoints.operators == defaults.endpoints.operators);
    CHECK(options->endpoints.events == completed(defaults.endpoints).events);
    CHECK(options->endpoints.enrolment == completed(defaults.endpoints).enrolment);
    CHECK(options->insecure_loopback == defaults.insecure_loopback);
    CHECK(options->core.accept_pending == defaults.core.accept_pending);
    CHECK(options->endpoints.http == defaults.endpoints.http);
    CHECK(options->etcd.endpoints.empty());
    CHECK(options->outside.providers.empty());
    CHECK(options->outside.predictors.empty());
    CHECK(options->etcd.prefix == defaults.etcd.prefix);
    CHECK(options->etcd.lease == defaults.etcd.lease);
    CHECK(options->log_level == defaults.log_level);
    CHECK(options->record == defaults.record);
    CHECK(options->record_mib == defaults.record_mib);
    CHECK(options->agents == defaults.agents);
    CHECK(options->core.round == defaults.core.round);
    CHECK(options->core.loss.silent_after == defaults.core.loss.silent_after);
    CHECK(options->core.loss.after == defaults.core.loss.after);
    CHECK(options->core.recovery_grace == defaults.core.recovery_grace);
    CHECK(options->core.lease == defaults.core.lease);
    CHECK(options->core.loss.max_lost == defaults.core.loss.max_lost);
    CHECK(options->core.loss.departure_grace == defaults.core.loss.departure_grace);
    CHECK(options->core.loss.rate_percent == defaults.core.loss.rate_percent);
    CHECK(options->core.loss.burst == defaults.core.loss.burst);
    CHECK(options->core.rebalance == defaults.core.rebalance);
    CHECK(options->core.move_cooldown == defaults.core.move_cooldown);
    CHECK(options->core.stop_strays == defaults.core.stop_strays);
    CHECK(options->core.max_flaky == defaults.core.max_flaky);
    CHECK(options->core.flaky_tasks == defaults.core.flaky_tasks);
    CHECK(options->core.listed_only == defaults.core.listed_only);
}

TEST_CASE("every key of the configuration has its effect", "[options]") {
    const auto options = options_from_toml(R"(
        state_dir = "/s"
        run_dir = "/r"
        log_level = "debug"
        record = "/record"
        record_mib = 16
        insecure_loopback = true
        [endpoints]
        enrolment = "tcp://0.0.0.0:5"
        advertise = "muster.example.net"
        agents = "tcp://localhost:1"
        operators = "tcp://[::1]:2"
        events = "ipc:///r/events.sock"
        http = "tcp://localhost:4"
        [cluster]
        agents = 500
        round = "250ms"
        silent_after = 4
        lost_after = 5
        recovery_grace = "1m"
        lease = "20s"
        max_lost = "2h"
        departure_grace = "0s"
        loss_rate_percent = 7
        loss_burst = 3
        rebalance = "on-demand"
        move_cooldown = "90s"
        strays = "stop"
        max_flaky = "5m"
        [nodes]
        mode = "listed"
        accept_pending = true
        flaky_tasks = "move"
        [providers.cloud]
        command = ["/usr/local/bin/cloud-nodes", "--zone", "a"]
        deadline = "90s"
        [providers.laptop]
        kind = "local-process"
        directory = "/pools"
        [predictors.ml]
        command = ["/usr/local/bin/predict"]
        deadline = "5s"
    )",
                                           "c.toml");
    REQUIRE(options);
    CHECK(options->state_dir == "/s");
    CHECK(options->run_dir == "/r");
    CHECK(options->log_level == log::Level::debug);
    CHECK(options->record == "/record");
    CHECK(options->record_mib == 16);
    CHECK(options->endpoints.agents == "tcp://127.0.0.1:1");
    CHECK(options->endpoints.operators == "tcp://[::1]:2");
    CHECK(options->endpoints.events == "ipc:///r/events.sock");
    CHECK(options->endpoints.http == "tcp://127.0.0.1:4");
    CHECK(options_from_toml("[endpoints]\nhttp = \"none\"\n", "c.toml")->endpoints.http.empty());
    CHECK(options->agents == 500);
    CHECK(options->core.round == 250ms);
    CHECK(options->core.loss.silent_after == 4);
    CHECK(options->core.loss.after == 5);
    CHECK(options->core.recovery_grace == 1min);
    CHECK(options->core.lease == 20s);
    CHECK(options->core.loss.max_lost == 2h);
    CHECK(options->core.loss.departure_grace == 0s);
    CHECK(options->core.loss.rate_percent == 7);
    CHECK(options->core.loss.burst == 3);
    CHECK(options->core.rebalance == Rebalance::on_demand);
    CHECK(options->core.move_cooldown == 90s);
    CHECK(options->core.stop_strays);
    CHECK(options->core.max_flaky == 5min);
    CHECK(options->core.listed_only);
    CHECK(options->core.accept_pending);
    CHECK(options->insecure_loopback);
    CHECK(options->endpoints.enrolment == "tcp://0.0.0.0:5");
    CHECK(options->endpoints.advertise == "muster.example.net");
    CHECK(options->core.flaky_tasks == FlakyTasks::move);
    const auto& [providers, predictors] = options->outside;
    CHECK(options->core.providers == std::vector<std::string>{"cloud", "laptop"});
    CHECK(options->core.predictors == std::vector<std::string>{"ml"});
    CHECK(providers[0].command ==
          std::vector<std::string>{"/usr/local/bin/cloud-nodes", "--zone", "a"});
    CHECK(providers[0].deadline == 90s);
    CHECK(providers[1].kind == ProviderKind::local_process);
    CHECK(providers[1].directory == "/pools");
    CHECK(predictors[0].command == std::vector<std::string>{"/usr/local/bin/predict"});
    CHECK(predictors[0].deadline == 5s);
}

// Goal: the sentence alone is enough to find the error.
// Method: one error in each file; the sentence has its place and the correct form.
TEST_CASE("a configuration error is reported with its line and the choices", "[options]") {
    CHECK_THAT(
        fault("\nstat_dir = \"/x\"\n"),
        Catch::Contains("c.toml:2") && Catch::Contains("stat_dir") &&
            Catch::Contains("state_dir, run_dir, log_level, insecure_loopback, record, record_mib, "
                            "endpoints, cluster"));
    CHECK_THAT(fault("[endpoints]\nagent = \"tcp://127.0.0.1:1\"\n"),
               Catch::Contains("c.toml:2") &&
                   Catch::Contains("agents, operators, events, enrolment, advertise, http"));
    CHECK_THAT(fault("[endpoints]\n\nagents = 7\n"), Catch::Contains("c.toml:3: agents"));
    CHECK_THAT(fault("[endpoints]\nevents = \"tcp://eth0:1\"\n"),
               Catch::Contains("c.toml:2") && Catch::Contains("names no address of this host"));
    CHECK_THAT(fault("[endpoints]\nhttp = \"tcp://0.0.0.0:1\"\n"),
               Catch::Contains("c.toml:2: http") && Catch::Contains("HTTP has no keys"));
    CHECK_THAT(
        fault("[endpoints]\nhttp = \"ipc:///x\"\n"),
        Catch::Contains("'ipc:///x' is not an endpoint for HTTP") && Catch::Contains("or none"));
    CHECK_THAT(fault("[cluster]\nlost_after = 1\n"), Catch::Contains("from 3 to 100"));
    CHECK_THAT(fault("[cluster]\nsilent_after = 1\n"), Catch::Contains("from 2 to 99"));
    CHECK_THAT(fault("[cluster]\nlost_after = 3\n"),
               Catch::Contains("c.toml:2: silent_after is 3 and lost_after is 3") &&
                   Catch::Contains("set silent_after below lost_after"));
    CHECK_THAT(fault("[cluster]\nround = \"1s\"\nsilent_after = 10\n"),
               Catch::Contains("c.toml:3: silent_after is 10 and lost_after is 10"));
    CHECK_THAT(fault("[cluster]\nrebalance = true\n"),
               Catch::Contains("c.toml:2: rebalance") &&
                   Catch::Contains("\"auto\", \"on-demand\", \"off\""));
    CHECK_THAT(fault("[cluster]\nstrays = \"kill\"\n"), Catch::Contains("\"report\", \"stop\""));
    CHECK_THAT(fault("[cluster]\nmove_cooldown = \"2d\"\n"), Catch::Contains("move_cooldown"));
    CHECK_THAT(fault("[cluster]\nround = 1\n"), Catch::Contains("\"10s\""));
    CHECK_THAT(fault("[cluster]\nround = \"1ms\"\n"), Catch::Contains("from 50ms to 1m"));
    CHECK_THAT(fault("[nodes]\nmode = \"shut\"\n"),
               Catch::Contains("c.toml:2: mode") && Catch::Contains("\"open\""));
    CHECK_THAT(fault("log_level = \"loud\"\n"), Catch::Contains("trace, debug, info, warn, error"));
    CHECK_THAT(fault("endpoints = 3\n"), Catch::Contains("c.toml:1"));
    CHECK_THAT(fault("endpoints = 3\n"), Catch::Contains("write [endpoints]"));
    CHECK_THAT(fault("[node]\nx = 1\n"), Catch::Contains("unknown key 'node'"));
    CHECK_THAT(fault("[cluster]\nterm = \"1s\"\n"),
               Catch::Contains("c.toml:2: term is now called round; rename the key"));
    CHECK_THAT(fault("[cluster]\nforget_after = \"1h\"\n"),
               Catch::Contains("forget_after is now called max_lost"));
    CHECK_THAT(fault("[cluster]\ngoodbye_grace = \"30s\"\n"),
               Catch::Contains("goodbye_grace is now called departure_grace"));
    CHECK_THAT(fault("\n\nround = = 1\n"), Catch::Contains("c.toml:3"));
}

TEST_CASE("a file limit that is too low for the fleet prevents the start", "[options]") {
    CHECK(files_needed(10'000) == 12'200);
    const auto refused = raise_file_limit(1'000'000'000);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail,
               Catch::Contains("1000000000 agents need 1200000200") && Catch::Contains("ulimit"));
    CHECK(raise_file_limit(1));
}

TEST_CASE("few free file descriptors are an alarm with the numbers", "[options]") {
    CHECK_FALSE(file_alarm({.open = 899, .limit = 1'000}, 0));
    const auto few = file_alarm({.open = 900, .limit = 1'000}, 0);
    REQUIRE(few);
    CHECK_THAT(*few, Catch::StartsWith("900 of 1000 files are open"));
    const auto none = file_alarm({.open = 20, .limit = 1'000}, 1);
    REQUIRE(none);
    CHECK_THAT(*none, Catch::Contains("new connections are refused"));

    const auto before = file_use();
    CHECK_FALSE(file_alarm(before, 0));
    FileUse at_the_limit;
    {
        const FewFiles few_files;
        at_the_limit = file_use();
    }
    CHECK(at_the_limit.open == at_the_limit.limit);
    CHECK(file_alarm(at_the_limit, 0));
}

// Goal: a short command line opens matching endpoints.
// Method: the addresses of agents and operators only.
TEST_CASE("endpoints that are left out are beside the given ones", "[options]") {
    const Endpoints usual = completed({});
    CHECK(usual.events == "tcp://127.0.0.1:7702");
    CHECK(usual.enrolment == "tcp://127.0.0.1:7703");
    const Endpoints open =
        completed({.agents = "tcp://0.0.0.0:7800", .operators = "tcp://[::]:7801"});
    CHECK(open.events == "tcp://[::]:7802");
    CHECK(open.enrolment == "tcp://0.0.0.0:7803");
    const Endpoints any =
        completed({.agents = "tcp://127.0.0.1:*", .operators = "tcp://127.0.0.1:*"});
    CHECK(any.events == "tcp://127.0.0.1:*");
    CHECK(any.enrolment == "tcp://127.0.0.1:*");
    const Endpoints local = completed({.agents = "ipc:///r/a", .operators = "ipc:///r/o"});
    CHECK(local.enrolment.empty());
    CHECK(local.events == "tcp://127.0.0.1:7702");
}

}  // namespace muster::coordinator
