#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/codec/codec.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

// Far less than the attacks send, and more than a busy allocator retains.
constexpr std::size_t allowed_growth = 24U * 1024U * 1024U;

using namespace std::string_literals;

std::string random_bytes(std::mt19937& random, std::size_t size) {
    std::string bytes(size, '\0');
    for (auto& byte : bytes) {
        byte = static_cast<char>(random() & 0xffU);
    }
    return bytes;
}

struct Target {
    std::string name;
    std::string endpoint;
    zmq::socket_type kind;  // One that is allowed to connect there.
    std::string raw_kind;
    std::function<pid_t()> pid;
    // A valid message and its answer; empty where nothing is answered.
    Frames last;
    std::string answer;
};

// Every endpoint and the process behind it.
std::vector<Target> targets_of(Cluster& cluster) {
    const auto coordinator = [&cluster] { return cluster.coordinator().pid(); };
    const auto agent = [&cluster] { return cluster.agent("n1").pid(); };
    const Frames stranger{R"({"type": "ack", "epoch": 1, "incarnation": 4711, "obeyed": 1})"};
    const auto dealer = zmq::socket_type::dealer;
    const auto subscriber = zmq::socket_type::xsub;
    const auto& at = cluster.endpoints();
    return {
        {"agents", at.agents, dealer, "DEALER", coordinator, stranger, "hello_required"},
        {"operators", at.operators, dealer, "DEALER", coordinator, {"ping"}, R"("reply":"ping")"},
        {"operators by ipc",
         cluster.operators_socket(),
         dealer,
         "DEALER",
         coordinator,
         {"ping"},
         R"("reply":"ping")"},
        {"events", at.events, subscriber, "SUB", coordinator, {}, ""},
        {"an agent's own",
         cluster.agent_socket("n1"),
         dealer,
         "DEALER",
         agent,
         {"help"},
         R"("verbs":[)"}};
}

bool all_answer(const Cluster& cluster) {
    const auto agent = ask_line(cluster.agent_socket("n1"), "status");
    const auto ping = ask_line(cluster.endpoints().operators, "ping");
    return agent && ping && ping->at("ok") == true && cluster.status().at("serving") == 1;
}

// Bytes that are not ZMTP, or that end in the middle of it.
void send_garbage(const Target& target, std::mt19937& random) {
    RawConnection{target.endpoint}.send(random_bytes(random, 64U * 1024U), Clock::now());
    RawConnection{target.endpoint}.send("GET / HTTP/1.1\r\n\r\n");
    RawConnection{target.endpoint}.send("\xff\0\0\0\0\0\0\0\1\x7f"s);
    RawConnection giant{target.endpoint};
    REQUIRE(giant.greet(target.raw_kind));
    giant.send("\x02\x7f\xff\xff\xff\xff\xff\xff\xff"s);  // A frame of 2^63 - 1 bytes follows.
    giant.send(random_bytes(random, 1024));
}

// Valid ZMTP with contents that are no message of muster.
std::vector<Frames> bad_messages(std::mt19937& random) {
    const std::string version{codec::version_frame()};
    auto future = version;
    future.back() = '\x63';
    std::vector<Frames> messages{
        {version},
        {version, ""},
        {version, "\x93"},
        {version, "\xdd\xff\xff\xff\xff"},
        {version, std::string(60'000, '\x91')},
        {version, "\xc1"},
        {version, "\x81\xa4type\xa5hello"},
        {future, "\x80"},
        {"MUSTER", "\x80"},
        {"", "", "", ""},
        {"{" + std::string(30'000, '[')},
        {R"({"verb":"apply","tasks":)" + std::string(30'000, '[')},
        {R"({"verb": "task show", "name": "\ud800"})"},
        {"{\"verb\": \"\xff\xfe\"}"},
        {std::string(1000, 'x')},
        {std::string(100, '\0')},
        Frames(10, "frame"),
    };
    for (int i = 0; i < 50; ++i) {
        messages.push_back({version, random_bytes(random, random() % 300)});
        // Not empty: an empty message is a probe and gets an answer as the last message does.
        messages.push_back({random_bytes(random, 1 + random() % 299)});
    }
    return messages;
}

// Sends each message over its own connection, then all over one. Where there are answers, the test
// waits for the last one: then all messages before it have been read.
void send_messages(const Target& target, const std::vector<Frames>& messages) {
    for (const auto& message : messages) {
        Client client{target.kind, target.endpoint};
        client.linger(std::chrono::seconds{1});
        client.send(message);
    }
    Client patient{target.kind, target.endpoint};
    patient.linger(std::chrono::seconds{1});
    for (const auto& message : messages) {
        patient.send(message);
    }
    if (target.last.empty()) {
        return;
    }
    patient.send(target.last);
    std::size_t answers = 0;
    for (auto answer = patient.receive(); answer; answer = patient.receive()) {
        ++answers;
        if (answer->back().find(target.answer) != std::string::npos) {
            CHECK(answers > messages.size() / 2);
            return;
        }
    }
    FAIL("the last message was not answered");
}

// A message without an end, of many times the size limit.
void send_endless(const Target& target) {
    constexpr int frames = 20'000;
    constexpr std::size_t frame_bytes = 200;
    RawConnection connection{target.endpoint};
    REQUIRE(connection.greet(target.raw_kind));
    const std::string body(frame_bytes, 'e');
    for (int i = 0; i < frames && connection.send_frame(body, true); ++i) {
    }
}

// Frames over every limit: the daemon can close the connection at any moment.
void send_oversized(const Target& target) {
    RawConnection connection{target.endpoint};
    REQUIRE(connection.greet(target.raw_kind));
    connection.send_frame(std::string(8U * 1024U * 1024U, 'o'), false);
}

}  // namespace

// Goal: no byte sequence on any endpoint crashes, hangs or bloats a daemon.
// Method: send every endpoint garbage below and inside ZMTP, and every kind of bad message. After
// each, all other endpoints answer; at the end the daemons use as little memory as before.
TEST_CASE("a daemon survives any input and keeps answering other clients",
          "[integration][hostile]") {
    const auto seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random{seed};
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto running = cluster.pids("", 1);

    for (const auto& target : targets_of(cluster)) {
        INFO(target.name);
        const auto messages = bad_messages(random);
        send_messages(target, messages);  // Warms up the daemon's memory.
        REQUIRE(all_answer(cluster));
        const auto before = resident_bytes(target.pid());
        const auto files = open_files(target.pid());
        for (int round = 0; round < 5; ++round) {
            send_garbage(target, random);
            send_messages(target, messages);
            send_oversized(target);
        }
        send_endless(target);
        REQUIRE(all_answer(cluster));
        const auto after = resident_bytes(target.pid());
        INFO("resident before " << before << ", after " << after);
        CHECK(after < before + allowed_growth);
        CHECK(until([&] { return open_files(target.pid()) <= files; }));
    }
    CHECK(cluster.pids("", 1) == running);
    CHECK(cluster.node("n1").at("health") == "healthy");
    CHECK(cluster.log_of("coordinator").find("agent message refused") != std::string::npos);
    CHECK(cluster.log_of("coordinator").find("request refused") != std::string::npos);
}

// Goal: a client that sends an invalid request gets an error where an answer is possible.
// Method: valid envelopes with invalid contents at both kinds of endpoints.
TEST_CASE("a wrong version and an unreadable message are answered with their codes",
          "[integration][hostile]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const std::string version{codec::version_frame()};
    auto future = version;
    future.back() = '\x63';
    const auto answer_to = [](const std::string& endpoint, const Frames& frames) {
        Client client{zmq::socket_type::dealer, endpoint};
        REQUIRE(client.send(frames));
        const auto answer = client.receive();
        REQUIRE(answer);
        return answer->back();
    };
    const auto to_operators = [&](const Frames& frames) {
        const auto reply = codec::decode_reply(answer_to(cluster.endpoints().operators, frames));
        REQUIRE(reply);
        REQUIRE_FALSE(reply->result);
        return reply->result.error().code;
    };
    const auto to_agents = [&](const Frames& frames) {
        CoordinatorMessage message;
        REQUIRE(codec::decode(answer_to(cluster.endpoints().agents, frames), message));
        REQUIRE(std::holds_alternative<Refused>(message));
        return std::get<Refused>(message).code;
    };
    CHECK(to_operators({future, "\x80"}) == Errc::unsupported_version);
    CHECK(to_operators({version, "\xc1"}) == Errc::malformed);
    CHECK(to_operators({version, std::string(1000, '\x91')}) == Errc::malformed);
    CHECK(to_agents({future, "\x80"}) == Errc::unsupported_version);
    CHECK(to_agents({version, "\xc1"}) == Errc::malformed);

    std::string unknown;
    codec::encode(AgentMessage{Ack{}}, unknown);
    CHECK(to_agents({version, unknown}) == Errc::hello_required);

    for (const auto& endpoint : {cluster.endpoints().operators, cluster.agent_socket("n1")}) {
        const auto answer = ask_line(endpoint, "");  // After the delimiter of a REQ.
        REQUIRE(answer);
        CHECK(answer->at("error").at("code") == "malformed");
    }
}

// Goal: a client that requests much and reads nothing delays no other client and uses no memory.
// Method: request a large answer twenty times without reading; then read.
TEST_CASE("a client that does not read its answers is busy, and others are served",
          "[integration][hostile]") {
    constexpr int requests = 20;
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("large", 100'000)});
    const auto pid = cluster.coordinator().pid();
    REQUIRE(cluster.ask({{"verb", "task show"}, {"name", "large"}}).at("ok") == true);
    const auto before = resident_bytes(pid);

    RawConnection unread{cluster.operators_socket()};
    REQUIRE(unread.greet());
    for (int i = 0; i < requests; ++i) {
        REQUIRE(unread.send_frame("task show large", false));
    }
    std::size_t largest = 0;
    REQUIRE(until([&] {
        largest = std::max(largest, resident_bytes(pid));
        CHECK(cluster.ask({{"verb", "ping"}}).at("ok") == true);
        return cluster.log_of("coordinator").find("code=busy") != std::string::npos;
    }));
    INFO("resident before " << before << ", at most " << largest);
    CHECK(largest < before + 3 * allowed_growth);

    std::string answers;
    const auto count = [&](std::string_view word) {
        std::size_t found = 0;
        for (auto at = answers.find(word); at != std::string::npos;
             at = answers.find(word, at + 1)) {
            ++found;
        }
        return found;
    };
    REQUIRE(until([&] {
        answers += unread.receive(1024U * 1024U, Clock::now());  // Everything received so far.
        return count(R"("code":"busy")") == requests - 1;
    }));
    CHECK(count(R"("reply":"task show")") == 1);
    REQUIRE(unread.send_frame("ping", false));
    CHECK(unread.receive(20).find("ok") != std::string::npos);
}

}  // namespace muster::integration
