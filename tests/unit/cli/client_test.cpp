#include "cli/client.hpp"

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"
#include "common/net/loop.hpp"
#include "common/net/router.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

net::Context& context() {
    static net::Context only;
    return only;
}

// Answers requests in its own thread with the given replies. Nothing: it ignores that request.
class Respondent {
public:
    using Answer = std::function<std::optional<Reply>(const Request&)>;

    explicit Respondent(Answer answer) : answer_{std::move(answer)} {
        const auto bound = router_.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        endpoint_ = *bound;
        thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
    }

    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

private:
    void serve(const std::stop_token& stop) {
        net::Loop loop;
        loop.watch(router_, [&](Instant) { return on_readable(); });
        while (!stop.stop_requested()) {
            loop.turn(net::boottime_now() + 10ms);
        }
    }

    bool on_readable() {
        net::Envelope from;
        net::Message message;
        const auto receipt = router_.receive(from, message);
        if (receipt == net::Receipt::message && message.size() == 2) {
            auto& assembly = assembly_;
            std::string bytes{message[1]};
            if (parts::is_part(bytes)) {
                const auto progress = assembly.add(bytes);
                if (!progress || *progress != parts::Assembly::Progress::complete) {
                    return true;
                }
                bytes = assembly.take();
            }
            if (const auto request = codec::decode_request(bytes)) {
                reply(from, answer_(*request));
            }
        }
        return receipt != net::Receipt::nothing;
    }

    void reply(const net::Envelope& to, const std::optional<Reply>& answer) {
        if (!answer) {
            return;
        }
        std::string bytes;
        codec::encode(*answer, bytes);
        const auto frames = parts::split(bytes, 1);
        for (const std::string& frame : *frames) {
            (void)router_.send(to, {codec::version_frame(), frame});
        }
    }

    net::Router router_{context(), {.message_bytes = limits::operator_message_bytes}};
    parts::Assembly assembly_;
    std::string endpoint_;
    Answer answer_;
    std::jthread thread_;
};

Progress silent() { return Progress{Terminal{}, ""}; }

Request scale_request() {
    return {.id = net::random_request_id(net::civil_now()),
            .body = TaskScaleRequest{.pattern = "web", .instances = 2}};
}

Reply answer_to(const Request& request) {
    return {.id = request.id,
            .result = ReplyBody{ChangeReply{.counter = Generation{7}, .changes = {}}}};
}

}  // namespace

// Goal: a change whose answer is lost is made once.
// Method: a coordinator that ignores the first request and answers the second.
TEST_CASE("a request without an answer is repeated with the same id", "[cli]") {
    std::vector<RequestId> seen;
    Respondent respondent{[&](const Request& request) -> std::optional<Reply> {
        if (!std::holds_alternative<TaskScaleRequest>(request.body)) {
            return std::nullopt;
        }
        seen.push_back(request.id);
        return seen.size() < 2 ? std::nullopt : std::optional{answer_to(request)};
    }};
    Client client{context(), respondent.endpoint()};
    auto progress = silent();
    const auto request = scale_request();
    const auto reply = client.ask(request, {.total = 30s, .resend_after = 50ms}, progress);
    REQUIRE(reply);
    CHECK(std::get<ChangeReply>(*reply).counter == Generation{7});
    REQUIRE(seen.size() >= 2);
    CHECK(seen == std::vector<RequestId>(seen.size(), request.id));
}

TEST_CASE("an error is passed on unchanged", "[cli]") {
    Respondent respondent{[](const Request& request) {
        return Reply{.id = request.id, .result = fail(Errc::refused, "not now")};
    }};
    Client client{context(), respondent.endpoint()};
    auto progress = silent();
    const auto reply = client.ask(scale_request(), {.total = 30s}, progress);
    REQUIRE_FALSE(reply);
    CHECK(reply.error() == Error{Errc::refused, "not now"});
}

// Goal: the exit code distinguishes an unreachable coordinator from a slow one.
// Method: a port without a listener, and a coordinator that answers only pings.
TEST_CASE("a coordinator that is not there is unreachable, a slow one is a timeout", "[cli]") {
    auto progress = silent();
    Client alone{context(), "tcp://127.0.0.1:1"};
    const auto nobody = alone.ask(scale_request(), {.total = 100ms}, progress);
    REQUIRE_FALSE(nobody);
    CHECK(nobody.error().code == Errc::unreachable);
    CHECK(nobody.error().detail.find("tcp://127.0.0.1:1 within 100ms") != std::string::npos);

    Respondent busy{[](const Request& request) -> std::optional<Reply> {
        return std::holds_alternative<PingRequest>(request.body)
                   ? std::optional{Reply{.id = request.id, .result = ReplyBody{PingReply{}}}}
                   : std::nullopt;
    }};
    Client client{context(), busy.endpoint()};
    const auto slow = client.ask(scale_request(), {.total = 2s, .resend_after = 20ms}, progress);
    REQUIRE_FALSE(slow);
    CHECK(slow.error().code == Errc::timeout);
}

// Goal: a short timeout with a silent agent is not an unreachable coordinator: exit 5, not 4.
// Method: a coordinator that answers only pings. The signal is sent once, because it may be
// delivered late.
TEST_CASE("after half of the timeout a ping distinguishes a slow agent from an absent coordinator",
          "[cli]") {
    int signals = 0;
    Respondent busy{[&](const Request& request) -> std::optional<Reply> {
        if (std::holds_alternative<PingRequest>(request.body)) {
            return Reply{.id = request.id, .result = ReplyBody{PingReply{}}};
        }
        ++signals;
        return std::nullopt;
    }};
    Client client{context(), busy.endpoint()};
    auto progress = silent();
    const Request signal{.id = net::random_request_id(net::civil_now()),
                         .body = TaskSignalRequest{.pattern = "web", .signal = "HUP"}};
    const auto reply = client.ask(signal, {.total = 2s, .resend_after = 4s}, progress);
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == Errc::timeout);
    CHECK(reply.error().detail.find("the signal may still be delivered") != std::string::npos);
    CHECK(signals == 1);
    CHECK(Patience::of(2s).resend_after == 1s);
    CHECK(Patience::of(5min).resend_after == 2s);
}

// Goal: a file of any allowed size can be applied, and its answer read.
// Method: 20,000 tasks are sent, and as many changes return.
// Goal: whoever leads is found, and a request that is not to be repeated is sent once.
// Method: two endpoints, of which one has no listener, in both orders; the other one answers pings
// only.
TEST_CASE("of several coordinators the one that is there is asked, and once", "[cli]") {
    int signals = 0;
    Respondent busy{[&](const Request& request) -> std::optional<Reply> {
        if (std::holds_alternative<PingRequest>(request.body)) {
            return Reply{.id = request.id, .result = ReplyBody{PingReply{}}};
        }
        ++signals;
        return std::nullopt;
    }};
    const bool comes_first = GENERATE(false, true);
    const std::string nobody = "tcp://127.0.0.1:1";
    Client client{context(),
                  comes_first ? busy.endpoint() + "," + nobody : nobody + "," + busy.endpoint()};
    auto progress = silent();
    const Request signal{.id = net::random_request_id(net::civil_now()),
                         .body = TaskSignalRequest{.pattern = "web", .signal = "HUP"}};
    const auto reply = client.ask(signal, {.total = 1200ms, .resend_after = 30s}, progress);
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == Errc::timeout);
    CHECK(client.endpoint() == busy.endpoint());
    CHECK(signals == 1);
}

TEST_CASE("a message larger than a frame is sent in parts, both ways", "[cli]") {
    Request request{.id = net::random_request_id(net::civil_now()), .body = ApplyRequest{}};
    for (int i = 0; i < 20'000; ++i) {
        WantedTask task;
        task.name = "task-" + std::to_string(i);
        task.spec.argv = {"/usr/bin/sleep", "600"};
        std::get<ApplyRequest>(request.body).tasks.push_back(task);
    }
    Respondent respondent{[](const Request& asked) {
        ChangeReply change;
        for (const auto& task : std::get<ApplyRequest>(asked.body).tasks) {
            change.changes.push_back({.task = task.name, .action = "add", .fields = {}});
        }
        return Reply{.id = asked.id, .result = ReplyBody{change}};
    }};
    Client client{context(), respondent.endpoint()};
    auto progress = silent();
    const auto reply = client.ask(request, {.total = 60s, .resend_after = 60s}, progress);
    INFO((reply ? "" : reply.error().detail));
    REQUIRE(reply);
    CHECK(std::get<ChangeReply>(*reply).changes.size() == 20'000);
}
