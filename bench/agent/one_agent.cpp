#include "bench/agent/one_agent.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <utility>
#include <variant>

#include "agent/exec/launch/process_mark.hpp"
#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/net/host/clock.hpp"
#include "tests/integration/support/cluster.hpp"

namespace muster::bench {

namespace {

constexpr ClusterId cluster{1, 1};
constexpr LeaderId leader{2, 2};
constexpr Epoch epoch{1};
constexpr Generation generation{1};
// A figure from a slower run is not meaningful.
constexpr Duration patience = 60s;

net::Context& the_context() {
    static net::Context context;
    return context;
}

}  // namespace

OneAgent::OneAgent()
    : router_{the_context(), {.message_bytes = limits::agent_message_bytes, .send_queue = 100}} {
    auto bound = router_.bind("tcp://127.0.0.1:*");
    ensure(bound.has_value(), "a benchmark may bind a port");
    endpoint_ = std::move(*bound);
    loop_.watch(router_, [this](Instant) { return receive(); });
}

void OneAgent::begin() {
    answers_ = 0;
    incarnation_ = {};
    reported_.clear();
    running_ = 0;
    const std::string& directory = scene_.path();
    process_ = std::make_unique<integration::Process>(
        integration::Command{.argv = {integration::program("muster-agent"), "--name", "bench",
                                      "--coordinator", endpoint_, "--state-dir", directory,
                                      "--run-dir", scene_.run(), "--log-level", "warn"},
                             .errors = directory + "/log"});
    turn_until([this] { return answers_ > 0; }, patience);
}

void OneAgent::kill() {
    process_->signal(SIGKILL);
    ensure(process_->wait(integration::soon()).has_value(), "a killed process ends");
}

void OneAgent::end() {
    kill();
    scene_.end_all();
}

void OneAgent::run(const std::vector<std::string>& argv, std::uint32_t instances) {
    TaskSpec spec;
    spec.argv = argv;
    Batch batch;
    batch.cluster = cluster;
    batch.epoch = epoch;
    batch.leader = leader;
    batch.incarnation = incarnation_;
    batch.sequence = issued_ = next(issued_);
    batch.counter = generation;
    batch.specs.push_back({"task", generation, spec});
    for (Ordinal i = 0; i < instances; ++i) {
        batch.starts.push_back({{"task", i}, generation, digest_of(spec)});
    }
    send(std::move(batch));
    await_running(instances);
}

void OneAgent::await_running(std::uint32_t instances) {
    turn_until([&] { return running_ == instances; }, patience);
}

void OneAgent::poll_for(Duration time) {
    const Instant end = net::boottime_now() + time;
    for (Instant due = net::boottime_now(); due < end; due += 1s) {
        while (net::boottime_now() < due) {
            loop_.turn(due);
        }
        poll();
    }
}

double OneAgent::cpu_ms() const {
    clockid_t clock{};
    timespec time{};
    ensure(clock_getcpuclockid(pid(), &clock) == 0 && clock_gettime(clock, &time) == 0,
           "the agent lives");
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

std::vector<pid_t> OneAgent::shims() const {
    std::vector<pid_t> shims;
    for (const agent::MarkedProcess& process :
         agent::processes_of_home(agent::home_of(scene_.agent_state()))) {
        std::error_code gone;
        const auto program =
            std::filesystem::read_symlink("/proc/" + std::to_string(process.pid) + "/exe", gone);
        if (program.filename() == "muster-shim") {
            shims.push_back(process.pid);
        }
    }
    return shims;
}

// ---- as a coordinator ----

bool OneAgent::receive() {
    net::Envelope from;
    const auto receipt = router_.receive(from, received_);
    if (receipt == net::Receipt::probe) {  // A new connection: its hello may have been lost.
        agent_ = std::move(from);
        send(Refused{.code = Errc::hello_required, .detail = "send hello"});
        return true;
    }
    if (receipt != net::Receipt::message) {
        return receipt != net::Receipt::nothing;
    }
    AgentMessage message;
    const auto decoded = codec::decode(received_[1], message);
    ensure(decoded.has_value(), "an agent uses our protocol");
    if (std::holds_alternative<Hello>(message)) {
        agent_ = std::move(from);
    }
    std::visit([this](const auto& content) { on(content); }, message);
    return true;
}

void OneAgent::on(const Hello& hello) {
    incarnation_ = hello.incarnation;
    seen_ = {};
    send(Welcome{cluster, epoch, leader, incarnation_, 1'000});
    poll();
}

void OneAgent::on(const Report& report) {
    if (report.incarnation != incarnation_) {  // Of a life that was killed meanwhile.
        return;
    }
    answers_ += report.round != Round{} ? 1U : 0U;
    seen_ = report.to;
    if (report.kind == ReportKind::snapshot) {
        reported_.clear();
        running_ = 0;
    }
    for (const auto& instance : report.instances) {
        auto& state = reported_[instance.id];
        running_ -= state == InstanceState::running ? 1U : 0U;
        running_ += instance.state == InstanceState::running ? 1U : 0U;
        state = instance.state;
    }
}

void OneAgent::on(const Ack& ack) { ensure(ack.refusals.empty(), "every order is valid"); }

void OneAgent::send(const CoordinatorMessage& message) {
    codec::encode(message, encoded_);
    ensure(router_.send(agent_, {codec::version_frame(), encoded_}) == net::SendResult::sent,
           "the agent reads");
}

void OneAgent::poll() {
    round_ = next(round_);
    send(Poll{epoch, round_, incarnation_, seen_, issued_, false});
}

void OneAgent::turn_until(const std::function<bool()>& holds, Duration at_most) {
    const Instant end = net::boottime_now() + at_most;
    while (!holds()) {
        loop_.turn(end);
        if (net::boottime_now() >= end) {
            std::fprintf(stderr, "%s\n", integration::text_of(scene_.path() + "/log").c_str());
            ensure(false, "an agent does what it is ordered to");
        }
    }
}

}  // namespace muster::bench
