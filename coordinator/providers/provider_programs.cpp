#include "coordinator/providers/provider_programs.hpp"

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <span>
#include <sys/eventfd.h>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/net/host/clock.hpp"

namespace muster::coordinator {
namespace {

// How long the end of the process waits for provisions and removals, and then for what it killed.
// A call that is cut short is made again by the next leader.
constexpr Duration last_wait = 2s;

// A signal for the daemon belongs to its own threads. A program that closes its input is no signal.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

FileDescriptor make_event() {
    FileDescriptor event{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    ensure(event.is_open(), "a daemon that just started has files left");
    return event;
}

void clear(const FileDescriptor& event) {
    eventfd_t ignored = 0;
    static_cast<void>(eventfd_read(event.get(), &ignored));
}

/// Rounded up, so that a deadline has passed after it. -1: for ever.
int poll_timeout(std::optional<Instant> deadline) {
    constexpr std::int64_t longest = 3'600'000;
    return !deadline ? -1
                     : static_cast<int>(std::clamp<std::int64_t>(
                           to_ms(*deadline - net::boottime_now()) + 1, 0, longest));
}

}  // namespace

ProviderPrograms::ProviderPrograms(const OutsideOptions& options)
    : options_{options},
      environment_{environment_of_programs()},
      news_{make_event()},
      orders_{make_event()} {
    if (!options_.providers.empty() || !options_.predictors.empty()) {
        thread_ = std::thread{[this] { work(); }};
    }
}

ProviderPrograms::~ProviderPrograms() {
    cancel_all();
    if (thread_.joinable()) {
        {
            const std::lock_guard lock{mutex_};
            stopping_ = true;
        }
        eventfd_write(orders_.get(), 1);
        thread_.join();
    }
}

void ProviderPrograms::begin(const ClusterId& cluster) { cluster_ = cluster; }

bool ProviderPrograms::knows(const OutsideCall& call) const {
    const auto& known =
        std::holds_alternative<PredictNeed>(call.what) ? options_.predictors : options_.providers;
    return std::ranges::find(known, call.to, &ProviderOptions::name) != known.end();
}

void ProviderPrograms::call(OutsideCall call) {
    if (knows(call)) {
        {
            const std::lock_guard lock{mutex_};
            calls_.push_back({leadership_, cluster_, std::move(call)});
        }
        eventfd_write(orders_.get(), 1);
        return;
    }
    auto failed = failure_of(call,
                             "cannot begin: the configuration of this coordinator has no such "
                             "name; all coordinators of a cluster are to have the same");
    {
        const std::lock_guard lock{mutex_};
        answers_.push_back({call.number, std::move(failed)});
    }
    eventfd_write(news_.get(), 1);
}

std::vector<OutsideAnswer> ProviderPrograms::take() {
    clear(news_);
    const std::lock_guard lock{mutex_};
    return std::exchange(answers_, {});
}

void ProviderPrograms::cancel_all() {
    {
        const std::lock_guard lock{mutex_};
        ++leadership_;
        calls_.clear();
        answers_.clear();
    }
    eventfd_write(orders_.get(), 1);
}

void ProviderPrograms::work() {
    block_signals();
    ProgramTable table{options_, environment_};
    while (turn(table, table.next_deadline())) {
    }
    for (int killed = 0; killed < 2; ++killed) {
        const Instant until = net::boottime_now() + last_wait;
        while (!table.is_empty() && net::boottime_now() < until) {
            static_cast<void>(turn(table, until));
        }
        table.kill_all();
    }
}

bool ProviderPrograms::turn(ProgramTable& table, std::optional<Instant> deadline) {
    files_.assign(1, {orders_.get(), POLLIN, 0});
    table.add_files(files_);
    // No signal arrives here, so a failure means that the kernel has no memory: nothing is ready.
    static_cast<void>(poll(files_.data(), files_.size(), poll_timeout(deadline)));
    clear(orders_);
    std::vector<ProgramCall> calls;
    bool is_over = false;
    bool continues = false;
    {
        const std::lock_guard lock{mutex_};
        calls.swap(calls_);
        is_over = std::exchange(seen_, leadership_) != leadership_;
        continues = !stopping_;
    }
    if (is_over) {
        table.abandon();  // Before a program that has ended makes place for a call that waits.
    }
    table.work(net::boottime_now(), std::span{files_}.subspan(1));
    for (auto& call : calls) {
        table.submit(net::boottime_now(), std::move(call));
    }
    deliver(table.take_answers());
    return continues;
}

void ProviderPrograms::deliver(std::vector<ProgramAnswer> answers) {
    if (answers.empty()) {
        return;
    }
    {
        const std::lock_guard lock{mutex_};
        for (ProgramAnswer& one : answers) {
            if (one.leadership == leadership_) {
                answers_.push_back(std::move(one.answer));
            }
        }
    }
    eventfd_write(news_.get(), 1);
}

}  // namespace muster::coordinator
