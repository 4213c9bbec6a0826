// What a task can request for its process, and the exact text of a refusal.

#include <functional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/spec/spec.hpp"
#include "common/text/template.hpp"

using namespace muster;

namespace {

using Change = std::function<void(TaskSpec&)>;

/// The sentence of a refusal without its `task 'web': `; empty: the task is valid.
std::string refusal_of(const Change& change) {
    WantedTask task;
    task.name = "web";
    task.spec.argv = {"sleep", "60"};
    change(task.spec);
    constexpr std::string_view frame = "task 'web': ";
    const auto result = validate(task);
    if (result) {
        return {};
    }
    CHECK(result.error().detail.starts_with(frame));
    return result.error().detail.substr(frame.size());
}

void check_sound(const std::vector<Change>& changes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        CAPTURE(i);
        CHECK(refusal_of(changes[i]).empty());
    }
}

void check_refusals(const std::vector<std::pair<std::string, Change>>& refusals) {
    for (const auto& [sentence, change] : refusals) {
        CHECK(refusal_of(change) == sentence);
    }
}

}  // namespace

TEST_CASE("commands before the start and after the end obey the rules of argv", "[spec]") {
    check_sound({
        [](auto& s) {
            s.pre_start = {"/bin/mkdir", "-p", "/srv/${MUSTER_INSTANCE}"};
        },
        [](auto& s) {
            s.post_stop = {"rm", ""};
        },
    });
    check_refusals({
        {"pre_start begins with an empty word; its first word is the program to run",
         [](auto& s) { s.pre_start = {""}; }},
        {"post_stop has 257 words; at most 256 are allowed",
         [](auto& s) {
             s.post_stop = {"x"};
             s.post_stop.resize(limits::argv_count + 1);
         }},
        {"post_stop holds a zero byte, which no program can be given",
         [](auto& s) {
             s.post_stop = {"x", std::string(1, '\0')};
         }},
        {"argv has, with env, paths and other commands, 32779 bytes; at most 32768 are allowed",
         [](auto& s) {
             s.pre_start = {std::string(limits::spec_text_bytes, 'x'), "1234"};
         }},
    });
}

TEST_CASE("files with variables are absolute paths of the host", "[spec]") {
    check_sound({
        [](auto& s) { s.env_files.assign(limits::env_files, "/etc/web.env"); },
        [](auto& s) {
            s.env_files = {"${MUSTER_SECRETS}/env", "/etc/${node.label.zone}.env"};
        },
    });
    check_refusals({
        {"env_files names 17 files; at most 16 are allowed",
         [](auto& s) { s.env_files.assign(limits::env_files + 1, "/x"); }},
        {"env_files names 'web.env'; each is an absolute path on the node's host",
         [](auto& s) {
             s.env_files = {"/x", "web.env"};
         }},
        {"env_files names ''; each is an absolute path on the node's host",
         [](auto& s) { s.env_files = {""}; }},
        {"env_files is no path the kernel takes: under 4096 bytes, none of them zero",
         [](auto& s) { s.env_files = {'/' + std::string(limits::path_bytes, 'x')}; }},
    });
}

TEST_CASE("a directory can begin with a muster variable, and with no other", "[spec]") {
    check_sound({
        [](auto& s) { s.workdir = "${node.label.disk}/web"; },
        [](auto& s) { s.workdir = "/srv/${HOME}"; },
    });
    for (const std::string workdir : {"${HOME}/web", "$${MUSTER_TASK}", "web"}) {
        CHECK(refusal_of([&](auto& s) { s.workdir = workdir; }) ==
              "workdir is '" + workdir +
                  "'; it is an absolute path, or left out for a directory of the instance's own");
    }
}

TEST_CASE("an unknown variable is refused in every field that has variables", "[spec][template]") {
    const std::string text = "/${MUSTER_HOST}";
    const std::vector<std::pair<std::string, Change>> fields{
        {"argv", [&](auto& s) { s.argv.push_back(text); }},
        {"env", [&](auto& s) { s.env["A"] = text; }},
        {"env_files", [&](auto& s) { s.env_files = {text}; }},
        {"workdir", [&](auto& s) { s.workdir = text; }},
        {"pre_start", [&](auto& s) { s.pre_start = {text}; }},
        {"post_stop",
         [&](auto& s) {
             s.post_stop = {"x", text};
         }},
    };
    for (const auto& [field, change] : fields) {
        CHECK(refusal_of(change) == field + ' ' + fault_of_template(text).value_or("?"));
    }
}

TEST_CASE("secrets are distinct names", "[spec]") {
    check_sound({[](auto& s) {
        for (std::size_t i = 0; i < limits::secrets; ++i) {
            s.secrets.push_back("key-" + std::to_string(i));
        }
    }});
    check_refusals({
        {"secrets names 33 files; at most 32 are allowed",
         [](auto& s) { s.secrets.resize(limits::secrets + 1); }},
        {"secrets names '../key'; " + std::string{name_rule()},
         [](auto& s) { s.secrets = {"../key"}; }},
        {"secrets names 'key' twice; name it once",
         [](auto& s) {
             s.secrets = {"key", "cert", "key"};
         }},
    });
}

TEST_CASE("secrets of the cluster are distinct names, also from those of files", "[spec]") {
    check_sound({[](auto& s) {
        s.secrets = {"key"};
        for (std::size_t i = 0; i < limits::cluster_secrets; ++i) {
            s.cluster_secrets.push_back("key-" + std::to_string(i));
        }
    }});
    check_refusals({
        {"cluster_secrets names 17 secrets; at most 16 are allowed",
         [](auto& s) { s.cluster_secrets.resize(limits::cluster_secrets + 1); }},
        {"cluster_secrets names '../key'; " + std::string{name_rule()},
         [](auto& s) { s.cluster_secrets = {"../key"}; }},
        {"cluster_secrets names 'key' twice; name it once",
         [](auto& s) {
             s.cluster_secrets = {"key", "cert", "key"};
         }},
        {"cluster_secrets names 'key', and so does secrets; name it once",
         [](auto& s) {
             s.secrets = {"key"};
             s.cluster_secrets = {"key"};
         }},
    });
}

TEST_CASE("a signature is a key and a signature in hexadecimal digits", "[spec][signature]") {
    const std::string key(64, 'a');
    const std::string rest(128, '0');
    check_sound({[&](auto& s) { s.signature = key + ' ' + rest; }});
    const std::string what =
        "signature is not the key of a signer, a space and a signature, with 64 and 128 "
        "hexadecimal digits; 'muster apply --sign FILE' makes it";
    for (const std::string& text :
         {std::string{"x"}, key, key + rest, key + ' ' + rest + '0',
          key + ' ' + rest.substr(1) + 'g', std::string(64, 'A') + ' ' + rest, key + '-' + rest}) {
        check_refusals({{what, [&](auto& s) { s.signature = text; }}});
    }
}

TEST_CASE("a user and a group are names or numbers of accounts", "[spec]") {
    for (const std::string account :
         {"www-data", "_x", "0", "4294967294", "007", "a.b@c", "D\\u", "host$", "4294967295a"}) {
        CAPTURE(account);
        CHECK(refusal_of([&](auto& s) { s.user = s.user_group = account; }).empty());
    }
    for (const std::string& account :
         {std::string{"4294967295"}, std::string{"99999999999999999999"}, std::string{"-1"},
          std::string{"a b"}, std::string{"a:b"}, std::string{"a\nb"},
          std::string(limits::account_bytes + 1, 'x'), std::string(1, '\0')}) {
        const auto sentence = " is '" + account.substr(0, limits::name_bytes) +
                              "'; it is a number up to 4294967294, or a name of at most 255 "
                              "letters, digits and . _ - @ $ \\";
        CHECK(refusal_of([&](auto& s) { s.user = account; }) == "user" + sentence);
        CHECK(refusal_of([&](auto& s) { s.user_group = account; }) == "user_group" + sentence);
    }
}

TEST_CASE("umask and nice are within the kernel's ranges", "[spec]") {
    check_sound({
        [](auto& s) { s.umask = 0; },
        [](auto& s) { s.umask = 0777; },
        [](auto& s) { s.nice = -20; },
        [](auto& s) { s.nice = 19; },
    });
    check_refusals({
        {"umask is 1000; it is 000 to 777 in octal digits", [](auto& s) { s.umask = 01000; }},
        {"nice is -21; it is -20 to 19", [](auto& s) { s.nice = -21; }},
        {"nice is 20; it is -20 to 19", [](auto& s) { s.nice = 20; }},
    });
}

TEST_CASE("kernel limits have the kernel's names, and the soft one is not the larger", "[spec]") {
    constexpr auto none = RlimitValue::unlimited;
    check_sound({
        [](auto& s) {
            s.rlimits["nofile"] = {RlimitValue{1024}, RlimitValue{1024}};
        },
        [](auto& s) {
            s.rlimits["core"] = {RlimitValue{0}, none};
        },
        [](auto& s) {
            for (const auto name : rlimit_names()) {
                s.rlimits[std::string{name}] = {none, none};
            }
        },
    });
    check_refusals({
        {"rlimits names a resource that is 'files'; it is one of as core cpu data fsize memlock "
         "msgqueue nice nofile nproc rtprio rttime sigpending stack",
         [](auto& s) { s.rlimits["files"] = {}; }},
        {"rlimits has for stack the soft limit 9 above the hard limit 8; soft is at most hard",
         [](auto& s) {
             s.rlimits["stack"] = {RlimitValue{9}, RlimitValue{8}};
         }},
        {"rlimits has for cpu the soft limit unlimited above the hard limit 8; soft is at most "
         "hard",
         [](auto& s) {
             s.rlimits["cpu"] = {none, RlimitValue{8}};
         }},
    });
    CHECK(rlimit_resource("nofile") == RLIMIT_NOFILE);
    CHECK(rlimit_resource("stack") == RLIMIT_STACK);
    CHECK(rlimit_resource("memlock") == RLIMIT_MEMLOCK);
    CHECK_FALSE(rlimit_resource("NOFILE"));
    CHECK(rlimit_names().size() <= limits::rlimits);
    CHECK(raw(RlimitValue::unlimited) == RLIM_INFINITY);
}

TEST_CASE("a cgroup limit is large enough to start, or unlimited", "[spec]") {
    check_sound({
        [](auto& s) { s.limits = {.cpu_milli = 10, .memory_bytes = 1'048'576, .pids = 2}; },
        [](auto& s) {
            s.limits = {limits::cpu_milli, limits::memory_bytes, limits::cgroup_pids};
        },
    });
    check_refusals({
        {"limits has cpu 0.009 cores; it is 0.01 cores to 1000000 cores, or 0 for no bound",
         [](auto& s) { s.limits.cpu_milli = 9; }},
        {"limits has memory 1023.9KiB; it is 1MiB to 1024TiB, or 0 for no bound",
         [](auto& s) { s.limits.memory_bytes = 1'048'575; }},
        {"limits has pids 1; it is 2 to 4194304, or 0 for no bound",
         [](auto& s) { s.limits.pids = 1; }},
    });
}

TEST_CASE("kept output of a task has bounds", "[spec]") {
    check_sound({
        [](auto& s) { s.log = {.max_bytes = 65'536, .max_age = 1min}; },
        [](auto& s) { s.log = {.max_bytes = 1'073'741'824, .max_age = 24h * 365}; },
    });
    check_refusals({
        {"log has max 63.9KiB; it is 64KiB to 1GiB", [](auto& s) { s.log.max_bytes = 65'535; }},
        {"log has max 1.5GiB; it is 64KiB to 1GiB",
         [](auto& s) { s.log.max_bytes = 1'610'612'736; }},
        {"log has max_age 59s; it is 1m to 8760h, or 0s for any age",
         [](auto& s) { s.log.max_age = 59s; }},
    });
}

TEST_CASE("restarts have a first delay, a number and a window, each with bounds", "[spec]") {
    check_sound({
        [](auto& s) {
            s.restart = {RestartPolicy::never, 100ms, 1, 1s};
        },
        [](auto& s) {
            s.restart = {RestartPolicy::on_failure, 5min, 1'000, 24h};
        },
    });
    check_refusals({
        {"restart has backoff 99ms; it is 100ms to 5m", [](auto& s) { s.restart.backoff = 99ms; }},
        {"restart has backoff 6m; it is 100ms to 5m", [](auto& s) { s.restart.backoff = 6min; }},
        {"restart has backoff 100ms and a part of a millisecond; write whole ones",
         [](auto& s) { s.restart.backoff = 100'500us; }},
        {"restart has max 0; it is 1 to 1000", [](auto& s) { s.restart.max = 0; }},
        {"restart has max 1001; it is 1 to 1000", [](auto& s) { s.restart.max = 1'001; }},
        {"restart has window 999ms; it is 1s to 24h", [](auto& s) { s.restart.window = 999ms; }},
        {"restart has window 25h; it is 1s to 24h", [](auto& s) { s.restart.window = 25h; }},
    });
}

TEST_CASE("a start_timeout is whole milliseconds up to an hour", "[spec]") {
    check_sound({[](auto& s) { s.start_timeout = 1ms; }, [](auto& s) { s.start_timeout = 1h; }});
    check_refusals({
        {"start_timeout is 2h; it is 0s to 1h", [](auto& s) { s.start_timeout = 2h; }},
        {"start_timeout is 1ms and a part of a millisecond; write whole ones",
         [](auto& s) { s.start_timeout = 1500us; }},
    });
}

// Goal: an exclusive instance never has two copies, and a file need not set max_surge for it.
// Method: every combination of set and not set.
TEST_CASE("an exclusive task has max_surge 0, set or not", "[spec]") {
    TaskSpec spec;
    spec.update.max_surge = max_surge_unsaid;
    apply_defaults(spec);
    CHECK(spec == TaskSpec{});
    spec.exclusive = true;
    apply_defaults(spec);
    CHECK(spec.update.max_surge == 1);
    spec.update.max_surge = max_surge_unsaid;
    apply_defaults(spec);
    CHECK(spec.update == UpdatePolicy{.max_surge = 0, .max_unavailable = 1});
    check_sound({[](auto& s) {
        s.exclusive = true;
        s.update.max_surge = 0;
    }});
    check_refusals({
        {"update has max_surge 1 beside exclusive, which never has two copies of an instance; "
         "leave max_surge out, or write 0",
         [](auto& s) { s.exclusive = true; }},
        {"update has max_unavailable 0 beside exclusive, which makes max_surge 0, so that no "
         "roll-out could ever begin; max_unavailable is 1 or more",
         [](auto& s) {
             s.exclusive = true;
             s.update = {0, 0};
         }},
    });
}
