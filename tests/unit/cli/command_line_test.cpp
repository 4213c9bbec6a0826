#include "cli/command_line.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/settings.hpp"
#include "cli/subjects/requests.hpp"
#include "cli/verb_table.hpp"
#include "common/base/limits.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

using Typed = std::vector<std::string>;

CommandLine read(const Typed& words) {
    auto line = read_command_line(words);
    INFO((line ? "" : line.error().detail));
    REQUIRE(line);
    return *line;
}

std::string complaint_about(const Typed& words) {
    const auto line = read_command_line(words);
    REQUIRE_FALSE(line);
    CHECK(line.error().code == Errc::invalid);
    return line.error().detail;
}

/// As a shell reads them, which knows $KEY and leaves out what is read from or written to files.
Typed words_of(const std::string& typed) {
    Typed words{""};
    bool is_quoted = false;
    for (const char c : typed) {
        if (c == '\'') {
            is_quoted = !is_quoted;
        } else if (c == ' ' && !is_quoted) {
            words.emplace_back();
        } else if (c != '(' && c != ')') {
            words.back() += c;
        }
    }
    std::ranges::replace(words, "<muster", "muster");  // source <(muster completion bash)
    std::ranges::replace(words, "$KEY", std::string(64, 'a'));
    std::erase_if(words, [](const std::string& word) {
        return word.starts_with('<') || word.starts_with('>');
    });
    return words;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

// Goal: an option can be anywhere on the line.
// Method: the same command line in every spelling.
TEST_CASE("an option is read before, between and after the words, in each of its spellings",
          "[cli]") {
    const std::vector<Typed> spellings{
        {"task", "scale", "web", "4", "--timeout", "7s"},
        {"task", "scale", "web", "4", "-t", "7s"},
        {"task", "scale", "web", "4", "-t7s"},
        {"--timeout=7s", "task", "scale", "web", "4"},
        {"-t", "7s", "task", "scale", "web", "4"},
        {"task", "-t7s", "scale", "web", "4"},
    };
    for (const Typed& words : spellings) {
        const auto line = read(words);
        CHECK(line.verb == Verb::task_scale);
        CHECK(line.arguments == Typed{"web", "4"});
        CHECK(line.value("--timeout") == "7s");
    }
}

TEST_CASE("a task can have the name of a verb", "[cli]") {
    CHECK(read({"task", "show", "list"}).arguments == Typed{"list"});
    CHECK(read({"task", "remove", "status"}).arguments == Typed{"status"});
    CHECK(read({"wait", "wait"}).verb == Verb::wait);
}

TEST_CASE("a word after two dashes is not an option", "[cli]") {
    const auto line =
        read({"task", "add", "web", "-n", "2", "--", "/bin/sh", "-c", "exit 1", "--"});
    CHECK(line.arguments == Typed{"web", "/bin/sh", "-c", "exit 1", "--"});
    CHECK(line.value("--instances") == "2");
}

TEST_CASE("the last of repeated options counts, and --env collects all", "[cli]") {
    const auto line = read({"task", "add", "w", "-n1", "-n2", "-e", "A=1", "-e", "B=2", "--", "x"});
    CHECK(line.value("--instances") == "2");
    CHECK(line.values("--env") == Typed{"A=1", "B=2"});
}

// Goal: a mistyped command gets an error with the correct form.
// Method: each kind of mistake, and the words that help a person.
TEST_CASE("a wrong command line is answered with the correct form", "[cli]") {
    CHECK(contains(complaint_about({"statuz"}), "did you mean 'status'?"));
    CHECK(complaint_about({"task", "scael", "web", "3"}) ==
          "there is no verb 'task scael': did you mean 'task scale'? 'muster help task' lists all");
    CHECK(contains(complaint_about({"task", "frobnicate"}), "'muster help task' lists all"));
    CHECK(contains(complaint_about({"frobnicate"}), "'muster help' lists all"));
    CHECK(complaint_about({"node"}) ==
          "'node' is followed by one of list, show, offline, online, drain, forgive, add, remove, "
          "apply, accept");
    CHECK(contains(complaint_about({"complet"}), "did you mean 'completion'?"));
    CHECK(contains(complaint_about({"log-level", "debug"}), "did you mean 'log level'?"));
    CHECK(contains(complaint_about({"status", "--coord", "x"}), "did you mean '--coordinator'?"));
    CHECK(contains(complaint_about({"status", "--chek"}), "did you mean '--check'?"));
    CHECK(contains(complaint_about({"status", "now"}),
                   "unexpected argument 'now'; usage: muster status"));
    CHECK(
        contains(complaint_about({"task", "scale", "web"}), "muster task scale PATTERN INSTANCES"));
    const auto two_files = request_of(read({"plan", "-f", "a", "-f", "b"}));
    REQUIRE_FALSE(two_files);
    CHECK(contains(two_files.error().error.detail, "--file is given twice"));
    CHECK(contains(complaint_about({"task", "scale", "web", "-x"}), "no option -x"));
    const auto below_zero = request_of(read({"task", "scale", "web", "-1"}));
    REQUIRE_FALSE(below_zero);
    CHECK(below_zero.error().usage);
    CHECK(contains(below_zero.error().error.detail,
                   "INSTANCES is a number from 0 to 100000, not '-1'"));
    CHECK(contains(complaint_about({"status", "--output"}), "--output needs a value, FORMAT"));
    CHECK(complaint_about({"status", "-o", "yaml"}) == "--output is one of table json, not 'yaml'");
    CHECK(complaint_about({"log", "level", "loud"}) ==
          "LEVEL is one of trace debug info warn error, not 'loud'");
    CHECK(complaint_about({"limit", "set", "foo", "3"}) ==
          "NAME is one of starts_per_round moves_per_round, not 'foo'");
    CHECK(contains(complaint_about({"completion", "fish"}), "SHELL is one of bash zsh"));
    CHECK(contains(complaint_about({"task", "add", "x", "--restart", "often", "--", "y"}),
                   "on-failure"));
    CHECK(contains(complaint_about({"status", "--watch=yes"}), "takes no value"));
    CHECK(contains(complaint_about({"-o", "json"}), "a verb is missing"));
}

// Goal: an operator who writes the number of instances as in the text protocol learns the option.
// Method: a number in place of the program; also after two dashes, where it is a program.
TEST_CASE("a number in place of the program gives a hint at -n", "[cli]") {
    const auto wrong = request_of(read({"task", "add", "s", "3", "sleep", "60"}));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().usage);
    CHECK(wrong.error().error.detail ==
          "'3' would be the program of task 's'; set the number of instances with -n, as in: "
          "muster task add s -n 3 -- PROGRAM");
    CHECK(request_of(read({"task", "add", "s", "--", "3", "sleep"})));
    CHECK(request_of(read({"task", "add", "s", "3d-viewer"})));
}

TEST_CASE("too many instances are refused before anything is sent", "[cli]") {
    for (const Typed& words : {Typed{"task", "scale", "web", "100001"},
                               Typed{"task", "add", "web", "-n", "100001", "--", "x"}}) {
        const auto request = request_of(read(words));
        REQUIRE_FALSE(request);
        CHECK(request.error().usage);
        CHECK(contains(request.error().error.detail, "is a number from 0 to 100000, not '100001'"));
    }
}

// Goal: both verbs with --since accept a duration or a time.
// Method: each form, and invalid forms; a number stays the number of an event.
TEST_CASE("events and logs take a time for --since", "[cli]") {
    for (const std::string since : {"10m", "2023-11-14", "2023-11-14 22:13", "2023-11-14T22:13:20Z",
                                    "2023-11-14 22:13:20.123Z"}) {
        CAPTURE(since);
        const auto events = request_of(read({"events", "--since", since}));
        REQUIRE(events);
        CHECK(std::get<EventsRequest>(*events).since == 0);
        const auto logs = request_of(read({"logs", "web.0", "--since", since}));
        REQUIRE(logs);
        CHECK(std::get<LogsRequest>(*logs).since_ms >= 600'000);
    }
    CHECK(std::get<EventsRequest>(*request_of(read({"events", "--since", "42"}))).since == 42);
    for (const std::string since : {"soon", "2023-14-11", "9999-01-01", "0s"}) {
        CAPTURE(since);
        const auto events = request_of(read({"events", "--since", since}));
        REQUIRE_FALSE(events);
        CHECK(events.error().usage);
        CHECK_FALSE(request_of(read({"logs", "web.0", "--since", since})));
    }
}

TEST_CASE("help ignores the rest of a command line", "[cli]") {
    CHECK(read({}).verb == Verb::help);
    CHECK(read({"--help"}).verb == Verb::help);
    const auto line = read({"task", "scale", "--help", "-o", "json"});
    CHECK(line.verb == Verb::help);
    CHECK(line.arguments == Typed{"task scale"});
    CHECK(line.wants_json());
    for (const Typed& words :
         {Typed{"node", "--help"}, Typed{"-h", "node"}, Typed{"help", "node"}}) {
        CHECK(read(words).verb == Verb::help);
        CHECK(read(words).arguments == Typed{"node"});
    }
    CHECK(read({"-o", "json", "--help"}).wants_json());
    CHECK(read({"task", "show", "--", "--help"}).verb == Verb::task_show);
}

TEST_CASE("the version is also an option, as in other programs", "[cli]") {
    CHECK(read({"--version"}).verb == Verb::version);
    CHECK(read({"--version", "-o", "json"}).wants_json());
    CHECK(contains(complaint_about({"status", "--version"}), "no option --version"));
}

// Goal: help fits a usual terminal, and each order of words is correct.
// Method: measure every help text; and the one verb that ends with a command.
TEST_CASE("help fits 80 columns and shows where options go", "[cli]") {
    std::string all = help_text() + help_text("task", verbs_under("task"));
    for (const VerbEntry& entry : verb_table()) {
        all += help_text(entry);
    }
    for (std::size_t begin = 0; begin < all.size();) {
        const auto end = all.find('\n', begin);
        const auto line = all.substr(begin, end - begin);
        CAPTURE(line);
        CHECK(line.size() <= 80);
        CHECK((line.empty() || line.back() != ' '));
        begin = end + 1;
    }
    CHECK(contains(help_text(entry_of(Verb::task_add)),
                   "usage: muster task add NAME [OPTIONS] -- COMMAND [ARG...]\n"));
    CHECK(contains(help_text(entry_of(Verb::status)), "usage: muster status [OPTIONS]\n"));
    CHECK(verbs_under("node").size() == 10);
    CHECK(verbs_under("nod").empty());
}

TEST_CASE("a broken command line still decides whether its error is JSON", "[cli]") {
    CHECK(asks_for_json(Typed{"stauts", "-o", "json"}));
    CHECK(asks_for_json(Typed{"--output=json"}));
    CHECK(asks_for_json(Typed{"-ojson", "x"}));
    CHECK_FALSE(asks_for_json(Typed{"status", "-o", "table"}));
    CHECK_FALSE(asks_for_json(Typed{"task", "add", "x", "--", "-o", "json"}));
}

// Goal: the table is consistent, because parsing, help and completion rely on it.
// Method: compare each entry with itself and the others.
TEST_CASE("every verb has an example that can be typed, and distinct options", "[cli]") {
    for (const VerbEntry& entry : verb_table()) {
        CAPTURE(entry.words);
        CHECK(&entry_of(entry.verb) == &entry);
        CHECK(entry.count().least <= entry.count().most);
        CHECK(contains(example_of(entry), "muster " + std::string{entry.words}));
        std::set<std::string_view> names;
        std::set<char> letters;
        for (const auto options : {entry.options, common_options()}) {
            for (const OptionEntry& option : options) {
                CHECK(option.name.starts_with("--"));
                CHECK(names.insert(option.name).second);
                CHECK((option.letter == '\0' || letters.insert(option.letter).second));
            }
        }
        CHECK(contains(help_text(), std::string{entry.words}));
        CHECK(contains(help_text(entry), example_of(entry)));
    }
}

// Goal: an example can be typed as it is. Method: each is read like the words of a shell, and its
// request is made. A file that an example names is not here, which is no fault of the line.
TEST_CASE("the example of every verb is understood", "[cli]") {
    for (const VerbEntry& entry : verb_table()) {
        const std::string example = example_of(entry);
        CAPTURE(example);
        const Typed words = words_of(example);
        const auto begin = std::ranges::find(words, "muster");
        REQUIRE(begin != words.end());
        const CommandLine line = read(Typed{begin + 1, words.end()});
        CHECK(line.verb == entry.verb);
        const bool asks = entry.run != Run::local && entry.run != Run::store &&
                          entry.run != Run::doctor && entry.run != Run::bundle;
        if (!asks) {
            continue;
        }
        if (const auto made = request_of(line); !made) {
            INFO(made.error().error.detail);
            CHECK_FALSE(made.error().usage);
            CHECK(made.error().error.code != Errc::invalid);
        }
    }
}

TEST_CASE("an option of one name takes a value in every verb or in none", "[cli]") {
    std::set<std::string_view> flags;
    std::set<std::string_view> with_value;
    for (const VerbEntry& entry : verb_table()) {
        for (const OptionEntry& option : entry.options) {
            (option.value.empty() ? flags : with_value).insert(option.name);
        }
    }
    for (const std::string_view flag : flags) {
        CHECK_FALSE(with_value.contains(flag));
    }
}

TEST_CASE("each exit code has its errors", "[cli]") {
    CHECK(exit_code_of(Errc::unreachable) == ExitCode::unreachable);
    CHECK(exit_code_of(Errc::not_leader) == ExitCode::unreachable);
    CHECK(exit_code_of(Errc::timeout) == ExitCode::timeout);
    CHECK(exit_code_of(Errc::exists) == ExitCode::refused);
    CHECK(exit_code_of(Errc::invalid) == ExitCode::refused);
    CHECK(exit_code_of(Errc::not_found) == ExitCode::error);
    CHECK(exit_code_of(Errc::io) == ExitCode::error);
}

// Goal: the command line has every placement rule of a task file.
TEST_CASE("task add takes every rule of placement", "[cli][placement]") {
    const auto request = request_of(read({"task",        "add",
                                          "web",         "--pool",
                                          "gpu",         "--slots",
                                          "2",           "--cpu",
                                          "0.5",         "--memory",
                                          "64MiB",       "--constraint",
                                          "rack != r7",  "--constraint=cores >= 16",
                                          "--spread",    "zone",
                                          "--group",     "front",
                                          "--pinned",    "--priority",
                                          "-5",          "--reschedule-after",
                                          "5m",          "--reconcile",
                                          "replacement", "--restart",
                                          "never",       "--",
                                          "server"}));
    REQUIRE(request);
    const auto& task = std::get<TaskAddRequest>(*request).task;
    PlacementRule rule;
    rule.pool = "gpu";
    rule.constraints = {*parse_constraint("rack != r7"), *parse_constraint("cores >= 16")};
    rule.request = {.cpu_milli = 500, .memory_bytes = std::uint64_t{64} << 20U, .slots = 2};
    rule.spread = "zone";
    rule.group = "front";
    rule.pinned = true;
    rule.priority = -5;
    rule.reschedule_after = 5min;
    rule.reconcile = Reconcile::replacement;
    CHECK(task.place == rule);
    CHECK(task.spec.restart.policy == RestartPolicy::never);

    const auto everywhere = request_of(read({"task", "add", "watch", "--every-node", "--", "x"}));
    REQUIRE(everywhere);
    CHECK(std::get<TaskAddRequest>(*everywhere).task.place.every_node);
}

TEST_CASE("a placement rule that makes no sense is refused before anything is sent",
          "[cli][placement]") {
    const auto refused = [](std::vector<std::string> options) {
        std::vector<std::string> words{"task", "add", "web"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", "x"});
        const auto request = request_of(read(words));
        REQUIRE_FALSE(request);
        return request.error().error.detail;
    };
    CHECK(contains(refused({"--cpu", "-1"}), "--cpu: '-1' is not a number of cores; write 2, 1.5"));
    CHECK(contains(refused({"--slots", "4294967296"}), "--slots is a number from 0 to 4294967295"));
    CHECK(contains(refused({"--memory",
                            "64"
                            "M"}),
                   "--memory: '64M' is not a size; write 512KiB, 64MiB"));
    CHECK(contains(refused({"--memory", "9000000TiB"}), "--memory is too large"));
    CHECK(contains(refused({"--constraint", "rack"}), "write rack = r7"));
    CHECK(contains(refused({"--constraint", "a = b", "--constraint", "a = c"}),
                   "leave no value of a"));
    CHECK(contains(refused({"--priority", "1001"}), "priority is 1001; it is -1000 to 1000"));
    CHECK(contains(refused({"--reschedule-after", "5"}),
                   "--reschedule-after: '5' is not a duration"));
    CHECK(contains(refused({"--group", "a\x1b[2J"}), "a name is 1 to 63"));
    CHECK(contains(refused({"--every-node", "-n", "3"}), "beside every_node"));
}

TEST_CASE("plan takes a what-if question or a file, and never both", "[cli][what_if]") {
    const auto what_if = request_of(read({"plan", "--fail", "node=n7", "--fail", "rack=r3",
                                          "--without-task", "x", "--add-nodes", "5"}));
    REQUIRE(what_if);
    CHECK(std::get<PlanRequest>(*what_if) == PlanRequest{{"node=n7", "rack=r3"}, {"x"}, 5, false});
    const auto many = request_of(read({"plan", "--add-nodes", "4000000"}));
    REQUIRE_FALSE(many);
    CHECK(many.error().error.detail ==
          "--add-nodes is a number from 0 to " + std::to_string(limits::nodes) + ", not '4000000'");
    const auto rebalance = request_of(read({"plan", "--rebalance"}));
    REQUIRE(rebalance);
    CHECK(std::get<PlanRequest>(*rebalance).rebalance);
    for (const auto& words :
         {Typed{"plan", "--fail", "node=n7", "-f", "tasks.toml"},
          Typed{"plan", "--rebalance", "--replace"}, Typed{"plan", "--add-nodes", "-1"},
          Typed{"plan", "--fail", "rack"}, Typed{"plan", "--fail", "rack="},
          Typed{"plan", "--fail", "=r3"}, Typed{"plan"}}) {
        const auto request = request_of(read(words));
        REQUIRE_FALSE(request);
        CHECK(request.error().usage);
    }
}

TEST_CASE("apply, plan and task add can force a label that no node has", "[cli][placement]") {
    CHECK_FALSE(std::get<TaskAddRequest>(*request_of(read({"task", "add", "a", "--", "x"}))).force);
    CHECK(std::get<TaskAddRequest>(*request_of(read({"task", "add", "a", "--force", "--", "x"})))
              .force);
    CHECK(read({"apply", "-f", "x", "--force"}).has("--force"));
    CHECK(read({"plan", "-f", "x", "--force"}).has("--force"));
    CHECK(std::holds_alternative<RebalanceRequest>(*request_of(read({"rebalance"}))));
}

TEST_CASE("explain asks of an instance, a task or a node", "[cli][explain]") {
    const auto subject_of = [](const Typed& words) {
        const auto request = request_of(read(words));
        REQUIRE(request);
        return std::get<ExplainRequest>(*request);
    };
    CHECK(subject_of({"explain", "instance", "web.3"}) ==
          ExplainRequest{Subject::instance, "web.3"});
    CHECK(subject_of({"explain", "task", "web"}) == ExplainRequest{Subject::task, "web"});
    CHECK(subject_of({"explain", "node", "n7"}) == ExplainRequest{Subject::node, "n7"});
    CHECK(subject_of({"explain", "web.3"}) == ExplainRequest{Subject::any, "web.3"});
    CHECK(contains(complaint_about({"explain"}),
                   "an argument is missing; usage: muster explain NAME"));
}

// Goal: one rule selects the coordinator. Method: option, environment, neither.
TEST_CASE("the option overrides the environment, and both override the default", "[cli]") {
    const Environment environment{.coordinator = "tcp://127.0.0.1:8001", .events = ""};
    const auto by_option =
        settings_of(read({"status", "-c", "tcp://127.0.0.1:9001"}), environment, {});
    REQUIRE(by_option);
    CHECK(by_option->coordinator == "tcp://127.0.0.1:9001");
    CHECK(by_option->events.empty());
    const auto by_environment = settings_of(read({"status"}), environment, {});
    REQUIRE(by_environment);
    CHECK(by_environment->coordinator == "tcp://127.0.0.1:8001");
    const auto by_default =
        settings_of(read({"status", "--run-dir", "/nonexistent"}), Environment{}, {});
    REQUIRE(by_default);
    CHECK(by_default->coordinator == "tcp://127.0.0.1:7701");
    CHECK(by_default->timeout == 5s);
}

TEST_CASE("an address of no host, or an invalid time, is refused before anything is sent",
          "[cli]") {
    CHECK_FALSE(settings_of(read({"status", "-c", "tcp://0.0.0.0:7701"}), {}, {}));
    CHECK(settings_of(read({"status", "-c", "garbage", "--run-dir", "/nonexistent"}), {}, {})
              .error()
              .detail ==
          "--coordinator: 'garbage' is not an endpoint; write tcp://127.0.0.1:PORT or "
          "ipc:///PATH; the default is tcp://127.0.0.1:7701");
    CHECK(contains(
        settings_of(read({"status"}), {.coordinator = "tcp://x", .events = ""}, {}).error().detail,
        "MUSTER_COORDINATOR: "));
    CHECK_FALSE(settings_of(read({"status", "-c", "tcp://127.0.0.1:*"}), {}, {}));
    CHECK_FALSE(settings_of(read({"status", "--timeout", "soon"}), {}, {}));
    CHECK_FALSE(settings_of(read({"status", "--timeout", "0s"}), {}, {}));
    CHECK(settings_of(read({"wait", "web"}), {}, {})->timeout == 30s);
}
