#include "common/net/socket.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include <zmq.hpp>

#include "common/base/ensure.hpp"
#include "common/base/number.hpp"
#include "common/net/accept/accept.hpp"
#include "common/net/accept/ipc_file.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/host/clock.hpp"

namespace muster::net {
namespace {

// On loopback a handshake takes microseconds: a connection this silent is not a peer.
constexpr int handshake_ms = 5'000;
// The default of 100 loses connections, at 1 to 3 s each, when a fleet reconnects at once.
constexpr int backlog = 4'096;

void set_common_options(zmq::socket_t& socket) {
    using namespace zmq::sockopt;
    socket.set(zmq::sockopt::linger, 0);
    socket.set(handshake_ivl, handshake_ms);
    socket.set(zmq::sockopt::backlog, muster::net::backlog);
    // The second defence, for links that the heartbeat does not check.
    socket.set(tcp_keepalive, 1);
    socket.set(tcp_keepalive_idle, 30);
    socket.set(tcp_keepalive_intvl, 10);
    socket.set(tcp_keepalive_cnt, 3);
    socket.set(tcp_maxrt, 15'000);
}

struct OwnedFrame {
    Shared<std::string> bytes;
    Meter& meter;
};

// Called by the library, in the thread that drops the last reference.
void forget_frame(void* /*bytes*/, void* hint) {
    const std::unique_ptr<OwnedFrame> owned{static_cast<OwnedFrame*>(hint)};
    owned->meter.take_off(owned->bytes->size());
}

// A queue of the longest messages, one that did not fit, and one on its way. Each of our messages
// has one frame that may be long.
Unreceived::Bounds bounds_of(zmq::socket_t& socket, std::uint64_t frame) {
    const auto messages = static_cast<std::uint64_t>(socket.get(zmq::sockopt::rcvhwm)) + 2;
    return {.all = messages * frame, .frame = frame};
}

bool is_ipv6(std::string_view endpoint) { return endpoint.starts_with("tcp://["); }

tl::unexpected<Error> needs_keys(std::string_view what, const std::string& endpoint,
                                 std::string_view remedy) {
    return fail(Errc::refused, "cannot " + std::string{what} + " " + endpoint +
                                   ": keys are required for addresses other than loopback; " +
                                   std::string{remedy});
}

std::string sentence(std::string_view what, std::string_view endpoint, const zmq::error_t& error) {
    const std::string where{endpoint};
    if (error.num() == EADDRINUSE) {
        return where + " is in use by another process";
    }
    return "cannot " + std::string{what} + " " + where + ": " + error.what();
}

}  // namespace

bool Message::append(std::string_view frame) {
    if (count_ == max_frames) {
        return false;
    }
    frames_[count_++].assign(frame);
    return true;
}

Socket::Socket(Context& context, int type, const Bounds& bounds)
    : scratch_{std::make_unique<zmq::message_t>()}, first_bytes_{bounds.first_bytes} {
    try {
        socket_ = std::make_unique<zmq::socket_t>(context.library(), type);
        set_common_options(*socket_);
        socket_->set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(bounds.message_bytes));
        socket_->set(zmq::sockopt::sndhwm, bounds.send_queue);
        socket_->set(zmq::sockopt::rcvhwm, bounds.receive_queue);
    } catch (const zmq::error_t& error) {
        socket_.reset();
        unmade_ = std::string{"no socket can be made: "} + error.what();
    }
}

Socket::~Socket() { close(); }

void Socket::close(Duration linger) {
    if (!ipc_file_.empty()) {
        unlink(ipc_file_.c_str());
        ipc_file_.clear();
    }
    if (socket_) {
        socket_->set(zmq::sockopt::linger, static_cast<int>(to_ms(linger)));
        socket_.reset();
    }
}

template <class Keys>
void Socket::use_keys(const Keys& keys) {
    has_keys_ = true;
    if (!socket_) {
        return;
    }
    // The limit is one of frames as they come in: encrypted, and those of the handshake.
    const auto bytes = socket_->get(zmq::sockopt::maxmsgsize);
    socket_->set(zmq::sockopt::maxmsgsize,
                 std::max(bytes + static_cast<std::int64_t>(curve_overhead),
                          static_cast<std::int64_t>(handshake_bytes)));
    if (const auto set = set_keys(*socket_, keys); !set) {
        socket_.reset();
        unmade_ = set.error().detail;
    }
}

template void Socket::use_keys(const ServerKeys& keys);
template void Socket::use_keys(const ClientKeys& keys);

void* Socket::handle() const { return socket_ ? socket_->handle() : nullptr; }

Result<std::string> Socket::bind_to(std::string_view endpoint) {
    if (!socket_) {
        return fail(Errc::io, unmade_);
    }
    const auto local = endpoint_to_bind(endpoint);
    if (!local) {
        return tl::unexpected{local.error()};
    }
    if (!has_keys_ && !is_on_this_host(*local)) {
        return needs_keys("bind", *local, "run muster init");
    }
    const std::string path{ipc_path(*local)};
    ensure(path.empty() || !has_keys_, "a socket at an ipc endpoint has no keys");
    if (!path.empty()) {
        if (const auto prepared = prepare_ipc_file(path); !prepared) {
            return tl::unexpected{prepared.error()};
        }
    }
    try {
        socket_->set(zmq::sockopt::ipv6, is_ipv6(*local));
        socket_->bind(*local);
        ipc_file_ = path;
        if (!path.empty()) {
            if (const auto closed = close_ipc_file_to_others(path); !closed) {
                return tl::unexpected{closed.error()};
            }
        }
        auto bound = socket_->get(zmq::sockopt::last_endpoint);
        if (has_keys_) {
            bound_what_waits(bound);
        }
        return bound;
    } catch (const zmq::error_t& error) {
        return fail(Errc::io, sentence("bind", *local, error));
    }
}

void Socket::bound_what_waits(std::string_view bound) {
    full_ = bounds_of(*socket_, static_cast<std::uint64_t>(socket_->get(zmq::sockopt::maxmsgsize)));
    port_ = number_in<std::uint16_t>(bound.substr(bound.rfind(':') + 1)).value_or(0);
    if (port_ != 0) {
        bound_unreceived(
            port_, first_bytes_ == 0 ? full_ : bounds_of(*socket_, first_bytes_ + curve_overhead));
    }
}

Result<void> Socket::connect_to(std::string_view endpoint) {
    if (!socket_) {
        return fail(Errc::io, unmade_);
    }
    const auto peer = endpoint_to_connect(endpoint);
    if (!peer) {
        return tl::unexpected{peer.error()};
    }
    if (!has_keys_ && !is_on_this_host(*peer)) {
        return needs_keys("connect to", *peer,
                          "muster-agent join makes those of a node, muster context add those of "
                          "an operator");
    }
    if (has_keys_ && !ipc_path(*peer).empty()) {
        return fail(Errc::invalid, "cannot connect to " + *peer + " with keys: ipc has none");
    }
    try {
        socket_->set(zmq::sockopt::ipv6, is_ipv6(*peer));
        socket_->connect(*peer);
        return {};
    } catch (const zmq::error_t& error) {
        return fail(Errc::io, sentence("connect to", *peer, error));
    }
}

void Socket::disconnect_from(std::string_view endpoint) {
    if (const auto peer = endpoint_to_connect(endpoint); socket_ && peer) {
        zmq_disconnect(handle(), peer->c_str());  // Fails where the link is already gone.
    }
}

// From here on the C functions, not cppzmq's: a full queue is a result, not an exception.

bool Socket::receive_frame() {
    if (!socket_ || zmq_msg_recv(scratch_->handle(), handle(), ZMQ_DONTWAIT) < 0) {
        return false;
    }
    const auto frame = Unreceived::frame(scratch_->size() + curve_overhead);
    received_.frames += frame.frames;
    received_.bytes += frame.bytes;
    return true;
}

void Socket::report_received() {
    const int file = zmq_msg_get(scratch_->handle(), ZMQ_SRCFD);
    on_received(file, boottime_now(), std::exchange(received_, {}));
}

void Socket::report_all_received() {
    if (port_ != 0) {
        on_all_received(port_);
    }
}

Connection Socket::received_connection() {
    return connection_of(zmq_msg_get(scratch_->handle(), ZMQ_SRCFD));
}

void Socket::trust_connection(const Connection& connection) const {
    bound_unreceived(connection, full_);
}

bool Socket::more_follow() const { return scratch_->more(); }

Receipt Socket::receive_rest(Message& into) {
    into.clear();
    bool fits = into.append(scratch_->to_string_view());
    while (more_follow() && receive_frame()) {
        fits = into.append(scratch_->to_string_view()) && fits;
    }
    if (!fits) {
        ++dropped_;
        into.clear();
        return Receipt::dropped;
    }
    return into.size() == 1 && into[0].empty() ? Receipt::probe : Receipt::message;
}

SendResult Socket::send_frames(std::span<const std::string_view> frames, bool more_follow) {
    if (!socket_) {
        return SendResult::gone;
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const int more = more_follow || i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
        if (zmq_send(handle(), frames[i].data(), frames[i].size(), ZMQ_DONTWAIT | more) >= 0) {
            continue;
        }
        // Only the first frame can fail: the library takes a message whole or not at all. A later
        // frame would be taken for a route.
        return zmq_errno() == EAGAIN ? SendResult::slow : SendResult::gone;
    }
    return SendResult::sent;
}

// NOLINTNEXTLINE(readability-make-member-function-const): it sends, through a handle.
void Socket::send_last(Shared<std::string> frame, Meter& meter) {
    auto owned = std::make_unique<OwnedFrame>(OwnedFrame{std::move(frame), meter});
    meter.add(owned->bytes->size());
    zmq_msg_t message;
    // The library only reads the bytes it sends, though its interface is not const.
    auto* const bytes = const_cast<char*>(owned->bytes->data());
    ensure(
        zmq_msg_init_data(&message, bytes, owned->bytes->size(), &forget_frame, owned.get()) == 0,
        "there is memory for a message");
    static_cast<void>(owned.release());  // The library owns it now.
    if (zmq_msg_send(&message, handle(), ZMQ_DONTWAIT) < 0) {
        zmq_msg_close(&message);
    }
}

}  // namespace muster::net
