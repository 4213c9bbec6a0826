#include "cli/subjects/render.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "common/spec/description.hpp"
#include "tests/unit/common/codec/codec_samples.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

constexpr CivilMs now{1'700'000'000'000};

/// Puts terminal escapes into each text.
struct Poison {
    void operator()(std::string_view, auto& member, const codec::Rule&) const { fill(member); }

    template <class T>
    void fill(T& into) const {
        if constexpr (std::is_class_v<T> && requires { codec::fields(*this, into); }) {
            codec::fields(*this, into);
        }
    }
    void fill(std::string& into) const { into += "\x1b[2J\xc2\x9b\x07\nforged\r"; }
    template <class T>
    void fill(std::vector<T>& into) const {
        for (T& one : into) {
            fill(one);
        }
    }
    void fill(std::map<std::string, std::string>& into) const {
        std::string key;
        fill(key);
        fill(into[key]);
    }
};

CivilMs seconds_ago(std::int64_t seconds) { return CivilMs{raw(now) - seconds * 1000}; }

}  // namespace

// Goal: a person sees at once whether everything is well. Method: both cases as literals.
TEST_CASE("status is a few lines, and the last one is the verdict", "[cli]") {
    StatusReply status;
    status.cluster = {1, 2};
    status.epoch = Epoch{3};
    status.round = Round{40};
    status.phase = "leading";
    status.nodes = status.serving = 3;
    status.tasks = 2;
    status.wanted = status.running = 6;
    status.converged = true;
    CHECK(render(status, now, {}) ==
          "cluster     00000000000000010000000000000002\n"
          "leader      leading, epoch 3, round 40\n"
          "nodes       3 of 3 serving\n"
          "tasks       2\n"
          "instances   6 of 6 running\n"
          "state       converged\n");
    status.nodes = 4;
    status.lost = 1;
    status.converged = false;
    status.running = 3;
    status.starting = status.backoff = status.unplaced = 1;
    status.rolling = status.moving = 2;
    status.unplaced_reasons = {{"max_per_node",
                                1,
                                "every serving node has one",
                                "web",
                                {{"max_per_node", 3, ""}, {"label", 1, "rack != r7"}}}};
    status.alarms = {"ahead: n9\x1b[2J"};
    CHECK(render(status, now, {}) ==
          "cluster     00000000000000010000000000000002\n"
          "leader      leading, epoch 3, round 40\n"
          "nodes       3 of 4 serving, 1 lost\n"
          "tasks       2\n"
          "instances   3 of 6 running, 1 starting, 1 in back-off, 1 unplaced\n"
          "unplaced    1: every serving node has one\n"
          "            no eligible node for web: 3 max_per_node, 1 label rack != r7\n"
          "alarm       ahead: n9?[2J\n"
          "state       not converged, 2 rolling, 2 moving\n");
}

// Goal: a narrow terminal cuts off nothing important.
// Method: 40 columns for an alarm and for a reason, which are longer.
TEST_CASE("long sentences wrap in a narrow terminal", "[cli]") {
    StatusReply status;
    status.phase = "leading";
    status.alarms = {"lost: node1, node2, node3, node4"};
    const auto text = render(status, now, {.columns = 40});
    CAPTURE(text);
    CHECK(text.find("alarm       lost: node1, node2, node3,\n"
                    "            node4\n") != std::string::npos);
    TaskListReply list;
    list.tasks = {{"web", 2, 1, Generation{4}, "unplaced", "1 unplaced: no node serves"}};
    CHECK(render(list, now, {.columns = 62}) ==
          "TASK  STATE     RUNNING  GENERATION  DETAIL\n"
          "web   unplaced  1/2      4           1 unplaced: no node\n"
          "                                     serves\n");
}

TEST_CASE("a node is shown with its resources and its instances", "[cli]") {
    NodeShowReply reply;
    reply.node = {.name = "n1",
                  .health = "healthy",
                  .note = "",
                  .incarnation = Incarnation{2},
                  .instances = 1,
                  .load_milli = 1250,
                  .last_answer = seconds_ago(1),
                  .version = "0.1.0",
                  .intent = "active"};
    InstanceView instance;
    instance.id = {"web", 0};
    instance.node = "n1";
    instance.state = "running";
    instance.generation = Generation{7};
    instance.started = seconds_ago(75);
    reply.instances.push_back(instance);
    reply.offer.labels = {{"rack", "r7"}};
    reply.offer.capacity.cpu_milli = 4000;
    reply.offer.reserved.cpu_milli = 500;
    reply.limits = {{"cpu", true, "cgroup v2"}, {"pids", false, "no such controller"}};
    CHECK(render(reply, now, {}) ==
          "NODE  HEALTH   INTENT  INSTANCES  HOST LOAD  ANSWERED  INCARNATION  VERSION\n"
          "n1    healthy  active  1          1.25       1s        2            0.1.0\n"
          "\n"
          "listed      no\n"
          "pool        default\n"
          "label       rack = r7\n"
          "cpu         4 cores, of which 0.5 cores are reserved\n"
          "memory      unlimited\n"
          "slots       unlimited\n"
          "limit       cpu is enforced by cgroup v2\n"
          "limit       pids is not enforced: no such controller\n"
          "\n"
          "INSTANCE  NODE  STATE    UP     RESTARTS  GENERATION\n"
          "web.0     n1    running  1m15s  0         7\n");
}

TEST_CASE("a task shows its command as it could be typed, and why it failed", "[cli]") {
    TaskShowReply reply;
    reply.task = {.name = "web",
                  .instances = 1,
                  .running = 0,
                  .generation = Generation{4},
                  .state = "failed",
                  .detail = "web.0 on n2: no such file"};
    reply.wanted.name = "web";
    reply.wanted.spec.argv = {"/bin/sh", "-c", "echo 'a b'"};
    InstanceView instance;
    instance.id = {"web", 0};
    instance.node = "n2";
    instance.state = "failed";
    instance.exit_code = 1;
    instance.detail = "no such file";
    reply.instances.push_back(instance);
    const auto text = render(reply, now, {});
    CAPTURE(text);
    CHECK(text.find("command     /bin/sh -c 'echo '\\''a b'\\'''\n") != std::string::npos);
    CHECK(text.find("state       failed\n") != std::string::npos);
    CHECK(text.find("web.0     n2    failed  -   0         exit 1") != std::string::npos);
    CHECK(text.find("no such file") == text.rfind("no such file"));  // A reason is shown once.
    reply.unplaced_reasons = {{"no_nodes", 1, "no node serves"}};
    CHECK(render(reply, now, {}).find("unplaced    1: no node serves\n") != std::string::npos);
}

TEST_CASE("a task shows exactly the values that differ from the defaults", "[cli][spec]") {
    TaskShowReply reply;
    reply.task.name = reply.wanted.name = "web";
    TaskSpec& spec = reply.wanted.spec;
    spec.argv = {"server"};
    const auto facts = [&] {
        const auto text = render(reply, now, {});
        return text.substr(text.find("command"), text.find("\n\n") + 1 - text.find("command"));
    };
    CHECK(facts() ==
          "command     server\n"
          "directory   one of its own\n"
          "restart     always\n"
          "stop        TERM, killed after 10s\n"
          "update      1 more, 1 fewer at a time, each healthy after 10s\n");
    spec.env_files = {"/etc/web.env"};
    spec.secrets = {"key"};
    spec.user = "www";
    spec.user_group = "33";
    spec.umask = 022;
    spec.nice = -5;
    spec.rlimits = {{"core", {}}, {"nofile", {RlimitValue{1024}, RlimitValue{4096}}}};
    spec.limits = {.cpu_milli = 500, .memory_bytes = 0, .pids = 100};
    spec.log = {.max_bytes = 65'536, .max_age = 24h};
    spec.sandbox = Sandbox::strict;
    spec.pre_start = {"mkdir", "a b"};
    spec.post_stop = {"rmdir", "a b"};
    spec.start_timeout = 30s;
    spec.restart = {RestartPolicy::on_failure, 2s, 5, 1min};
    spec.update.max_surge = 0;
    spec.exclusive = true;
    CHECK(facts() ==
          "command     server\n"
          "env file    /etc/web.env\n"
          "secret      key\n"
          "directory   one of its own\n"
          "user        www\n"
          "user group  33\n"
          "umask       022\n"
          "nice        -5\n"
          "rlimit      core unlimited\n"
          "rlimit      nofile 1024, which it may raise to 4096\n"
          "limits      0.5 cores, 100 pids\n"
          "sandbox     strict\n"
          "log         64KiB of each stream, of the last 24h\n"
          "pre_start   mkdir 'a b'\n"
          "post_stop   rmdir 'a b'\n"
          "start       within 30s\n"
          "restart     on-failure, after 2s and longer, failed after 5 starts in 1m\n"
          "stop        TERM, killed after 10s\n"
          "update      0 more, 1 fewer at a time, each healthy after 10s\n"
          "exclusive   never two copies of an instance\n");
}

TEST_CASE("a change lists what it affects and counts what it leaves", "[cli]") {
    ChangeReply reply;
    reply.changes = {{"api", "unchanged", 2, 2, {}, Generation{1}},
                     {"db", "scale", 1, 3, {}, Generation{2}},
                     {"log", "add", 0, 1, {}, Generation{3}, true},
                     {"web", "change", 1, 1, {"argv", "env"}, Generation{9}}};
    CHECK(changes_anything(reply));
    CHECK(render(reply, now, {}) ==
          "TASK  ACTION  INSTANCES        GENERATION  CHANGED\n"
          "db    scale   1 -> 3           2\n"
          "log   add     0 -> every node  3\n"
          "web   change  1                9           argv, env\n"
          "3 tasks changed, 1 unchanged\n");
    reply.changes.resize(1);
    reply.dry_run = true;
    CHECK_FALSE(changes_anything(reply));
    CHECK(render(reply, now, {}) == "nothing to change, 1 unchanged\n");
}

// Goal: a change shows its old and new state correctly.
// Method: one task changes to every node, one leaves it, and one stays.
TEST_CASE("a change to or from every node shows both states", "[cli]") {
    ChangeReply reply;
    reply.changes = {{"few", "change", 3, 1, {"every_node"}, Generation{1}, true},
                     {"one", "change", 1, 1, {"every_node"}, Generation{1}, false},
                     {"same", "change", 1, 1, {"pool"}, Generation{1}, true}};
    const std::string text = render(reply, now, {});
    CAPTURE(text);
    CHECK(text.find("few   change  3 -> every node  ") != std::string::npos);
    CHECK(text.find("one   change  every node -> 1  ") != std::string::npos);
    CHECK(text.find("same  change  every node       ") != std::string::npos);
}

// Goal: events can be read by column, and followed from a displayed number.
// Method: short and long names, no name, a detail of two lines.
TEST_CASE("events are aligned in columns, whatever they contain", "[cli]") {
    EventsReply reply;
    const auto add = [&](std::uint64_t sequence, const char* topic, const char* name,
                         const char* detail) {
        reply.events.push_back({.epoch = Epoch{1},
                                .sequence = sequence,
                                .at = now,
                                .topic = topic,
                                .name = name,
                                .detail = detail});
    };
    add(5, "leader.elected", "", "epoch 1");
    add(6, "node.lost", "n1", "silent\nfor 3 polls in a row");
    add(1234567, "task.converged", "a-long-name", "");
    CHECK(render(ReplyBody{reply}, now, {}) ==
          "     5  2023-11-14 22:13:20.000Z  leader.elected                 epoch 1\n"
          "     6  2023-11-14 22:13:20.000Z  node.lost         n1           silent?for 3 polls in "
          "a row\n"
          "1234567  2023-11-14 22:13:20.000Z  task.converged    a-long-name\n");
    CHECK(render(ReplyBody{reply}, now, {.columns = 86}).find("silent?for 3 polls in\n") !=
          std::string::npos);
    EventLines lines{{}};
    CHECK(lines.text_of(reply.events[1]) ==
          "     6  2023-11-14 22:13:20.000Z  node.lost         n1  silent?for 3 polls in a row\n");
}

// Goal: nobody takes the first kept event for the first that there was.
TEST_CASE("events since the start of the coordinator say where earlier ones are", "[cli]") {
    EventsReply reply{.epoch = Epoch{2}, .first_kept = 1, .events = {}};
    CHECK(render(ReplyBody{reply}, now, {}).empty());
    reply.events = {{.epoch = Epoch{2},
                     .sequence = 1,
                     .at = seconds_ago(185),
                     .topic = "leader.elected",
                     .name = "",
                     .detail = "epoch 2"}};
    CHECK(render(ReplyBody{reply}, now, {}) ==
          "events since the coordinator started at 2023-11-14 22:10:15.000Z (3m05s ago); earlier "
          "ones are in its log\n"
          "     1  2023-11-14 22:10:15.000Z  leader.elected      epoch 2\n");
    reply.epoch = Epoch{1};  // There were none before.
    CHECK_THAT(render(ReplyBody{reply}, now, {}), Catch::StartsWith("     1  "));
}

// Goal: no text from a cluster controls the terminal.
// Method: every answer with random contents, with escapes of both kinds and a line break in each of
// its texts.
TEST_CASE("no text of an answer controls the terminal or begins a line", "[cli][bad_input]") {
    Random random{41};
    codec_samples::Each<ReplyBody>::sample(random, [](ReplyBody body) {
        std::visit([](auto& reply) { Poison{}.fill(reply); }, body);
        const std::string shown = render(body, now, {});
        CAPTURE(body.index(), shown);
        CHECK(shown.find("\nforged") == std::string::npos);
        CHECK(std::ranges::all_of(shown, [](char c) {
            return c == '\n' || (static_cast<unsigned char>(c) >= 0x20U && c != '\x7f');
        }));
        CHECK(shown.find("\xc2\x9b") == std::string::npos);
    });
}

TEST_CASE("empty lists are shown as a sentence", "[cli]") {
    CHECK(render(NodeListReply{}, now, {}) == "no nodes\n");
    CHECK(render(TaskListReply{}, now, {}) == "no tasks\n");
    CHECK(render(StoreAcceptReply{}, now, {}) == "no node is ahead of this store\n");
}

TEST_CASE("numbers are a table, and durations show their mean, P50 and P99", "[cli]") {
    StatsReply reply;
    reply.samples = {{"muster_nodes", {}, 3}, {"muster_nodes_by_health", {{"health", "lost"}}, 1}};
    reply.durations = {{"muster_round", {}, {{500, 90}, {10'000, 9}, {0, 1}}, 250'000},
                       {"muster_store_write", {}, {{500, 0}, {0, 0}}, 0}};
    CHECK(render(reply, now, {}) ==
          "METRIC                  OF           VALUE\n"
          "muster_nodes                         3\n"
          "muster_nodes_by_health  health=lost  1\n"
          "\n"
          "TIME OF             COUNT  MEAN      P50     P99\n"
          "muster_round        100    2.500 ms  0.5 ms  10 ms\n"
          "muster_store_write  0      -         -       -\n");
}

TEST_CASE("reports are unknown before the first round, then those of each node that answered",
          "[cli]") {
    ReportedReply reply;
    CHECK(render(reply, now, {}) == "no round has closed yet, so it is not known what runs\n");
    reply.none = false;
    reply.round = Round{7};
    reply.nodes = {{"n1", Round{7}, {}}, {"n2", Round{7}, {}}};
    CHECK(render(reply, now, {}) == "round 7: 2 nodes answered\nno instances\n");
    InstanceView instance;
    instance.id = {"web", 0};
    instance.node = "n1";
    instance.state = "running";
    instance.generation = Generation{7};
    instance.started = seconds_ago(75);
    reply.nodes[0].instances = {instance};
    CHECK(render(reply, now, {}) ==
          "round 7: 2 nodes answered\n"
          "INSTANCE  NODE  STATE    UP     RESTARTS  GENERATION\n"
          "web.0     n1    running  1m15s  0         7\n");
}

// Goal: an operator sees all fields of a task, also those of later releases.
// Method: change each field of the description alone; the output must change.
TEST_CASE("task show has each field of a task", "[cli]") {
    Random random{43};
    const auto check = [&]<class Part>(Part WantedTask::*part) {
        for_each_field<Part>([&](const auto& field) {
            TaskShowReply reply;
            const std::string before = render(reply, now, {});
            std::string after = before;
            for (int i = 0; i < 100 && after == before; ++i) {
                codec_samples::Filler{random}.fill(
                    (reply.wanted.*part).*field.member,
                    codec::Rule{.bytes = 20, .count = 3, .name = field.rule.is_name});
                after = render(reply, now, {});
            }
            CAPTURE(field.name());
            CHECK(after != before);
        });
    };
    check(&WantedTask::spec);
    check(&WantedTask::place);
}

TEST_CASE("a task of every node shows as many instances as there are suitable nodes", "[cli]") {
    TaskShowReply reply;
    reply.task.name = reply.wanted.name = "mon";
    reply.task.instances = 3;
    reply.task.running = 2;
    reply.wanted.place.every_node = true;
    const auto text = render(reply, now, {});
    CAPTURE(text);
    CHECK(text.find("instances   2 of 3 running") != std::string::npos);
}

// Goal: every problem is in the few lines that everybody reads.
TEST_CASE("status shows everything that keeps nodes from serving", "[cli]") {
    StatusReply status;
    status.phase = "frozen";
    status.nodes = 9;
    status.serving = 2;
    status.intent = {.active = 6, .draining = 2, .offline = 1};
    status.health = {.healthy = 6, .unready = 1, .flaky = 1, .lost = 1};
    status.lost = 1;
    status.silent = 2;
    status.wanted = 5;
    status.running = 3;
    status.unseen = 2;
    status.awaited = 2;
    status.unconfirmed = 3;
    status.mode = "listed";
    status.refused_names = {"n10", "n11"};
    const auto text = render(status, now, {});
    CAPTURE(text);
    const auto has = [&](const std::string& line) { return text.find(line) != std::string::npos; };
    CHECK(has("leader      frozen and recovering, epoch 0, round 0\n"));
    CHECK(
        has("nodes       2 of 9 serving, 2 draining, 1 offline, 1 unready, 1 flaky, 2 silent, "
            "1 lost\n"));
    CHECK(has("joining     only listed names may join\n"));
    CHECK(has("refused     n10, n11: they may not join; 'muster node add' allows it\n"));
    CHECK(has("instances   3 of 5 running, 2 not reported yet\n"));
    CHECK(has("unconfirmed 3 on nodes that are silent or left; their last known state counts\n"));
    CHECK(has("state       recovering\n"));
}

TEST_CASE("a list of nodes shows missed polls, the reason of the intent, and refused names",
          "[cli]") {
    NodeListReply reply;
    NodeView node;
    node.name = "n1";
    node.health = "flaky";
    node.note = "suspended";
    node.intent = "draining";
    node.overdue = true;
    node.reason = "broken fan";
    node.missed = 2;
    node.suspended_until = seconds_ago(-24);
    node.last_answer = seconds_ago(2);
    reply.nodes = {node};
    reply.removed = {"n8"};
    reply.refused = {"n9"};
    CHECK(render(reply, now, {}) ==
          "NODE  HEALTH  INTENT              INSTANCES  HOST LOAD  ANSWERED  MISSED  INCARNATION  "
          "VERSION  REASON      NOTE\n"
          "n1    flaky   draining (overdue)  0          0.00       2s        2       0            "
          "-        broken fan  suspended for 24s more\n"
          "removed names, refused until 'muster node add': n8\n"
          "refused recently, because they may not join: n9\n");
}

TEST_CASE("a deadline is shown as ahead or past", "[cli]") {
    NodeShowReply reply;
    reply.node.name = "n1";
    reply.node.intent = "draining";
    reply.drain.running = true;
    CHECK(render(reply, now, {}).find("deadline    none\n") != std::string::npos);
    reply.drain.deadline = seconds_ago(-240);
    CHECK(render(reply, now, {}).find("deadline    in 4m00s, at ") != std::string::npos);
    reply.drain.deadline = seconds_ago(300);
    reply.drain.overdue = true;
    const auto text = render(reply, now, {});
    CHECK(text.find("deadline    passed 5m00s ago, at ") != std::string::npos);
    CHECK(text.find("the drain continues") != std::string::npos);
}
