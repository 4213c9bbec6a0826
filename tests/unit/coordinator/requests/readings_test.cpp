#include "coordinator/requests/readings.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/chunking.hpp"
#include "tests/unit/coordinator/running_server.hpp"

namespace muster::coordinator {

namespace {

constexpr std::size_t many = 3'000;

std::string native(const Request& request) {
    std::string bytes;
    codec::encode(request, bytes);
    return bytes;
}

/// The reply to a native request, in one or several parts.
Reply whole_reply(Peer& peer) {
    parts::Assembly assembly;
    while (true) {
        const Frames frames = peer.next();
        REQUIRE(frames.size() == 2);
        if (!parts::is_part(frames[1])) {
            auto reply = codec::decode_reply(frames[1]);
            REQUIRE(reply);
            return *std::move(reply);
        }
        const auto progress = assembly.add(frames[1]);
        REQUIRE(progress);
        if (*progress == parts::Assembly::Progress::complete) {
            auto reply = codec::decode_reply(assembly.take());
            REQUIRE(reply);
            return *std::move(reply);
        }
    }
}

void apply_many(Peer& peer) {
    ApplyRequest apply;
    for (std::size_t i = 0; i < many; ++i) {
        WantedTask task;
        task.name = "task-" + std::to_string(i);
        task.spec.argv = {"x"};
        apply.tasks.push_back(std::move(task));
    }
    const auto split = parts::split(native({{}, apply}), 1);
    REQUIRE(split);
    for (const auto& part : *split) {
        peer.send_native(part);
    }
    REQUIRE(whole_reply(peer).result);
    peer.forget();
}

void check_all_are_there(const Reply& reply) {
    REQUIRE(reply.result);
    const auto& tasks = std::get<TaskListReply>(*reply.result).tasks;
    CHECK(tasks.size() == many);
    CHECK(std::ranges::is_sorted(tasks, {}, &TaskView::name));
}

/// Questions from a socket, for readings that query `core`.
struct Desk {
    Desk() {
        const auto bound = endpoint.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        REQUIRE(dealer.connect(*bound));
        loop.watch(endpoint.socket(), [this](Instant now) {
            OperatorEndpoint::Question question;
            const auto receipt = endpoint.receive(now, question);
            if (receipt == net::Receipt::message) {
                ++asked;
                auto request = for_core(std::move(question.request));
                REQUIRE(request);
                CHECK(readings.add(endpoint, question.asker, *request));
            }
            return receipt != net::Receipt::nothing;
        });
        loop.watch(worker.fd(), [this](Instant now) { worker.finish(now); });
    }
    void ask(const Request& request) {
        const std::string bytes = native(request);
        REQUIRE(dealer.send({codec::version_frame(), bytes}) == net::SendResult::sent);
        const std::size_t before = asked;
        REQUIRE(turn_until(loop, [&] { return asked > before; }));
    }
    /// Answers all that wait, in as many turns as that takes here.
    void answer() {
        while (readings.is_due()) {
            readings.go_on(Instant{1h});
        }
    }
    Reply next() {
        net::Message message;
        REQUIRE(turn_until(loop, [&] { return dealer.receive(message) == net::Receipt::message; }));
        auto reply = codec::decode_reply(message[1]);
        REQUIRE(reply);
        return *std::move(reply);
    }

    net::Meter& unread = test_context().make_meter();
    net::Loop loop;
    OperatorEndpoint endpoint{test_context(), unread};
    net::Dealer dealer{test_context(), net::tool_dealer()};
    Coordinator core{Instant{1h}, {}, {}};
    Worker worker;
    int reads = 0;
    Readings readings{core, worker, [this](Instant, const CoreRequest& request, const Caller&) {
                          ++reads;
                          return Shared{Reply{request.id, StatusReply{}}};
                      }};
    std::size_t asked = 0;
};

}  // namespace

// Goal: a hundred equal queries cost little more than one, and no answer is older than its
// question.
// Method: count the queries of the core, for equal and unequal requests.
TEST_CASE("equal queries that wait together share one answer", "[readings]") {
    Desk desk;
    const Request status{{}, StatusRequest{}};
    for (int i = 0; i < 3; ++i) {
        desk.ask(status);
    }
    desk.ask({{1, 2}, StatusRequest{}});
    desk.answer();
    CHECK(desk.reads == 2);  // Another id needs another answer.
    desk.ask(status);
    CHECK(desk.readings.is_due());
    desk.answer();
    CHECK(desk.reads == 3);
    std::size_t with_id = 0;
    for (int i = 0; i < 5; ++i) {
        const Reply reply = desk.next();
        CHECK(reply.result);
        with_id += reply.id.is_none() ? 0U : 1U;
    }
    CHECK(with_id == 1);
}

// Goal: each request gets one reply, even when no answer is made any more.
// Method: requests that had not begun at the end.
TEST_CASE("readers that still wait at the end are refused", "[readings]") {
    Desk desk;
    desk.ask({{1, 1}, StatusRequest{}});
    desk.ask({{1, 2}, TaskListRequest{}});
    desk.readings.refuse_all({Errc::not_leader, "the coordinator is stopping"});
    CHECK_FALSE(desk.readings.is_due());
    for (int i = 0; i < 2; ++i) {
        const Reply reply = desk.next();
        REQUIRE_FALSE(reply.result);
        CHECK(reply.result.error().code == Errc::not_leader);
    }
    CHECK(desk.reads == 0);
}

// Goal: memory is bounded for any number of queries. Method: one more than can wait.
TEST_CASE("the number of waiting readers is bounded", "[readings]") {
    Desk desk;
    const OperatorEndpoint::Asker asker;
    const CoreRequest request{{}, StatusRequest{}};
    for (std::size_t i = 0; i < Readings::askers_at_most; ++i) {
        REQUIRE(desk.readings.add(desk.endpoint, asker, request));
    }
    CHECK_FALSE(desk.readings.add(desk.endpoint, asker, request));
    desk.answer();
    CHECK(desk.readings.add(desk.endpoint, asker, request));
}

// Goal: a long list reaches every client whole, even if another one disconnects.
// Method: three ask for the same list; one disconnects before it is made.
TEST_CASE("a long list reaches the clients that stay", "[readings][server]") {
    Running running;
    Peer peer{running, running.bound.operators};
    apply_many(peer);
    Peer other{running, running.bound.operators};
    std::optional<Peer> leaves;
    leaves.emplace(running, running.bound.operators);
    leaves->send({"task list"});
    peer.send_native(native({{}, TaskListRequest{}}));
    other.send_native(native({{5, 6}, TaskListRequest{}}));
    leaves.reset();
    check_all_are_there(whole_reply(peer));
    const Reply reply = whole_reply(other);
    CHECK(reply.id == RequestId{5, 6});
    check_all_are_there(reply);
}

}  // namespace muster::coordinator
