#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/shim/shim.hpp"
#include "agent/shim/system.hpp"

/// The messages between a shim and its agent.
namespace muster::shim {

namespace {

// Enough for a state without its record: all other fields are numbers.
constexpr size_t without_record = 1024;

// In the zero segment, so that they take no memory until they are used.
char order_bytes[message_bytes];
char state_bytes[message_bytes];
char received_bytes[4096];

uint64_t microseconds(const timeval& time) {
    return static_cast<uint64_t>(time.tv_sec) * 1000000 + static_cast<uint64_t>(time.tv_usec);
}

// Another user who can reach the socket is not our agent.
bool is_agent(int link) {
    ucred peer = {};
    socklen_t size = sizeof peer;
    return getsockopt(link, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

}  // namespace

void Shim::accept_agent() {
    const int link = accept4(listen_file, nullptr, nullptr, SOCK_CLOEXEC);
    if (link < 0) {
        return;
    }
    if (!is_agent(link)) {
        close(link);
        return;
    }
    if (phase_ == Phase::waiting) {
        receive();  // The order may be unread, and it comes only once.
    }
    if (phase_ == Phase::waiting) {
        close(link);
        return;
    }
    close_file(link_);  // The old agent is dead, or a newer one is here.
    link_ = link;
    sends_record_ = true;
    changed_ = true;
}

void Shim::receive() {
    const bool waits = phase_ == Phase::waiting;
    char* into = waits ? order_bytes : received_bytes;
    const size_t capacity = waits ? sizeof order_bytes : sizeof received_bytes;
    const ssize_t size = recv(link_, into, capacity, MSG_DONTWAIT | MSG_TRUNC);
    // An agent that ended without reading everything resets the link once. Its earlier messages can
    // still be read.
    if (size < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET)) {
        return;
    }
    if (size <= 0) {
        close_file(link_);
    } else if (waits) {
        take_order(static_cast<size_t>(size));
    } else if (static_cast<size_t>(size) <= capacity) {
        obey(into, static_cast<size_t>(size));
    }
}

void Shim::take_order(size_t size) {
    phase_ = Phase::starting;
    if (size > sizeof order_bytes || !read_order(order_bytes, size, order_)) {
        not_started(Stage::order, EINVAL);
        return;
    }
    outputs_.open(order_, logs_file, ends_file);
    lease_due_ = order_.lease_ns;
    if (!outputs_.make_pipes(out_, err_)) {
        not_started(Stage::fork, errno);
        return;
    }
    if (order_.start_timeout_ms > 0) {
        start_due_ = boot_now() + order_.start_timeout_ms * ms;
    }
    begin(order_.has_pre_start ? Command::pre_start : Command::program);
}

void Shim::obey(const char* message, size_t size) {
    Reader reader{message, size};
    if (!reader.is_sound()) {
        return;
    }
    int number = order_.signal_number;
    uint64_t grace_ms = order_.grace_ms;
    uint64_t lease_ns = lease_due_;
    for (Field field; reader.next(field);) {
        if (field.tag == Tag::signal_number) {
            number = static_cast<int>(field.number());
        } else if (field.tag == Tag::grace_ms) {
            grace_ms = field.number();
        } else if (field.tag == Tag::lease_ns) {
            lease_ns = field.number();
        }
    }
    switch (reader.kind()) {
        case Kind::stop: stop(number, grace_ms); break;
        case Kind::signal:
            if (phase_ == Phase::running) {
                kill(-pid_, number);
            }
            break;
        case Kind::lease:
            // A lease that has ended is not renewed, and no lease becomes shorter.
            lease_due_ = lease_due_ != 0 && lease_ns > lease_due_ ? lease_ns : lease_due_;
            break;
        case Kind::release: is_released_ = true; break;
        default: break;  // Of a later version.
    }
}

void Shim::describe(Writer& state) const {
    state.number(Tag::process, order_.process);
    state.number(Tag::phase, static_cast<uint64_t>(phase_));
    state.number(Tag::is_stopping, stopping_ != Stopping::no ? 1 : 0);
    state.number(Tag::pid, static_cast<uint64_t>(pid_));
    state.number(Tag::start_ticks, start_ticks_);
    state.number(Tag::started_ms, started_ms_);
    state.number(Tag::stage, static_cast<uint64_t>(failure_.stage));
    state.number(Tag::error_number, static_cast<uint64_t>(failure_.error_number));
    state.number(Tag::exit_code, static_cast<uint64_t>(exit_code_));
    state.number(Tag::exit_signal, static_cast<uint64_t>(exit_signal_));
    state.number(Tag::lease_over, lease_over_ ? 1 : 0);
    state.number(Tag::dropped_bytes, outputs_.dropped());
    if (phase_ == Phase::ended) {
        rusage usage = {};
        getrusage(RUSAGE_CHILDREN, &usage);
        state.number(Tag::ended_ms, ended_ms_);
        state.number(Tag::cpu_us, microseconds(usage.ru_utime) + microseconds(usage.ru_stime));
        state.number(Tag::max_rss_kb, static_cast<uint64_t>(usage.ru_maxrss));
        state.number(Tag::is_recorded, outputs_.is_recorded() ? 1 : 0);
    }
}

void Shim::send_state() {
    if (link_ < 0) {
        changed_ = false;
        return;
    }
    // Most shims never send the record. Then the stack page that is in use is enough.
    char few_bytes[without_record];
    Writer state{sends_record_ ? state_bytes : few_bytes,
                 sends_record_ ? sizeof state_bytes : sizeof few_bytes, Kind::state};
    describe(state);
    if (sends_record_) {
        state.bytes(Tag::record, order_.record.data, order_.record.size);
    }
    const ssize_t sent = send(link_, state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    changed_ = sent < 0 && errno == EAGAIN;
    sends_record_ = sends_record_ && sent < 0;
}

}  // namespace muster::shim
