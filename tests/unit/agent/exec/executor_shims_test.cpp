#include <array>
#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/shims/shim_link.hpp"
#include "tests/unit/agent/exec/executor_host.hpp"

// A shim's message that was lost is sent again, over a new link, to an agent that asks.

namespace muster::agent {

namespace {

/// This process's links to shims.
std::vector<int> links() {
    std::vector<int> all;
    for (const auto& file : fs::directory_iterator{"/proc/self/fd"}) {
        const int number = std::stoi(file.path().filename().string());
        int type = 0;
        int listens = 0;
        socklen_t size = sizeof type;
        if (getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET &&
            getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens == 0) {
            all.push_back(number);
        }
    }
    return all;
}

/// Consumes messages before the executor reads them, through the first that meets the condition.
template <class Condition>
void lose_until(Condition is_last) {
    REQUIRE(links().size() == 1);
    const int link = links().front();
    for (bool is_over = false; !is_over;) {
        pollfd ready{link, POLLIN, 0};
        REQUIRE(::poll(&ready, 1, 60'000) == 1);
        std::array<char, 4'096> bytes{};
        const auto size = recv(link, bytes.data(), bytes.size(), MSG_DONTWAIT);
        REQUIRE(size > 0);
        const auto state = read_shim_state({bytes.data(), static_cast<std::size_t>(size)});
        REQUIRE(state);
        is_over = is_last(*state);
    }
}

/// A shim that sends what a test wants, at the socket of a process that an earlier life started.
class FakeShim {
public:
    FakeShim(const std::string& sockets, ProcessId process)
        : process_{process}, listen_{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)} {
        const FileDescriptor directory{::open(sockets.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        REQUIRE(SocketAddress(directory, std::to_string(raw(process))).bind(listen_));
        REQUIRE(::listen(listen_.get(), 4) == 0);
    }
    /// False: no agent connects.
    bool accept_agent() {
        pollfd ready{listen_.get(), POLLIN, 0};
        if (::poll(&ready, 1, 60'000) == 1) {
            link_ = FileDescriptor{::accept(listen_.get(), nullptr, nullptr)};
        }
        return link_.is_open();
    }
    void send(shim::Phase phase) {
        std::array<char, 256> bytes{};
        shim::Writer state{bytes.data(), bytes.size(), shim::Kind::state};
        state.number(shim::Tag::process, raw(process_));
        state.number(shim::Tag::phase, static_cast<std::uint64_t>(phase));
        state.number(shim::Tag::pid, no_process);
        state.number(shim::Tag::is_recorded, 1);
        send({state.data(), state.size()});
    }
    void send_half() { send({"\x01\0\x40\0\x01\0\0\0\x08\0\0\0\x4d", 13}); }

private:
    static constexpr std::uint64_t no_process = 99'999'999;

    void send(std::string_view bytes) const {
        static_cast<void>(::send(link_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
    }

    ProcessId process_;
    FileDescriptor listen_;
    FileDescriptor link_;
};

}  // namespace

// Method: the test reads the link before the executor does, so the shim's message is lost.
TEST_CASE("a lost message of a shim is sent again when the shim is asked", "[executor][shims]") {
    Host host;
    const auto process = host.shell("trap 'exit 3' TERM; echo up; while :; do sleep 0.01; done");
    const auto ask = [&] { host.executor().ask(Host::time(), {process}); };
    lose_until([](const ShimState& state) { return state.phase == shim::Phase::running; });
    ask();
    CHECK(host.await<ProcessStarted>(process).identity.pid != 0);
    CHECK(host.executor().take_mended() == std::vector<ProcessId>{process});

    ask();  // No effect: there is nothing new.
    host.until([&] { return host.output() == "up\n"; });
    host.end(process, SIGTERM, 20s);
    lose_until([](const ShimState& state) { return state.is_recorded; });
    ask();
    CHECK(host.await<ProcessEnded>(process).exit_code == 3);
    CHECK(host.executor().take_mended() == std::vector<ProcessId>{process});
    ask();
    host.turn();
    CHECK(host.executor().take_mended().empty());
}

// Goal: requests to a stopped shim do not fill its socket, and its orders are executed later.
// Method: ask it more often than its socket has room for, and order it to end its task, twice.
TEST_CASE("a shim that is stopped can be asked over and over", "[executor][shims]") {
    Host host;
    host.halt_shims();
    const auto process = host.shell("exec sleep 1000");
    const auto ask = [&] {
        for (int time = 0; time < 20; ++time) {
            host.executor().ask(Host::time(), {process});
            host.turn();
        }
    };
    const pid_t shim = host.halted_shim();
    ask();
    ::kill(shim, SIGCONT);
    CHECK(host.await<ProcessStarted>(process).identity.pid != 0);
    ::kill(shim, SIGSTOP);
    host.end(process, SIGTERM, 20s);
    ask();
    host.end(process, SIGTERM, 20s);
    ::kill(shim, SIGCONT);
    CHECK(host.await<ProcessEnded>(process).exit_signal == SIGTERM);
}

// Goal: an unreadable state is not lost. Method: a fake shim sends half of one to an agent that
// adopts its task, and later; each time it is asked once.
TEST_CASE("a shim whose message cannot be read is asked at once", "[executor][shims]") {
    const ProcessId process{5};
    Host host;
    host.leave();
    FakeShim shim{host.sockets(), process};
    InstanceImage image;
    image.report.id = {"web", 0};
    image.process = process;
    JournalImage journal;
    journal.instances.push_back(image);
    bool is_adopted = false;
    std::thread answers{[&] {
        is_adopted = shim.accept_agent();
        shim.send_half();
        is_adopted = is_adopted && shim.accept_agent();
        shim.send(shim::Phase::running);
    }};
    CHECK(host.begin(journal).empty());
    answers.join();
    REQUIRE(is_adopted);
    host.await<ProcessStarted>(process);
    CHECK(host.executor().take_mended() == std::vector<ProcessId>{process});

    shim.send_half();
    host.turn();
    REQUIRE(shim.accept_agent());
    shim.send_half();
    host.turn();
    CHECK(host.executor().state_of(process)->phase == shim::Phase::running);
    shim.send(shim::Phase::ended);
    host.await<ProcessEnded>(process);
    CHECK(host.executor().take_mended() == std::vector<ProcessId>{process});
}

}  // namespace muster::agent
