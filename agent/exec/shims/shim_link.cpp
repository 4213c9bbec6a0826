#include "agent/exec/shims/shim_link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/base/ensure.hpp"

namespace muster::agent {

namespace {

constexpr std::size_t order_bytes = 256;  // Of all messages but the first.

void apply_field(const shim::Field& field, ShimState& into) {
    const std::uint64_t number = field.number();
    const auto small = static_cast<std::int32_t>(number);
    switch (field.tag) {
        case shim::Tag::process: into.process = ProcessId{number}; break;
        case shim::Tag::phase: into.phase = static_cast<shim::Phase>(number); break;
        case shim::Tag::is_stopping: into.is_stopping = number != 0; break;
        case shim::Tag::pid: into.identity.pid = small; break;
        case shim::Tag::start_ticks: into.identity.start_ticks = number; break;
        case shim::Tag::started_ms:
            into.started = CivilMs{static_cast<std::int64_t>(number)};
            break;
        case shim::Tag::stage: into.stage = static_cast<shim::Stage>(number); break;
        case shim::Tag::error_number: into.error_number = small; break;
        case shim::Tag::exit_code: into.exit_code = small; break;
        case shim::Tag::exit_signal: into.exit_signal = small; break;
        case shim::Tag::ended_ms: into.ended = CivilMs{static_cast<std::int64_t>(number)}; break;
        case shim::Tag::cpu_us: into.cpu_us = number; break;
        case shim::Tag::max_rss_kb: into.max_rss_kb = number; break;
        case shim::Tag::dropped_bytes: into.dropped_bytes = number; break;
        case shim::Tag::is_recorded: into.is_recorded = number != 0; break;
        case shim::Tag::lease_over: into.lease_over = number != 0; break;
        case shim::Tag::record: into.record.assign(field.data, field.size); break;
        default: break;  // Of a later version, or of an order.
    }
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    ensure(path.size() < sizeof address.sun_path, "the name of a process is short");
    std::ranges::copy(path, std::begin(address.sun_path));
    return address;
}

}  // namespace

std::optional<ShimState> read_shim_state(std::string_view bytes) {
    shim::Reader reader{bytes.data(), bytes.size()};
    if (!reader.is_sound() || reader.kind() != shim::Kind::state) {
        return std::nullopt;
    }
    ShimState state;
    for (shim::Field field; reader.next(field);) {
        apply_field(field, state);
    }
    return state;
}

Result<ShimLink> ShimLink::connect(const FileDescriptor& directory, const std::string& name) {
    FileDescriptor socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!socket.is_open() || !SocketAddress{directory, name}.connect(socket)) {
        return fail(Errc::io,
                    std::string{"no shim answers at "} + name + ": " + std::strerror(errno));
    }
    return ShimLink{std::move(socket)};
}

ShimLink::Receipt ShimLink::receive(ShimState& into) {
    // Left as it is made: most messages have some 200 bytes, and to clear all takes longer.
    const auto bytes = std::make_unique_for_overwrite<char[]>(shim::message_bytes);
    while (link_.is_open()) {
        const ssize_t size =
            recv(link_.get(), bytes.get(), shim::message_bytes, MSG_DONTWAIT | MSG_TRUNC);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
            return Receipt::nothing;
        }
        if (size <= 0) {
            break;
        }
        const auto length = static_cast<std::size_t>(size);  // It may exceed the buffer.
        if (length > shim::message_bytes || !shim::Reader{bytes.get(), length}.is_sound()) {
            return Receipt::unreadable;
        }
        if (auto state = read_shim_state({bytes.get(), length})) {
            into = std::move(*state);
            return Receipt::state;
        }
    }
    return Receipt::closed;
}

// A shim reads at once. The socket of a stopped shim holds hundreds of these messages, and the next
// agent repeats what it still needs.
void ShimLink::send(shim::Kind kind, std::initializer_list<Number> numbers) {
    std::array<char, order_bytes> bytes{};
    shim::Writer message{bytes.data(), bytes.size(), kind};
    for (const auto& [tag, number] : numbers) {
        message.number(tag, static_cast<std::uint64_t>(number));
    }
    ensure(message.fits(), "an order of numbers is small");
    if (link_.is_open()) {
        static_cast<void>(
            ::send(link_.get(), message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    }
}

void ShimLink::stop(int signal, Duration grace) {
    send(shim::Kind::stop,
         {{shim::Tag::signal_number, signal}, {shim::Tag::grace_ms, to_ms(grace)}});
}

// Through the open directory, because the kernel accepts only 107 bytes of path.
SocketAddress::SocketAddress(const FileDescriptor& directory, const std::string& name)
    : path_{"/proc/self/fd/" + std::to_string(directory.get()) + '/' + name} {}

bool SocketAddress::bind(const FileDescriptor& socket) const {
    const sockaddr_un address = address_of(path_);
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool SocketAddress::connect(const FileDescriptor& socket) const {
    const sockaddr_un address = address_of(path_);
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
           0;
}

}  // namespace muster::agent
