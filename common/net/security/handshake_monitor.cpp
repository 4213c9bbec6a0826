#include "common/net/security/handshake_monitor.hpp"

#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include <zmq.hpp>

namespace muster::net {
namespace {

constexpr int handshake_events =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
constexpr std::uint32_t zap_denied = 400;

std::string next_address() {
    static std::atomic<std::uint64_t> made{0};
    return "inproc://muster.handshakes." + std::to_string(++made);
}

std::optional<HandshakeFailure> failure_of(std::uint16_t event, std::uint32_t value) {
    switch (event) {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return std::nullopt;
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            return value == zap_denied ? HandshakeFailure::refused : HandshakeFailure::temporary;
        default: return HandshakeFailure::no_answer;
    }
}

}  // namespace

HandshakeMonitor::HandshakeMonitor(Context& context, void* socket) : socket_{socket} {
    try {
        const std::string address = next_address();
        auto reader = std::make_unique<zmq::socket_t>(context.library(), ZMQ_PAIR);
        // The library's thread sends, and would wait for room.
        reader->set(zmq::sockopt::rcvhwm, 0);
        reader->set(zmq::sockopt::linger, 0);
        if (zmq_socket_monitor(socket_, address.c_str(), handshake_events) != 0) {
            return;
        }
        events_ = std::move(reader);
        events_->connect(address);
    } catch (const zmq::error_t&) {
        events_.reset();  // Then no failure is reported.
    }
}

HandshakeMonitor::~HandshakeMonitor() {
    zmq_socket_monitor(socket_, nullptr, 0);
    events_.reset();
}

std::optional<HandshakeFailure> HandshakeMonitor::take() {
    std::optional<HandshakeFailure> last;
    zmq::message_t frame;
    while (events_ && zmq_msg_recv(frame.handle(), events_->handle(), ZMQ_DONTWAIT) >= 0) {
        std::uint16_t event = 0;
        std::uint32_t value = 0;
        // The first of two frames; the second is the endpoint.
        if (frame.more() && frame.size() == sizeof event + sizeof value) {
            std::memcpy(&event, frame.data(), sizeof event);
            std::memcpy(&value, static_cast<const char*>(frame.data()) + sizeof event,
                        sizeof value);
            last = failure_of(event, value);
        }
    }
    return last;
}

}  // namespace muster::net
