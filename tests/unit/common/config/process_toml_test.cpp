// The keys of a task file for what a process gets of its host, and how it starts and ends.

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/config/spec_toml.hpp"

using namespace muster;

namespace {

Result<TaskSpec> spec_with(const std::string& lines) {
    auto tasks = tasks_from_toml("[[task]]\nname = 'web'\nargv = ['x']\n" + lines, "tasks.toml");
    if (!tasks) {
        return tl::unexpected{tasks.error()};
    }
    return tasks->front().spec;
}

void check_refusals(const std::vector<std::pair<std::string, std::string>>& refusals) {
    for (const auto& [lines, sentence] : refusals) {
        CAPTURE(lines);
        const auto spec = spec_with(lines);
        REQUIRE_FALSE(spec);
        CHECK(spec.error().code == Errc::invalid);
        CHECK(spec.error().detail == "tasks.toml:4: " + sentence);
    }
}

}  // namespace

TEST_CASE("a task file sets everything that a process gets of its host", "[toml]") {
    const auto spec = spec_with(R"(
env_files = ["/etc/web.env", "${MUSTER_SECRETS}/env"]
user = "www-data"
user_group = "33"
umask = "022"
nice = -5
rlimits = { nofile = 1024, core = "unlimited", stack = { soft = 8_388_608, hard = "unlimited" } }
limits = { cpu_milli = 500, memory_bytes = 536_870_912, pids = 100 }
exclusive = true
start_timeout = "30s"
pre_start = ["/bin/mkdir", "-p", "/srv/${MUSTER_INSTANCE}"]
post_stop = ["/bin/rm", "-r", "/srv/${MUSTER_INSTANCE}"]
secrets = ["key", "cert.pem"]
restart = { policy = "on-failure", backoff = "2s", max = 5, window = "1min" }
log = { max_bytes = 1_048_576, max_age = "24h" }
)");
    REQUIRE(spec);
    constexpr auto none = RlimitValue::unlimited;
    TaskSpec expected;
    expected.argv = {"x"};
    expected.env_files = {"/etc/web.env", "${MUSTER_SECRETS}/env"};
    expected.user = "www-data";
    expected.user_group = "33";
    expected.umask = 022;
    expected.nice = -5;
    expected.rlimits = {{"nofile", {RlimitValue{1024}, RlimitValue{1024}}},
                        {"core", {none, none}},
                        {"stack", {RlimitValue{8'388'608}, none}}};
    expected.limits = {.cpu_milli = 500, .memory_bytes = 536'870'912, .pids = 100};
    expected.exclusive = true;
    expected.update.max_surge = 0;
    expected.start_timeout = 30s;
    expected.pre_start = {"/bin/mkdir", "-p", "/srv/${MUSTER_INSTANCE}"};
    expected.post_stop = {"/bin/rm", "-r", "/srv/${MUSTER_INSTANCE}"};
    expected.secrets = {"key", "cert.pem"};
    expected.restart = {RestartPolicy::on_failure, 2s, 5, 1min};
    expected.log = {.max_bytes = 1'048'576, .max_age = 24h};
    CHECK(*spec == expected);
}

TEST_CASE("a restart rule has the defaults for omitted keys", "[toml]") {
    const auto by_policy = spec_with("restart = 'never'");
    REQUIRE(by_policy);
    CHECK(by_policy->restart == RestartRule{.policy = RestartPolicy::never});
    const auto by_delay = spec_with("restart = { backoff = '250ms' }");
    REQUIRE(by_delay);
    CHECK(by_delay->restart == RestartRule{.backoff = 250ms});
}

TEST_CASE("a task file can omit max_surge of an exclusive task", "[toml]") {
    const auto silent = spec_with("update = { max_unavailable = 2 }\nexclusive = true");
    REQUIRE(silent);
    CHECK(silent->update == UpdatePolicy{.max_surge = 0, .max_unavailable = 2});
    const auto shared = spec_with("update = { max_unavailable = 2 }\nexclusive = false");
    REQUIRE(shared);
    CHECK(shared->update == UpdatePolicy{.max_surge = 1, .max_unavailable = 2});
    check_refusals({
        {"update = { max_surge = 1 }\nexclusive = true",
         "task 'web': update has max_surge 1 beside exclusive, which never has two copies of an "
         "instance; leave max_surge out, or write 0"},
        {"update = { max_unavailable = 0 }\nexclusive = true",
         "task 'web': update has max_unavailable 0 beside exclusive, which makes max_surge 0, so "
         "that no roll-out could ever begin; max_unavailable is 1 or more"},
    });
}

TEST_CASE("a wrong restart rule is refused with its line", "[toml]") {
    check_refusals({
        {"restart = 3",
         "restart is neither a text nor a table; write restart = \"always\", or restart = { policy "
         "= "
         "\"on-failure\", backoff = \"1s\", max = 10, window = \"10m\" }"},
        {"restart = 'often'", "restart is 'often'; it is one of always, on-failure, never"},
        {"restart = { policy = 'often' }",
         "policy is 'often'; it is one of always, on-failure, never"},
        {"restart = { delay = '1s' }",
         "unknown key 'delay' in restart; the keys are policy, backoff, max, window"},
        {"restart = { max = 0 }", "max is 0; write one from 1 to 1000, as in max = 3"},
        {"restart = { backoff = '10ms' }",
         "task 'web': restart has backoff 10ms; it is 100ms to 5m"},
        {"restart = { window = 60 }", "window: it is a text in quotes, as in window = \"10s\""},
    });
}

TEST_CASE("a wrong limit of a process is refused with its line", "[toml]") {
    const std::string number =
        " is neither a number, a size nor \"unlimited\"; write rlimits = { nofile = 1024, "
        "stack = { soft = \"8MiB\", hard = \"unlimited\" } }";
    check_refusals({
        {"rlimits = 1024", "rlimits is not a table; write rlimits = { nofile = 1024, core = 0 }"},
        {"rlimits = { nofiles = 1 }",
         "unknown key 'nofiles' in rlimits; did you mean 'nofile'? the keys are as, core, cpu, "
         "data, "
         "fsize, memlock, msgqueue, nice, nofile, nproc, rtprio, rttime, sigpending, stack"},
        {"rlimits = { core = 'much' }", "rlimits.core" + number},
        {"rlimits = { core = -1 }", "rlimits.core" + number},
        {"rlimits = { core = { soft = 1.5, hard = 2 } }", "rlimits.core.soft" + number},
        {"rlimits = { core = { soft = 1 } }",
         "rlimits.core has no hard; write both, as in rlimits.core = { soft = 1024, hard = "
         "\"unlimited\" }"},
        {"rlimits = { core = { soft = 'unlimited', hard = 8 } }",
         "task 'web': rlimits has for core the soft limit unlimited above the hard limit 8; soft "
         "is at most hard"},
        {"limits = 5",
         "limits is not a table; write limits = { cpu = \"0.5\", memory = \"512MiB\", "
         "pids = 100 }"},
        {"limits = { slots = 5 }", "unknown key 'slots' in limits; the keys are cpu, memory, pids"},
        {"limits = { memory_bytes = 1000 }",
         "task 'web': limits has memory 1000B; it is 1MiB to 1024TiB, or 0 for "
         "no bound"},
        {"nice = 20", "nice is 20; write one from -20 to 19, as in nice = 3"},
        {"umask = 77", "umask is not octal digits in quotes; write umask = \"077\""},
        {"umask = '088'", "umask is not octal digits in quotes; write umask = \"077\""},
        {"umask = '1000'", "task 'web': umask is 1000; it is 000 to 777 in octal digits"},
        {"log = '16M'", "log is not a table; write log = { max = \"16MiB\", max_age = \"24h\" }"},
        {"log = { max_bytes = 1 }",
         "max_bytes is 1; write one from 65536 to 1073741824, as in max_bytes = 65536"},
    });
}

TEST_CASE("an unknown variable is refused with the line of its key", "[toml][template]") {
    check_refusals({
        {"workdir = '/srv/${node.rack}'",
         "task 'web': workdir names the variable '${node.rack}', which does not exist; the "
         "variables are "
         "${MUSTER_TASK} ${MUSTER_INSTANCE} ${MUSTER_ORDINAL} ${MUSTER_NODE} ${MUSTER_GENERATION} "
         "${MUSTER_SECRETS} ${MUSTER_TOKEN} ${node.name} ${node.pool} ${node.label.KEY}, and $${ "
         "writes ${"},
        {"pre_start = ['x', '${MUSTER_TASK']",
         "task 'web': pre_start has '${MUSTER_TASK' without its '}'; write $${ for these two "
         "characters themselves"},
    });
}
