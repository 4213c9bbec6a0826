#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/codec.hpp"
#include "tests/integration/harness.hpp"

namespace muster::integration {

namespace {

// Far less than what the attacks send, and more than a busy allocator keeps back.
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
    std::function<pid_t()> pid;
};

// Whatever listens, and the process behind it.
std::vector<Target> targets_of(Cluster& cluster) {
    const auto coordinator = [&cluster] { return cluster.coordinator().pid(); };
    return {{"agents", cluster.endpoints().agents, coordinator},
            {"operators", cluster.endpoints().operators, coordinator},
            {"operators by ipc", cluster.operators_socket(), coordinator},
            {"events", cluster.endpoints().events, coordinator},
            {"an agent's own", cluster.agent_socket("n1"),
             [&cluster] { return cluster.agent("n1").pid(); }}};
}

bool all_answer(const Cluster& cluster) {
    const auto agent = ask_line(cluster.agent_socket("n1"), "status");
    const auto ping = ask_line(cluster.endpoints().operators, "ping");
    return agent && ping && ping->at("ok") == true && cluster.status().at("serving") == 1;
}

// Bytes that are no ZMTP at all, or end in the middle of it.
void send_garbage(const std::string& endpoint, std::mt19937& random) {
    RawConnection{endpoint}.send(random_bytes(random, 64U * 1024U), Clock::now());
    RawConnection{endpoint}.send("GET / HTTP/1.1\r\n\r\n");
    RawConnection{endpoint}.send("\xff\0\0\0\0\0\0\0\1\x7f"s);
    RawConnection giant{endpoint};
    if (giant.greet()) {
        giant.send("\x02\x7f\xff\xff\xff\xff\xff\xff\xff"s);  // A frame of 2^63 - 1 bytes follows.
        giant.send(random_bytes(random, 1024));
    }
}

// Sound ZMTP around what is no message of ours.
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
        messages.push_back({random_bytes(random, random() % 300)});
    }
    return messages;
}

void send_messages(const std::string& endpoint, const std::vector<Frames>& messages) {
    for (const auto& message : messages) {
        Client client{zmq::socket_type::dealer, endpoint};
        client.send(message, Clock::now() + std::chrono::seconds{1});
    }
    Client patient{zmq::socket_type::dealer, endpoint};
    for (const auto& message : messages) {
        patient.send(message, Clock::now() + std::chrono::seconds{1});
    }
}

// One message that never ends, as far as we care to go: many times what may be held.
void send_endless(const std::string& endpoint) {
    constexpr int frames = 20'000;
    constexpr std::size_t frame_bytes = 200;
    RawConnection connection{endpoint};
    if (!connection.greet()) {
        return;
    }
    const std::string body(frame_bytes, 'e');
    for (int i = 0; i < frames && connection.send_frame(body, true); ++i) {
    }
}

// Frames over every limit: the connection may be cut at any moment.
void send_oversized(const std::string& endpoint) {
    RawConnection connection{endpoint};
    if (connection.greet()) {
        connection.send_frame(std::string(8U * 1024U * 1024U, 'o'), false);
    }
}

}  // namespace

// Goal: no byte sequence crashes, hangs or bloats a daemon, whichever door it comes through.
// Method: at every endpoint, garbage below ZMTP and within it, and messages of every bad kind;
// after each all others are answered, and at the end the daemons are as large as before.
TEST_CASE("a daemon lives and answers others whatever it is sent", "[integration][hostile]") {
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
        send_messages(target.endpoint, messages);  // What a daemon grows to in honest use.
        REQUIRE(all_answer(cluster));
        const auto before = resident_bytes(target.pid());
        const auto files = open_files(target.pid());
        for (int round = 0; round < 5; ++round) {
            send_garbage(target.endpoint, random);
            send_messages(target.endpoint, messages);
            send_oversized(target.endpoint);
        }
        send_endless(target.endpoint);
        REQUIRE(all_answer(cluster));
        const auto after = resident_bytes(target.pid());
        INFO("resident before " << before << ", after " << after);
        CHECK(after < before + allowed_growth);
        CHECK(until([&] { return open_files(target.pid()) <= files; }));
    }
    CHECK(cluster.pids("", 1) == running);
    CHECK(cluster.node("n1").at("health") == "healthy");
}

// Goal: who speaks wrongly is told so, where there is a way to tell.
// Method: sound envelopes with unsound contents at both kinds of endpoints.
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
    codec::encode(AgentMessage{Goodbye{}}, unknown);
    CHECK(to_agents({version, unknown}) == Errc::hello_required);
}

}  // namespace muster::integration
