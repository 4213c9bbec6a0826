// Operators' calls to agents through the coordinator, in virtual time.

#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

/// Two nodes, each with one instance of web: web.0 on n1, web.1 on n2.
struct Pair : CoordinatorHarness {
    Pair() {
        join("n1");
        join("n2");
        pass(2s);
        want("web", 2);
        pass(3s);
        REQUIRE(running("web") == 2);
        for (auto& [name, fake] : fakes) {
            const auto& [id, report] = *fake.instances.begin();
            (id.ordinal == 0 ? first : second) = &fake;
        }
        REQUIRE(first != nullptr);
        REQUIRE(second != nullptr);
    }
    template <class Answer>
    void answer(const FakeAgent& fake, Answer message) {
        give(FromAgent{fake.session, std::move(message)});
    }

    FakeAgent* first = nullptr;
    FakeAgent* second = nullptr;
};

std::string fault(const std::optional<Reply>& reply) {
    return reply && !reply->result ? reply->result.error().detail : "no fault";
}

}  // namespace

TEST_CASE("a log is read where its instance is", "[coordinator][agent_calls]") {
    Pair harness;
    const Ticket ticket =
        harness.request(LogsRequest{.instance = "web.1", .stream = LogStream::err, .from = {5, 6}});
    REQUIRE(harness.second->readings.size() == 1);
    const ReadLog call = harness.second->readings[0];
    CHECK(call.id == InstanceId{"web", 1});
    CHECK(call.stream == LogStream::err);
    CHECK(call.from == LogPosition{5, 6});
    CHECK(!harness.reply_to(ticket));

    harness.answer(*harness.second, LogPiece{call.stamp, {5, 9}, false, 7, "abc"});
    const auto reply = std::get<LogsReply>(harness.reply_to(ticket).value().result.value());
    CHECK(reply == LogsReply{{"web", 1}, harness.second->name, {5, 9}, false, 7, "abc"});
}

TEST_CASE("for a task with several instances one must be named", "[coordinator][agent_calls]") {
    Pair harness;
    CHECK(fault(harness.ask(LogsRequest{.instance = "web"})) ==
          "'web' has 2 instances: name one, as in web.0");
    harness.want("one", 1);
    harness.pass(2s);
    CHECK(!harness.ask(LogsRequest{.instance = "one"}));
    CHECK(harness.first->readings.size() + harness.second->readings.size() == 1);
}

TEST_CASE("an invalid request for a log is refused at once",
          "[coordinator][agent_calls][bad_input]") {
    Pair harness;
    CHECK(fault(harness.ask(LogsRequest{.instance = "nope.0"}))
              .starts_with("there is no instance 'nope.0'"));
    CHECK(fault(harness.ask(LogsRequest{.instance = "web.7"}))
              .starts_with("there is no web.7: 'web' has 2 instances"));
    CHECK(fault(harness.ask(LogsRequest{.instance = "web.0", .node = "n9"})) ==
          "there is no node 'n9'");
    harness.give(SessionClosed{harness.first->session});
    const auto reply = harness.ask(LogsRequest{.instance = "web.0"});
    CHECK(fault(reply) ==
          "node " + harness.first->name + " does not answer, and the logs of web.0 are there");
    REQUIRE(harness.ask(LimitSetRequest{"starts_per_round", 0})->result);
    harness.want("new", 1);
    CHECK(fault(harness.ask(LogsRequest{.instance = "new"}))
              .starts_with("new.0 is on no node that answers; read its logs on another node"));
}

TEST_CASE("the output of an instance on a node that it left is read with the node's name",
          "[coordinator][agent_calls]") {
    Pair harness;
    CHECK(!harness.ask(LogsRequest{.instance = "web.0", .node = harness.second->name}));
    CHECK(harness.second->readings.size() == 1);
}

// Goal: an operator always gets an answer, and a late one harms nothing.
TEST_CASE("a timeout names the node that did not answer", "[coordinator][agent_calls]") {
    Pair harness;
    const Ticket ticket = harness.request(LogsRequest{.instance = "web.0"});
    harness.pass(limits::agent_call_patience);
    CHECK(fault(harness.reply_to(ticket)) == harness.first->name + " did not answer within 3 s");
    harness.answer(*harness.first,
                   LogPiece{harness.first->readings[0].stamp, {1, 1}, false, 7, "x"});
    CHECK(harness.reply_counts[ticket] == 1);
}

TEST_CASE("an answer counts only from the node and the life that were asked",
          "[coordinator][agent_calls][S3]") {
    Pair harness;
    const Ticket ticket = harness.request(LogsRequest{.instance = "web.0"});
    const auto stamp = harness.first->readings[0].stamp;
    harness.answer(*harness.second, LogPiece{stamp, {1, 1}, false, 7, "forged"});
    auto other = stamp;
    other.incarnation = next(other.incarnation);
    harness.answer(*harness.first, LogPiece{other, {1, 1}, false, 7, "of another life"});
    CHECK(!harness.reply_to(ticket));
    // An answer with other content is accepted and passed on as it is.
    harness.answer(*harness.first, Measured{stamp, 1, {}});
    harness.pass(limits::agent_call_patience);
    CHECK(harness.reply_counts[ticket] == 1);
}

TEST_CASE("a failed agent call is reported with the node's own error",
          "[coordinator][agent_calls]") {
    Pair harness;
    const Ticket ticket = harness.request(LogsRequest{.instance = "web.0"});
    harness.answer(*harness.first, AgentCallFailed{harness.first->readings[0].stamp, Errc::io,
                                                   "Input/output error"});
    CHECK(harness.reply_to(ticket)->result.error() ==
          Error{Errc::io, harness.first->name + ": Input/output error"});
}

// Goal: any number of operators uses bounded memory and bandwidth.
TEST_CASE("the number of awaited answers is bounded", "[coordinator][agent_calls][bounds]") {
    Pair harness;
    for (std::size_t asked = 0; asked < limits::agent_calls; ++asked) {
        REQUIRE(!harness.ask(LogsRequest{.instance = "web.0"}));
    }
    const auto refused = harness.ask(LogsRequest{.instance = "web.0"});
    REQUIRE(refused);
    CHECK(refused->result.error().code == Errc::busy);
    harness.pass(limits::agent_call_patience);
    CHECK(!harness.ask(LogsRequest{.instance = "web.0"}));
}

TEST_CASE("a signal goes to all matching instances, and the answer lists each",
          "[coordinator][agent_calls]") {
    Pair harness;
    const Ticket ticket = harness.request(TaskSignalRequest{"web", "SIGHUP"});
    REQUIRE(harness.first->signals.size() == 1);
    CHECK(harness.first->signals[0].signal == "HUP");
    CHECK(harness.first->signals[0].ids == std::vector<InstanceId>{{"web", 0}});
    harness.answer(*harness.first, Signalled{harness.first->signals[0].stamp, {}});
    CHECK(!harness.reply_to(ticket));
    harness.answer(*harness.second, Signalled{harness.second->signals[0].stamp,
                                              {{{"web", 1}, "it has no process"}}});
    const auto reply = std::get<TaskSignalReply>(harness.reply_to(ticket).value().result.value());
    REQUIRE(reply.instances.size() == 2);
    CHECK(reply.instances[0] == SignalView{{"web", 0}, harness.first->name, ""});
    CHECK(reply.instances[1] == SignalView{{"web", 1}, harness.second->name, "it has no process"});
    CHECK(harness.happened("task.signalled", "web"));
}

TEST_CASE("a single instance can be signalled", "[coordinator][agent_calls]") {
    Pair harness;
    harness.request(TaskSignalRequest{"web.1", "USR1"});
    CHECK(harness.first->signals.empty());
    CHECK(harness.second->signals.size() == 1);
}

// Goal: a client that did not receive the answer can ask again.
TEST_CASE("a signal that is requested twice under one id is sent once",
          "[coordinator][agent_calls][S2]") {
    Pair harness;
    const auto id = harness.fresh_id();
    const Ticket first = harness.request(TaskSignalRequest{"web.0", "HUP"}, id);
    const Ticket second = harness.request(TaskSignalRequest{"web.0", "HUP"}, id);
    harness.answer(*harness.first, Signalled{harness.first->signals[0].stamp, {}});
    const Ticket third = harness.request(TaskSignalRequest{"web.0", "HUP"}, id);
    CHECK(harness.first->signals.size() == 1);
    for (const Ticket ticket : {first, second, third}) {
        CHECK(harness.reply_counts[ticket] == 1);
        CHECK(harness.reply_to(ticket)->result.has_value());
    }
}

TEST_CASE("a signal that matches nothing, or does not exist, is refused",
          "[coordinator][agent_calls][bad_input]") {
    Pair harness;
    CHECK(fault(harness.ask(TaskSignalRequest{"nope", "HUP"})) ==
          "no task or instance that matches 'nope' runs");
    CHECK(fault(harness.ask(TaskSignalRequest{"web", "FOO"})) ==
          "the signal is 'FOO'; it is one of TERM INT QUIT HUP USR1 USR2 KILL");
}

TEST_CASE("usage is collected from all nodes, with a list of the missing ones",
          "[coordinator][agent_calls]") {
    Pair harness;
    const Ticket ticket = harness.request(UsageRequest{});
    harness.answer(*harness.first,
                   Measured{harness.first->measures[0].stamp,
                            7'000'000,
                            {{{"stranger", 0}, 1, 1, 1}, {{"web", 0}, 250, 4096, 2}}});
    CHECK(!harness.reply_to(ticket));
    harness.pass(limits::agent_call_patience);
    const auto reply = std::get<UsageReply>(harness.reply_to(ticket).value().result.value());
    REQUIRE(reply.nodes.size() == 2);
    for (const UsageNode& node : reply.nodes) {
        const bool is_first = node.name == harness.first->name;
        CHECK(node.at_us == (is_first ? 7'000'000 : 0));
        CHECK(node.detail == (is_first ? "" : node.name + " did not answer within 3 s"));
    }
    REQUIRE(reply.instances.size() == 1);
    CHECK(reply.instances[0].use == InstanceUse{{"web", 0}, 250, 4096, 2});
    CHECK(reply.instances[0].node == harness.first->name);
    CHECK(reply.instances[0].state == "running");
    CHECK(reply.instances[0].generation == harness.first->instances.at({"web", 0}).generation);
}

TEST_CASE("usage can be requested for some nodes and for some tasks",
          "[coordinator][agent_calls]") {
    Pair harness;
    const Ticket ticket =
        harness.request(UsageRequest{.nodes = harness.first->name, .tasks = "db*"});
    CHECK(harness.second->measures.empty());
    harness.answer(*harness.first,
                   Measured{harness.first->measures[0].stamp, 1, {{{"web", 0}, 250, 4096, 2}}});
    const auto reply = std::get<UsageReply>(harness.reply_to(ticket).value().result.value());
    CHECK(reply.nodes.size() == 1);
    CHECK(reply.instances.empty());
    CHECK(fault(harness.ask(UsageRequest{.nodes = "*", .tasks = "["})) != "no fault");
}

TEST_CASE("a client that waits for agents is answered when the leadership ends",
          "[coordinator][agent_calls]") {
    Pair harness;
    const Ticket ticket = harness.request(LogsRequest{.instance = "web.0"});
    harness.give(StoreFailed{"the disk is gone"});
    CHECK(harness.reply_counts[ticket] == 1);
    CHECK(!harness.reply_to(ticket)->result);
}

TEST_CASE("an agent call that fails after another of its kind is reported for its node alone",
          "[coordinator][agent_calls]") {
    Pair harness;
    SECTION("a signal") {
        const Ticket ticket = harness.request(TaskSignalRequest{"web", "HUP"});
        harness.answer(*harness.first, Signalled{harness.first->signals[0].stamp, {}});
        harness.answer(*harness.second, AgentCallFailed{harness.second->signals[0].stamp,
                                                        Errc::busy, "too much to do"});
        const auto reply =
            std::get<TaskSignalReply>(harness.reply_to(ticket).value().result.value());
        REQUIRE(reply.instances.size() == 2);
        CHECK(reply.instances[0].detail.empty());
        CHECK(reply.instances[1].detail == harness.second->name + ": too much to do");
    }
    SECTION("usage") {
        const Ticket ticket = harness.request(UsageRequest{});
        harness.answer(*harness.first, Measured{harness.first->measures[0].stamp, 7, {}});
        harness.answer(*harness.second, AgentCallFailed{harness.second->measures[0].stamp,
                                                        Errc::busy, "too much to do"});
        const auto reply = std::get<UsageReply>(harness.reply_to(ticket).value().result.value());
        REQUIRE(reply.nodes.size() == 2);
        for (const UsageNode& node : reply.nodes) {
            const bool is_first = node.name == harness.first->name;
            CHECK(node.detail == (is_first ? "" : node.name + ": too much to do"));
        }
    }
}

// Goal: an agent's answer fills in only what it was asked for.
TEST_CASE("an answer of another kind than requested changes nothing",
          "[coordinator][agent_calls]") {
    Pair harness;
    SECTION("usage in reply to a signal") {
        const Ticket ticket = harness.request(TaskSignalRequest{"web.0", "HUP"});
        harness.answer(*harness.first, Measured{harness.first->signals[0].stamp, 7, {}});
        const auto reply =
            std::get<TaskSignalReply>(harness.reply_to(ticket).value().result.value());
        REQUIRE(reply.instances.size() == 1);
        CHECK(reply.instances[0].detail.starts_with(harness.first->name + " did not answer"));
    }
    SECTION("a signal result in reply to a log") {
        const Ticket ticket = harness.request(LogsRequest{.instance = "web.0"});
        harness.answer(*harness.first, Signalled{harness.first->readings[0].stamp, {}});
        CHECK(fault(harness.reply_to(ticket)) ==
              harness.first->name + " did not answer within 3 s");
    }
    SECTION("an answer without a request") {
        const auto replies = harness.reply_counts;
        const AgentCallStamp stamp{
            .epoch = Epoch{1}, .incarnation = {}, .number = AgentCallNumber{77}};
        harness.answer(*harness.first, Signalled{stamp, {}});
        harness.answer(*harness.first, Measured{stamp, 7, {}});
        harness.answer(*harness.first, AgentCallFailed{stamp, Errc::io, "nothing"});
        CHECK(harness.reply_counts == replies);
    }
}

TEST_CASE("an agent call omits absent nodes and says so", "[coordinator][agent_calls]") {
    Pair harness;
    harness.give(SessionClosed{harness.first->session});
    SECTION("a signal") {
        const Ticket ticket = harness.request(TaskSignalRequest{"web", "HUP"});
        CHECK(harness.first->signals.empty());
        harness.answer(*harness.second, Signalled{harness.second->signals[0].stamp, {}});
        const auto reply =
            std::get<TaskSignalReply>(harness.reply_to(ticket).value().result.value());
        REQUIRE(reply.instances.size() == 2);
        CHECK(reply.instances[0].detail == harness.first->name + " does not answer");
        CHECK(reply.instances[1].detail.empty());
    }
    SECTION("usage") {
        const Ticket ticket = harness.request(UsageRequest{});
        harness.answer(*harness.second, Measured{harness.second->measures[0].stamp, 7, {}});
        const auto reply = std::get<UsageReply>(harness.reply_to(ticket).value().result.value());
        REQUIRE(reply.nodes.size() == 2);
        for (const UsageNode& node : reply.nodes) {
            CHECK(node.detail == (node.name == harness.first->name ? "it does not answer" : ""));
        }
    }
}

TEST_CASE("an agent call with a meaningless name is refused",
          "[coordinator][agent_calls][bad_input]") {
    Pair harness;
    CHECK(fault(harness.ask(TaskSignalRequest{"[", "HUP"})) != "no fault");
    CHECK(fault(harness.ask(UsageRequest{.nodes = "[", .tasks = "*"})) != "no fault");
}

// Goal: of two copies the running one is meant.
TEST_CASE("the log of an instance with two copies is that of the running one",
          "[coordinator][agent_calls]") {
    Pair harness;
    InstanceReport old = harness.second->instances.begin()->second;
    old.id = InstanceId{"web", 0};
    old.state = InstanceState::exited;
    harness.second->instances[old.id] = old;
    harness.second->revision = next(harness.second->revision);
    harness.second->obeys = false;
    harness.pass(2s);
    REQUIRE(harness.read<TaskShowReply>(TaskShowRequest{"web"}).instances.size() == 3);
    CHECK(!harness.ask(LogsRequest{.instance = "web.0"}));
    CHECK(harness.first->readings.size() == 1);
    CHECK(harness.second->readings.empty());
}

// Goal: the bound also holds for one request. Method: the list has one node more than can be asked
// at once.
TEST_CASE("usage is requested from a bounded number of nodes at once",
          "[coordinator][agent_calls][bounds]") {
    Pair harness;
    NodeAddRequest all;
    for (std::size_t i = 0; i < limits::agent_calls; ++i) {
        all.nodes.push_back({.name = "m" + std::to_string(i)});
    }
    REQUIRE(harness.ask(all)->result);
    const auto refused = harness.ask(UsageRequest{});
    REQUIRE(refused);
    CHECK(fault(refused) == "1026 nodes are too many to ask at once; name fewer, at most 1024");
    CHECK(refused->result.error().code == Errc::too_large);
    harness.request(UsageRequest{.nodes = "n*"});
    CHECK(harness.first->measures.size() == 1);
}

// Goal: the record of signals for retries is bounded. Method: after the first, so many signals are
// answered that it is forgotten; the second is still there.
TEST_CASE("the oldest answered signal is forgotten first", "[coordinator][agent_calls][bounds]") {
    Pair harness;
    std::vector<RequestId> ids;
    const auto send = [&](const RequestId& id) {
        const std::size_t before = harness.first->signals.size();
        harness.request(TaskSignalRequest{"web.0", "HUP"}, id);
        if (harness.first->signals.size() > before) {
            harness.answer(*harness.first, Signalled{harness.first->signals.back().stamp, {}});
        }
        return harness.first->signals.size() > before;
    };
    for (std::size_t sent = 0; sent <= limits::agent_call_answers_kept; ++sent) {
        ids.push_back(harness.fresh_id());
        REQUIRE(send(ids.back()));
    }
    CHECK_FALSE(send(ids[1]));
    CHECK(send(ids[0]));
}
