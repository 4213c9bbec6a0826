// This version understands what agents and shims of earlier versions sent.

#include <array>
#include <bit>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/shims/shim_link.hpp"
#include "agent/shim/order.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

using Transcript = std::map<std::string, std::string>;

Transcript transcript() {
    std::ifstream stream{MUSTER_SOURCE_DIR "/tests/data/shim-1.hex"};
    Transcript messages;
    std::string name;
    for (std::string line; std::getline(stream, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        if (line.front() != ' ') {
            name = line;
            continue;
        }
        std::istringstream bytes{line};
        for (std::string byte; bytes >> byte;) {
            messages[name] += static_cast<char>(std::stoi(byte, nullptr, 16));
        }
    }
    return messages;
}

/// A field that no version has.
std::string with_unknown_fields(const std::string& message) {
    const std::string field{"\xe7\x03\0\0\x05\0\0\0later", 13};
    return message.substr(0, 4) + field + message.substr(4) + field;
}

std::vector<std::string> texts(const shim::Order& order, shim::Tag tag) {
    std::vector<std::string> all;
    shim::Reader reader = order.fields();
    for (shim::Field field; reader.next(field);) {
        if (field.tag == tag) {
            all.emplace_back(field.text());
        }
    }
    return all;
}

std::vector<std::uint64_t> numbers(const shim::Order& order, shim::Tag tag) {
    std::vector<std::uint64_t> all;
    shim::Reader reader = order.fields();
    for (shim::Field field; reader.next(field);) {
        for (std::size_t i = 0; field.tag == tag && i < field.size / 8; ++i) {
            all.push_back(field.number(i));
        }
    }
    return all;
}

bool is_of_another_byte_order() {
    if constexpr (std::endian::native != std::endian::little) {
        WARN("SKIPPED: the transcript is of hosts whose lowest byte comes first");
        return true;
    }
    return false;
}

}  // namespace

TEST_CASE("an order of version 1 is read with its meaning", "[shim]") {
    if (is_of_another_byte_order()) {
        return;
    }
    const bool has_unknown = GENERATE(false, true);
    const std::string plain = transcript()["order"];
    const std::string bytes = has_unknown ? with_unknown_fields(plain) : plain;
    shim::Order order;
    REQUIRE(shim::read_order(bytes.data(), bytes.size(), order));
    CHECK(order.process == 77);
    CHECK(std::string{order.record.data, order.record.size} == std::string{"\x82\xa1\0x", 4});
    CHECK(std::string{order.program} == "/usr/bin/env");
    CHECK(std::string{order.directory} == "/var/lib/muster/agents/n1/work/web.0");
    CHECK(std::string{order.log_name} == "web.0");
    CHECK(order.log_bytes == 16'777'216);
    CHECK(order.log_age_ms == 86'400'000);
    CHECK(order.start_timeout_ms == 5'000);
    CHECK(order.post_stop_ms == 60'000);
    CHECK(order.lease_ns == 123'456'789'012'345);
    CHECK(order.signal_number == 15);
    CHECK(order.grace_ms == 10'000);
    CHECK(order.has_pre_start);
    CHECK(order.has_post_stop);
    CHECK(texts(order, shim::Tag::argument) == std::vector<std::string>{"env", "", "two words"});
    CHECK(texts(order, shim::Tag::variable) ==
          std::vector<std::string>{"PATH=/usr/bin:/bin", "EMPTY="});
    CHECK(texts(order, shim::Tag::pre_start) ==
          std::vector<std::string>{"/bin/sh", "sh", "-c", "exit 0"});
    CHECK(texts(order, shim::Tag::post_stop) == std::vector<std::string>{"/bin/true", "true"});
    CHECK(texts(order, shim::Tag::cgroup) ==
          std::vector<std::string>{"/sys/fs/cgroup/x/muster-8-1-77"});
    CHECK(numbers(order, shim::Tag::user) == std::vector<std::uint64_t>{1'000});
    CHECK(numbers(order, shim::Tag::group) == std::vector<std::uint64_t>{1'001});
    CHECK(numbers(order, shim::Tag::other_group) == std::vector<std::uint64_t>{27, 4});
    CHECK(numbers(order, shim::Tag::umask) == std::vector<std::uint64_t>{077});
    CHECK(numbers(order, shim::Tag::nice) == std::vector<std::uint64_t>{25});
    CHECK(numbers(order, shim::Tag::rlimit) ==
          std::vector<std::uint64_t>{7, 1'024, ~std::uint64_t{0}});
}

TEST_CASE("a message of a version 1 shim is read with its meaning", "[shim]") {
    if (is_of_another_byte_order()) {
        return;
    }
    auto messages = transcript();
    const bool has_unknown = GENERATE(false, true);
    const auto read = [&](const std::string& name) {
        const auto state =
            read_shim_state(has_unknown ? with_unknown_fields(messages[name]) : messages[name]);
        REQUIRE(state);
        CHECK(state->process == agent::ProcessId{77});
        return *state;
    };
    const agent::ShimState running = read("running");
    CHECK(running.phase == shim::Phase::running);
    CHECK_FALSE(running.is_stopping);
    CHECK(running.identity == agent::ProcessIdentity{4242, 987'654'321});
    CHECK(running.started == CivilMs{1'790'000'000'123});
    CHECK(running.exit_code == -1);
    CHECK(running.dropped_bytes == 4'096);
    CHECK(running.record == std::string{"\x82\xa1\0x", 4});

    const agent::ShimState ended = read("ended");
    CHECK(ended.phase == shim::Phase::ended);
    CHECK(ended.is_stopping);
    CHECK(ended.exit_code == -1);
    CHECK(ended.exit_signal == 15);
    CHECK(ended.ended == CivilMs{1'790'000'001'456});
    CHECK(ended.cpu_us == 1'500'000);
    CHECK(ended.max_rss_kb == 20'480);
    CHECK(ended.is_recorded);
    CHECK(ended.lease_over);

    const agent::ShimState not_started = read("not_started");
    CHECK(not_started.stage == shim::Stage::exec);
    CHECK(not_started.error_number == 2);
}

// Goal: a shim of an earlier version obeys this agent. Method: compare the bytes with version 1.
TEST_CASE("an agent's later orders to a shim have the form of version 1", "[shim]") {
    if (is_of_another_byte_order()) {
        return;
    }
    auto messages = transcript();
    std::array<int, 2> both{};
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both.data()) == 0);
    agent::ShimLink link{FileDescriptor{both[0]}};
    const FileDescriptor shim{both[1]};
    const auto received = [&] {
        std::array<char, 512> bytes{};
        const auto size = recv(shim.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        return std::string{bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    };
    link.stop(15, 10s);
    CHECK(received() == messages["stop"]);
    link.signal(1);
    CHECK(received() == messages["signal"]);
    link.release();
    CHECK(received() == messages["release"]);
}

// Goal: a damaged state is taken neither for no state, nor is a part taken for the whole.
// Method: a message that is too long with a valid beginning, one cut within a field, and a kind of
// message from a later version.
TEST_CASE("an incomplete message of a shim is reported as unreadable", "[shim]") {
    std::array<int, 2> both{};
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both.data()) == 0);
    const int room = 1024 * 1024;
    REQUIRE(setsockopt(both[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room) == 0);
    agent::ShimLink link{FileDescriptor{both[0]}};
    const FileDescriptor shim{both[1]};
    const auto print = [&](const char* bytes, std::size_t size) {
        REQUIRE(send(shim.get(), bytes, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size));
    };
    constexpr std::size_t beyond = 8;
    std::vector<char> bytes(shim::message_bytes + beyond);
    shim::Writer state{bytes.data(), shim::message_bytes, shim::Kind::state};
    state.number(shim::Tag::process, 77);
    constexpr std::size_t field_head = 8;
    const std::string filling(shim::message_bytes - state.size() - field_head, 'x');
    state.bytes(shim::Tag::record, filling.data(), filling.size());
    REQUIRE(state.fits());
    REQUIRE(state.size() == shim::message_bytes);

    agent::ShimState into;
    print(bytes.data(), bytes.size());
    CHECK(link.receive(into) == agent::ShimLink::Receipt::unreadable);
    CHECK(into.process == agent::ProcessId{});
    print(bytes.data(), 21);
    CHECK(link.receive(into) == agent::ShimLink::Receipt::unreadable);
    CHECK(into.process == agent::ProcessId{});
    const shim::Writer later{bytes.data() + 64, 64, static_cast<shim::Kind>(999)};
    print(later.data(), later.size());
    CHECK(link.receive(into) == agent::ShimLink::Receipt::nothing);
    print(bytes.data(), shim::message_bytes);
    CHECK(link.receive(into) == agent::ShimLink::Receipt::state);
    CHECK(into.process == agent::ProcessId{77});
}

// Goal: a truncated message, or one of a version that must not be ignored, has no effect.
// Method: every prefix of a message, and every byte of its beginning changed.
TEST_CASE("a part of a message is not a message", "[shim]") {
    if (is_of_another_byte_order()) {
        return;
    }
    auto messages = transcript();
    const std::string& order = messages["order"];
    shim::Order into;
    std::size_t read = 0;
    for (std::size_t size = 0; size < order.size(); ++size) {
        // A copy, so that sanitizers find a read beyond its end.
        const std::vector<char> part{order.begin(), order.begin() + static_cast<long>(size)};
        read += shim::read_order(part.data(), part.size(), into) ? 1U : 0U;
        static_cast<void>(read_shim_state({part.data(), part.size()}));
    }
    CHECK(read < 40);  // Those that end with a field, after all fields that an order needs.
    for (std::size_t at = 0; at < 4; ++at) {
        std::string other = order;
        other[at] = static_cast<char>(other[at] ^ 0x20);
        CHECK_FALSE(shim::read_order(other.data(), other.size(), into));
    }
    CHECK_FALSE(read_shim_state(order));
    CHECK_FALSE(read_shim_state(""));
}
