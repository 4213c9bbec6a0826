#include "agent/exec/executor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/epoll.h>

#include "agent/exec/launch/process_mark.hpp"
#include "common/base/ensure.hpp"

namespace muster::agent {

namespace {

constexpr int events_at_once = 64;

}  // namespace

Executor::Executor(LauncherOptions options) : launcher_{std::move(options)} {}

Result<void> Executor::open() {
    // Shims report how their tasks end. Their own exit status is not needed.
    std::signal(SIGCHLD, SIG_IGN);
    if (auto opened = launcher_.open(); !opened) {
        return opened;
    }
    orphans_.emplace(launcher_.home(), launcher_.cgroups());
    ready_ = FileDescriptor{epoll_create1(EPOLL_CLOEXEC)};
    if (!ready_.is_open()) {
        return fail(Errc::io, std::string{"processes cannot be watched: "} + std::strerror(errno));
    }
    return {};
}

// ---- earlier lives ----

std::vector<FoundProcess> Executor::adopt(Instant now, const JournalImage& journal,
                                          Duration patience) {
    ensure(trees_.empty(), "earlier lives are looked for before anything is started");
    connect_all(launcher_.listed());
    listen_to_all(patience);
    std::set<ProcessId> known;
    for (const auto& image : journal.instances) {
        launcher_.keep(image.report.id);
        if (image.process != ProcessId{}) {
            known.insert(image.process);
        }
    }
    std::set<ProcessId> kept = known;
    for (const auto& [process, tree] : trees_) {
        kept.insert(process);
    }
    launcher_.clean_up_but(kept);
    for (const auto& image : journal.instances) {
        if (image.process != ProcessId{}) {
            adopt_instance(now, image);
        }
    }
    std::vector<FoundProcess> found;
    std::vector<ProcessId> unknown;
    for (auto& entry : trees_) {
        last_left_ = std::max(last_left_, entry.first);
        if (known.contains(entry.first)) {
            continue;
        }
        if (auto process = found_process(entry.second.state)) {
            launcher_.keep(process->id);
            entry.second.program = process->spec.argv.front();
            found.push_back(std::move(*process));
            emit_events(entry);
        } else {
            unknown.push_back(entry.first);
        }
    }
    for (const ProcessId process : unknown) {  // Nobody knows their purpose.
        end({process, SIGKILL, {}});
        release({process});
    }
    std::set<ProcessId> without_shim = launcher_.cgroups().listed();
    for (const MarkedProcess& marked : processes_of_home(launcher_.home())) {
        without_shim.insert(marked.process);
    }
    for (const ProcessId process : without_shim) {
        last_left_ = std::max(last_left_, process);
        if (!trees_.contains(process) && !known.contains(process)) {
            orphans_->add(now, process, {});
        }
    }
    return found;
}

void Executor::connect_all(const std::set<ProcessId>& processes) {
    for (const ProcessId process : processes) {
        if (auto link = launcher_.connect(process)) {
            watch(process, std::move(*link));
        } else {
            launcher_.clean_up_socket(process);
        }
    }
}

// Each shim sends its state to a new connection. A stopped shim does not, so its process counts as
// running, as the journal says, until the shim answers.
void Executor::listen_to_all(Duration patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    std::size_t silent = trees_.size();
    while (silent > 0) {
        const auto left = std::max<Duration>(end - std::chrono::steady_clock::now(), 0ms);
        std::array<epoll_event, events_at_once> happened = {};
        const int count = epoll_wait(ready_.get(), happened.data(), events_at_once,
                                     static_cast<int>(to_ms(left)));
        if (count <= 0) {
            return;
        }
        for (int i = 0; i < count; ++i) {
            const ProcessId process{happened[static_cast<std::size_t>(i)].data.u64};
            Entry& entry = *trees_.find(process);
            Tree& tree = entry.second;
            const bool is_first = tree.state.phase == shim::Phase::waiting;
            const auto receipt = tree.link.receive(tree.state);
            if (receipt == ShimLink::Receipt::closed) {
                tree.link.close();
            } else if (receipt == ShimLink::Receipt::unreadable && ask_again(entry)) {
                continue;
            }
            silent -= is_first && receipt != ShimLink::Receipt::nothing ? 1 : 0;
        }
    }
}

// The shim of a process in the journal is there, or left a record of the end, or was killed.
void Executor::adopt_instance(Instant now, const InstanceImage& image) {
    Tree& tree = trees_[image.process];
    tree.is_started = image.identity.pid != 0;
    if (const auto process = found_process(tree.state)) {
        tree.program = process->spec.argv.front();
        launcher_.cgroups().set_limits(image.process, process->spec.limits);
    }
    if (tree.state.phase == shim::Phase::waiting) {
        tree.state.identity = image.identity;
    }
    if (!tree.link.is_open()) {
        auto end = launcher_.end_of(image.process);
        if (!end) {
            tree.is_left = true;
            orphans_->add(now, image.process, image.identity);
            return;
        }
        tree.state = std::move(*end);
    }
    emit_events(*trees_.find(image.process));
}

// ---- orders ----

bool Executor::starts_to_watch(ProcessId process, const ShimLink& link) const {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u64 = raw(process);
    return epoll_ctl(ready_.get(), EPOLL_CTL_ADD, link.fd(), &event) == 0;
}

Executor::Tree& Executor::watch(ProcessId process, ShimLink link) {
    // A link that cannot be watched is closed. The next connection notices that.
    if (!starts_to_watch(process, link)) {
        link.close();
    }
    Tree& tree = trees_[process];
    tree.link = std::move(link);
    return tree;
}

void Executor::spawn(const Spawn& order) {
    ensure(raw(order.process) != 0 && !trees_.contains(order.process),
           "every process has a number of its own");
    auto launched = launcher_.launch(order);
    if (!launched) {
        const LaunchFailure& failure = launched.error();
        launcher_.clean_up(order.process);
        events_.emplace_back(ProcessNotStarted{.process = order.process,
                                               .permanent = failure.permanent,
                                               .host_at_fault = failure.host_at_fault,
                                               .detail = failure.detail,
                                               .needs_order = failure.needs_order});
        return;
    }
    Tree& tree = watch(order.process, std::move(launched->link));
    tree.program = std::move(launched->program);
}

void Executor::ask(Instant now, const Ask& order) {
    const auto found = trees_.find(order.process);
    if (found == trees_.end()) {
        return;
    }
    while (receive(now, *found)) {
    }
    if (found->second.link.is_open() && !found->second.is_ended) {
        found->second.is_asked = false;
        static_cast<void>(ask_again(*found));
    }
}

// A shim sends its whole state to an agent that connects, and drops the older link. A shim that
// does not answer is asked once; the core asks again. False: it was not asked, and the old link
// stays.
bool Executor::ask_again(Entry& entry) {
    if (entry.second.is_asked) {
        return false;
    }
    auto link = launcher_.connect(entry.first);
    if (!link || !starts_to_watch(entry.first, *link)) {
        return false;  // Its link reports a shim that is gone; a stopped one has a full backlog.
    }
    entry.second.link = std::move(*link);
    entry.second.is_asked = true;
    return true;
}

void Executor::end(const End& order) {
    if (const auto found = trees_.find(order.process); found != trees_.end()) {
        found->second.link.stop(order.number, order.grace);
    }
}

void Executor::renew(const Renewal& order) {
    if (const auto found = trees_.find(order.process); found != trees_.end()) {
        found->second.link.renew(order.lease);
    }
}

void Executor::signal(ProcessId process, int number) {
    if (const auto found = trees_.find(process); found != trees_.end()) {
        found->second.link.signal(number);
    }
}

void Executor::release(const Release& order) {
    if (const auto found = trees_.find(order.process); found != trees_.end()) {
        found->second.link.release();
        trees_.erase(found);
    }
    launcher_.clean_up(order.process);
}

// ---- events ----

std::vector<ProcessEvent> Executor::collect(Instant now) {
    std::array<epoll_event, events_at_once> happened = {};
    const int count = epoll_wait(ready_.get(), happened.data(), events_at_once, 0);
    for (int i = 0; i < count; ++i) {
        const ProcessId process{happened[static_cast<std::size_t>(i)].data.u64};
        const auto found = trees_.find(process);
        ensure(found != trees_.end(), "only links that we hold are watched");
        receive(now, *found);
    }
    for (const ProcessId process : orphans_->sweep(now)) {
        emit_gone(process);
    }
    return std::exchange(events_, {});
}

const ShimState* Executor::state_of(ProcessId process) const {
    const auto found = trees_.find(process);
    return found == trees_.end() ? nullptr : &found->second.state;
}

// False: there was nothing to receive.
bool Executor::receive(Instant now, Entry& entry) {
    Tree& tree = entry.second;
    switch (tree.link.receive(tree.state)) {
        case ShimLink::Receipt::nothing: return false;
        case ShimLink::Receipt::state: emit_events(entry); return true;
        case ShimLink::Receipt::unreadable: static_cast<void>(ask_again(entry)); return true;
        case ShimLink::Receipt::closed: break;
    }
    if (!tree.link.is_open()) {
        return false;
    }
    tree.link.close();
    if (tree.is_ended) {
        return true;  // It is released once the end is written.
    }
    // The shim may have been killed after it recorded the end.
    if (auto end = launcher_.end_of(entry.first)) {
        tree.state = std::move(*end);
        emit_events(entry);
    } else {
        orphans_->add(now, entry.first, tree.state.identity);
    }
    return true;
}

void Executor::emit_events(Entry& entry) {
    auto& [process, tree] = entry;
    const ShimState& state = tree.state;
    const bool is_new = (!tree.is_started && state.identity.pid != 0) ||
                        (!tree.is_ended && state.phase == shim::Phase::ended);
    if (std::exchange(tree.is_asked, false) && is_new) {
        mended_.push_back(process);
    }
    if (!tree.is_started && state.identity.pid != 0) {
        tree.is_started = true;
        events_.emplace_back(ProcessStarted{process, state.started, state.identity});
    }
    if (state.phase != shim::Phase::ended || tree.is_ended) {
        return;
    }
    tree.is_ended = true;
    if (tree.is_started) {
        events_.emplace_back(
            ProcessEnded{.process = process,
                         .exit_code = state.exit_code,
                         .exit_signal = state.exit_signal,
                         .by_order = state.is_stopping,
                         .out_of_memory = state.exit_signal == SIGKILL &&
                                          launcher_.cgroups().has_run_out_of_memory(process)});
    } else {
        const LaunchFailure failure = failure_of(state, tree.program);
        events_.emplace_back(
            ProcessNotStarted{process, failure.permanent, failure.host_at_fault, failure.detail});
    }
}

void Executor::emit_gone(ProcessId process) {
    const auto found = trees_.find(process);
    if (found == trees_.end()) {
        launcher_.clean_up(process);
        return;
    }
    Tree& tree = found->second;
    tree.is_ended = true;
    if (tree.is_started) {
        events_.emplace_back(ProcessEnded{.process = process, .unseen = true});
    } else {
        events_.emplace_back(ProcessNotStarted{.process = process,
                                               .permanent = false,
                                               .host_at_fault = !tree.is_left,
                                               .detail = "its shim ended before it was made",
                                               .never_made = tree.is_left});
    }
}

}  // namespace muster::agent
