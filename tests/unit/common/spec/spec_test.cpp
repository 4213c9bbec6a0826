#include "common/spec/spec.hpp"

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"

using namespace muster;

namespace {

WantedTask sound_task() {
    WantedTask task;
    task.name = "web";
    task.instances = 2;
    task.spec.argv = {"sleep", "60"};
    return task;
}

struct Break {
    std::string_view field;
    std::function<void(WantedTask&)> change;
};

}  // namespace

TEST_CASE("a task within every rule is valid, also without an instance", "[spec]") {
    auto task = sound_task();
    CHECK(validate(task));
    task.instances = 0;
    CHECK(validate(task));
    task.instances = limits::instances_per_task;
    task.spec.workdir = "/srv/web";
    task.spec.env = {{"LANG", "C"}, {"EMPTY", ""}};
    task.spec.grace = limits::grace_max;
    task.spec.update = {.max_surge = 0, .max_unavailable = 1};
    CHECK(validate(task));
}

// Goal: each rule is checked, and its sentence names task and field.
TEST_CASE("a task that breaks a rule is refused with the name of the field", "[spec]") {
    const std::string zero("a\0b", 3);
    const std::vector<Break> breaks{
        {"name", [](auto& t) { t.name = "../x"; }},
        {"name", [](auto& t) { t.name = ""; }},
        {"instances", [](auto& t) { t.instances = limits::instances_per_task + 1; }},
        {"argv", [](auto& t) { t.spec.argv.clear(); }},
        {"argv", [](auto& t) { t.spec.argv = {""}; }},
        {"argv", [](auto& t) { t.spec.argv.resize(limits::argv_count + 1); }},
        {"argv", [&](auto& t) { t.spec.argv.push_back(zero); }},
        {"argv", [](auto& t) { t.spec.argv.emplace_back(limits::spec_text_bytes, 'x'); }},
        {"env", [](auto& t) { t.spec.env[""] = "x"; }},
        {"env", [](auto& t) { t.spec.env["A=B"] = "x"; }},
        {"env", [&](auto& t) { t.spec.env["A"] = zero; }},
        {"env", [](auto& t) { t.spec.env["MUSTER_TASK"] = "x"; }},
        {"workdir", [](auto& t) { t.spec.workdir = "relative"; }},
        {"workdir", [](auto& t) { t.spec.workdir = '/' + std::string(limits::path_bytes, 'x'); }},
        {"stop_signal", [](auto& t) { t.spec.stop_signal = "SIGTERM"; }},
        {"grace", [](auto& t) { t.spec.grace = -1ms; }},
        {"grace", [](auto& t) { t.spec.grace = limits::grace_max + 1ms; }},
        {"grace", [](auto& t) { t.spec.grace = 1500us; }},
        {"max_per_node", [](auto& t) { t.spec.max_per_node = 0; }},
        {"max_per_node", [](auto& t) { t.spec.max_per_node = limits::instances_per_node + 1; }},
        {"update",
         [](auto& t) {
             t.spec.update = {0, 0};
         }},
        {"update", [](auto& t) { t.spec.update.max_surge = limits::instances_per_task + 1; }},
        {"update", [](auto& t) { t.spec.update.min_healthy = -1ms; }},
        {"update", [](auto& t) { t.spec.update.min_healthy = limits::min_healthy_max + 1ms; }},
        {"update", [](auto& t) { t.spec.update.min_healthy = 1500us; }},
    };
    for (const auto& one : breaks) {
        auto task = sound_task();
        one.change(task);
        const auto fault = fault_of(task);
        CAPTURE(one.field);
        REQUIRE(fault);
        CHECK(fault->field == one.field);
        const auto refused = validate(task);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::invalid);
        CHECK(refused.error().detail.starts_with("task '" + task.name + "': "));
    }
}

// Goal: digests distinguish specs, and never change. Method: change every field alone, move words
// between fields, and compare with one precomputed value.
TEST_CASE("specs have the same digest only if they are equal", "[spec]") {
    const std::vector<std::function<void(TaskSpec&)>> changes{
        [](auto& s) {
            s.argv = {"sleep", "6", "0"};
        },
        [](auto& s) { s.argv = {"sleep60"}; },
        [](auto& s) { s.env["A"] = "B"; },
        [](auto& s) { s.env["AB"] = ""; },
        [](auto& s) { s.workdir = "/"; },
        [](auto& s) { s.stop_signal = "INT"; },
        [](auto& s) { s.grace += 1ms; },
        [](auto& s) { s.restart.policy = RestartPolicy::never; },
        [](auto& s) { s.max_per_node = 2; },
        [](auto& s) { s.update.max_surge = 2; },
        [](auto& s) { s.update.max_unavailable = 2; },
        [](auto& s) { s.update.min_healthy = 0s; },
        [](auto& s) { s.restart.backoff = 2s; },
        [](auto& s) { s.restart.max = 5; },
        [](auto& s) { s.restart.window = 1min; },
        [](auto& s) { s.env_files = {"/x"}; },
        [](auto& s) { s.user = "www"; },
        [](auto& s) { s.user_group = "www"; },
        [](auto& s) { s.umask = 022; },
        [](auto& s) { s.nice = 1; },
        [](auto& s) { s.nice = -1; },
        [](auto& s) { s.rlimits["core"] = {}; },
        [](auto& s) { s.rlimits["core"].soft = RlimitValue{0}; },
        [](auto& s) {
            s.rlimits["core"] = {RlimitValue{0}, RlimitValue{0}};
        },
        [](auto& s) { s.limits.cpu_milli = 100; },
        [](auto& s) { s.limits.memory_bytes = 100; },
        [](auto& s) { s.limits.pids = 100; },
        [](auto& s) { s.start_timeout = 1s; },
        [](auto& s) { s.pre_start = {"x"}; },
        [](auto& s) { s.post_stop = {"x"}; },
        [](auto& s) { s.secrets = {"x"}; },
        [](auto& s) { s.cluster_secrets = {"x"}; },
        [](auto& s) { s.signature = "x"; },
        [](auto& s) { s.exclusive = true; },
        [](auto& s) { s.log.max_bytes = 1; },
        [](auto& s) { s.log.max_age = 1s; },
    };
    const auto plain = sound_task().spec;
    std::vector<Digest> digests{digest_of(plain)};
    CHECK(digest_of(sound_task().spec) == digests[0]);
    for (const auto& change : changes) {
        auto spec = plain;
        change(spec);
        const auto digest = digest_of(spec);
        CHECK(std::find(digests.begin(), digests.end(), digest) == digests.end());
        digests.push_back(digest);
    }
    CHECK(to_string(digest_of(plain)) == "0cf402dde5472df4bfcf95c9332a1cff");
}

// Goal: an upgrade restarts nothing. Method: the first release's digest of a spec with all fields
// of that time, and one of today.
TEST_CASE("a spec has the digest that it had before there were further fields", "[spec]") {
    TaskSpec spec;
    spec.argv = {"/bin/server", "--port", "80"};
    spec.env = {{"LANG", "C"}, {"EMPTY", ""}};
    spec.workdir = "/srv/web";
    spec.stop_signal = "INT";
    spec.grace = 2min;
    spec.restart.policy = RestartPolicy::on_failure;
    spec.max_per_node = 3;
    spec.update = {.max_surge = 2, .max_unavailable = 0};
    CHECK(to_string(digest_of(spec)) == "86dd1bcbd32e8e594d407103b396d8c4");
    spec.user = "www";
    spec.nice = -5;
    CHECK(to_string(digest_of(spec)) == "ab0dd5f7db9222399e43ace7b102fd02");
}

TEST_CASE("a stop signal has the kernel's number or is refused with the choices", "[spec]") {
    CHECK(stop_signal_number("TERM") == SIGTERM);
    CHECK(stop_signal_number("USR2") == SIGUSR2);
    const auto none = stop_signal_number("STOP");
    REQUIRE_FALSE(none);
    CHECK(none.error().detail.find("TERM INT QUIT HUP USR1 USR2 KILL") != std::string::npos);
}

TEST_CASE("a duration reads back what it wrote", "[spec]") {
    for (const Duration duration : {Duration{0s}, Duration{1ms}, Duration{250ms}, Duration{1500ms},
                                    Duration{10s}, Duration{90s}, Duration{5min}, Duration{1h}}) {
        CHECK(parse_duration(to_string(duration)) == duration);
    }
    CHECK(to_string(Duration{120s}) == "2m");
    CHECK(parse_duration("2min") == Duration{120s});
    CHECK(to_string(Duration{1500ms}) == "1500ms");
    CHECK(parse_duration("90d") == Duration{24h * 90});
    CHECK(parse_duration("365d") == Duration{24h * 365});
    CHECK(to_string(Duration{48h}) == "48h");
    for (const char* const bad : {"", "10", "s", "-1s", "1.5s", "10 s", "1w", "366d",
                                  "99999999999999h", "99999999999999999999s"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_duration(bad));
    }
}
