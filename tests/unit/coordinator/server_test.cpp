#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/codec/chunking.hpp"
#include "common/codec/codec.hpp"
#include "common/net/publisher.hpp"
#include "tests/unit/common/codec/json_answers.hpp"
#include "tests/unit/coordinator/running_server.hpp"

namespace muster::coordinator {
namespace {

Reply native_reply(const Frames& frames) {
    REQUIRE(frames.size() == 2);
    REQUIRE(codec::check_version(frames[0]));
    auto reply = codec::decode_reply(frames[1]);
    REQUIRE(reply);
    return *reply;
}

Refused native_refusal(const Frames& frames) {
    REQUIRE(frames.size() == 2);
    CoordinatorMessage message;
    REQUIRE(codec::decode(frames[1], message));
    REQUIRE(std::holds_alternative<Refused>(message));
    return std::get<Refused>(message);
}

Hello hello_of(const std::string& name) {
    Hello hello;
    hello.name = name;
    hello.boot = {1, 1};
    hello.life = {2, 2};
    hello.incarnation = Incarnation{1};
    hello.version = "test";
    return hello;
}

std::string encoded(const AgentMessage& message) {
    std::string bytes;
    codec::encode(message, bytes);
    return bytes;
}

std::string encoded(const Request& request) {
    std::string bytes;
    codec::encode(request, bytes);
    return bytes;
}

WantedTask large_task(std::size_t number) {
    WantedTask task;
    task.name = "task-" + std::to_string(number);
    task.spec.argv = {"/bin/sleep", std::string(1'000, 'x')};
    return task;
}

}  // namespace

// Goal: any ZeroMQ client is a probe.
// Method: ask over tcp and over ipc, as text, as JSON and natively, with and without REQ's
// envelope.
TEST_CASE("a request is answered in its own form and envelope", "[server]") {
    Running running;
    for (const auto& endpoint : {running.bound.operators, running.bound.operators_ipc}) {
        Peer peer{running, endpoint};
        CHECK(json_reply(peer.ask({"ping\n"})).result);
        CHECK(json_reply(peer.ask({R"({"verb":"status"})"})).result);
        CHECK(native_reply(peer.ask({std::string{codec::version_frame()},
                                     encoded(Request{{7, 8}, PingRequest{}})}))
                  .id == RequestId{7, 8});
        const auto delimited = peer.ask({"", "help"});
        REQUIRE(delimited.size() == 2);
        CHECK(delimited[0].empty());
        CHECK(json_reply({delimited[1]}).result);
        const auto native = peer.ask(
            {"", std::string{codec::version_frame()}, encoded(Request{{}, PingRequest{}})});
        REQUIRE(native.size() == 3);
        CHECK(native_reply({native[1], native[2]}).result);
    }
}

// Goal: every message that can be answered gets an answer with a stable code.
// Method: send invalid requests.
TEST_CASE("an invalid request is answered with a stable code", "[server]") {
    Running running;
    Peer peer{running, running.bound.operators};
    const auto code = [&](const Frames& frames) {
        const auto answer = peer.ask(frames);
        const auto reply = answer.size() == 1 ? json_reply(answer) : native_reply(answer);
        REQUIRE_FALSE(reply.result);
        return reply.result.error().code;
    };
    CHECK(code({"stauts"}) == Errc::unknown_verb);
    CHECK(code({"{\"verb\":"}) == Errc::malformed);
    CHECK(code({"MUSTER\x63", "x"}) == Errc::unsupported_version);
    CHECK(code({"garbage", "x"}) == Errc::malformed);
    CHECK(code({std::string{codec::version_frame()}, "\xc1\xc1"}) == Errc::malformed);
    CHECK(code({std::string{codec::version_frame()}, "a", "b"}) == Errc::malformed);
    CHECK(code({"1", "2", "3", "4", "5"}) == Errc::malformed);
    const auto empty = peer.ask({"", ""});
    REQUIRE(empty.size() == 2);
    CHECK(json_reply({empty[1]}).result.error().code == Errc::malformed);
    CHECK(json_reply(peer.ask({"ping"})).result);
}

// Goal: a large change is sent in parts and takes effect whole.
// Method: apply many large tasks; then a sequence of parts with one missing.
TEST_CASE("a request in parts is one request with one answer", "[server]") {
    Running running;
    Peer peer{running, running.bound.operators};
    ApplyRequest apply;
    for (std::size_t i = 0; i < 200; ++i) {
        apply.tasks.push_back(large_task(i));
    }
    const auto split = parts::split(encoded(Request{{}, apply}), 1);
    REQUIRE(split);
    REQUIRE(split->size() > 2);

    for (std::size_t i = 0; i < split->size(); ++i) {
        if (i != 1) {
            peer.send_native((*split)[i]);
        }
    }
    const auto refused = native_reply(peer.next());
    REQUIRE_FALSE(refused.result);
    CHECK(refused.result.error().code == Errc::malformed);
    CHECK(peer.received.size() == 1);

    peer.forget();
    for (const auto& part : *split) {
        peer.send_native(part);
    }
    const auto reply = native_reply(peer.next());
    REQUIRE(reply.result);
    CHECK(std::get<ChangeReply>(*reply.result).changes.size() == 200);
    CHECK_FALSE(reply.id.is_none());
}

// Goal: an answer larger than a frame arrives whole.
// Method: want enough tasks that their list needs parts, and assemble them.
TEST_CASE("a large answer is sent in parts", "[server]") {
    Running running;
    Peer peer{running, running.bound.operators};
    ApplyRequest apply;
    for (std::size_t i = 0; i < 3'000; ++i) {
        apply.tasks.push_back(large_task(i));
        apply.tasks.back().spec.argv = {"x"};
    }
    const auto split = parts::split(encoded(Request{{}, apply}), 1);
    REQUIRE(split);
    for (const auto& part : *split) {
        peer.send_native(part);
    }
    parts::Assembly answer;
    bool complete = false;
    while (!complete) {
        const auto frames = peer.next();
        REQUIRE(frames.size() == 2);
        REQUIRE(parts::is_part(frames[1]));
        const auto progress = answer.add(frames[1]);
        REQUIRE(progress);
        complete = *progress == parts::Assembly::Progress::complete;
    }
    const auto reply = codec::decode_reply(answer.take());
    REQUIRE(reply);
    REQUIRE(reply->result);
    CHECK(std::get<ChangeReply>(*reply->result).changes.size() == 3'000);
}

// Goal: the total of unread answers is bounded, however little each client has.
// Method: one client that does not read, with the others' share already used up, and one that does.
TEST_CASE("when many unread answers wait, a client that has read nothing yet is busy", "[server]") {
    net::Meter& unread = test_context().make_meter();
    OperatorEndpoint endpoint{test_context(), unread};
    const auto bound = endpoint.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    net::Loop loop;
    std::size_t asked = 0;
    loop.watch(endpoint.socket(), [&](Instant now) {
        OperatorEndpoint::Question question;
        const auto receipt = endpoint.receive(now, question);
        if (receipt == net::Receipt::message) {
            ++asked;
            endpoint.answer(question.asker, Reply{{}, codec::verbs()});
        }
        return receipt != net::Receipt::nothing;
    });
    net::Dealer stalled{test_context(), {.message_bytes = 1'000'000, .receive_queue = 1}};
    REQUIRE(stalled.connect(*bound));
    while (unread.bytes() < limits::part_bytes) {
        const auto before = asked;
        REQUIRE(stalled.send({"help"}) == net::SendResult::sent);
        REQUIRE(turn_until(loop, [&] { return asked > before; }));
    }
    unread.add(limits::unread_bytes_of_all);
    const auto before = asked;
    REQUIRE(stalled.send({"help"}) == net::SendResult::sent);
    net::Dealer reads{test_context(), net::tool_dealer()};
    REQUIRE(reads.connect(*bound));
    REQUIRE(reads.send({"help"}) == net::SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return asked > before; }));
    net::Message answer;
    REQUIRE(turn_until(loop, [&] { return reads.receive(answer) == net::Receipt::message; }));
    CHECK(answer[answer.size() - 1].starts_with(R"({"ok":true)"));
    CHECK(asked == before + 1);
    unread.take_off(limits::unread_bytes_of_all);
}

// Goal: an agent is asked for its hello, welcomed, and polled.
// Method: connect as an agent does, natively and in JSON.
TEST_CASE("an agent that sends a hello is welcomed and polled in its own form", "[server]") {
    Running running;
    Peer native{running, running.bound.agents};
    native.send({""});
    CHECK(native_refusal(native.next()).code == Errc::hello_required);
    native.send_native(encoded(AgentMessage{hello_of("n1")}));
    CoordinatorMessage message;
    REQUIRE(codec::decode(native.next().at(1), message));
    CHECK(std::holds_alternative<Welcome>(message));
    REQUIRE(codec::decode(native.next().at(1), message));
    CHECK(std::holds_alternative<Poll>(message));

    Peer json{running, running.bound.agents};
    auto hello = hello_of("n2");
    hello.life = {3, 3};
    json.send({codec::to_json(AgentMessage{hello})});
    auto welcome = codec::coordinator_message_from_json(json.next().at(0));
    REQUIRE(welcome);
    CHECK(std::holds_alternative<Welcome>(*welcome));
    auto poll = codec::coordinator_message_from_json(json.next().at(0));
    REQUIRE(poll);
    CHECK(std::holds_alternative<Poll>(*poll));
}

TEST_CASE("an invalid message of an agent is counted and answered", "[server]") {
    Running running;
    Peer peer{running, running.bound.agents};
    CHECK(native_refusal(peer.ask({"garbage", "x"})).code == Errc::malformed);
    CHECK(native_refusal(peer.ask({"MUSTER\x63", "x"})).code == Errc::unsupported_version);
    CHECK(native_refusal(peer.ask({std::string{codec::version_frame()}, "\xc1"})).code ==
          Errc::malformed);
    const auto json = codec::coordinator_message_from_json(peer.ask({"{}"}).at(0));
    REQUIRE(json);
    CHECK(std::get<Refused>(*json).code == Errc::malformed);
    CHECK(running.server->agent_traffic().undecodable == 4);
    CHECK(running.server->agent_traffic().messages == 0);
}

TEST_CASE("events are published under their topic as JSON", "[server]") {
    Running running;
    net::Subscriber listener{test_context()};
    REQUIRE(listener.connect(running.bound.events));
    listener.subscribe("task.");
    std::vector<Frames> seen;
    running.loop.watch(listener, [&](Instant) {
        net::Message message;
        const auto receipt = listener.receive(message);
        if (receipt == net::Receipt::message) {
            seen.emplace_back(message.frames().begin(), message.frames().end());
        }
        return receipt != net::Receipt::nothing;
    });
    Peer peer{running, running.bound.operators};
    // A subscription takes a while to arrive: make changes until one is seen.
    for (std::size_t i = 0; i < 1'000 && seen.empty(); ++i) {
        REQUIRE(native_reply(peer.ask({std::string{codec::version_frame()},
                                       encoded(Request{{}, TaskAddRequest{large_task(i)}})}))
                    .result);
    }
    REQUIRE_FALSE(seen.empty());
    CHECK(seen[0].at(0) == "task.added");
    const auto event = codec::event_from_json(seen[0].at(1));
    REQUIRE(event);
    CHECK(event->epoch == Epoch{1});
    running.loop.forget(listener);
}

// Goal: a client that waits for an answer learns that none will come.
// Method: wait for a task that no node runs, and stop the server in the meantime.
TEST_CASE("a coordinator that stops answers every open request", "[server]") {
    Running running;
    Peer peer{running, running.bound.operators};
    REQUIRE(
        json_reply(peer.ask({R"({"verb":"task add","task":{"name":"web","argv":["x"]}})"})).result);
    peer.forget();
    peer.send({R"({"verb":"wait","pattern":"web","timeout_ms":60000})"});
    peer.send({"ping"});
    REQUIRE(json_reply(peer.next()).result);
    running.server->stop();
    REQUIRE(turn_until(running.loop, [&] { return peer.received.size() == 2; }));
    const auto reply = json_reply(peer.received[1]);
    REQUIRE_FALSE(reply.result);
    CHECK(reply.result.error().code == Errc::not_leader);
}

}  // namespace muster::coordinator
