#include "common/net/router.hpp"

#include <array>
#include <utility>

#include <zmq.hpp>

#include "common/base/ensure.hpp"

namespace muster::net {
namespace {

// A zero byte and the library's number of the connection.
constexpr std::size_t generated_bytes = 5;
// ZMQ_REQ_CORRELATE: the number of the request.
constexpr std::size_t correlation_bytes = 4;

}  // namespace

std::optional<std::uint32_t> Route::generated() const {
    if (bytes.size() != generated_bytes || bytes.front() != '\0') {
        return std::nullopt;
    }
    std::uint32_t number = 0;
    for (std::size_t i = 1; i < generated_bytes; ++i) {
        number = (number << 8U) | static_cast<unsigned char>(bytes[i]);
    }
    return number;
}

Router::Router(Context& context, const Bounds& bounds) : Socket{context, ZMQ_ROUTER, bounds} {
    if (handle() != nullptr) {
        // Without it, undeliverable messages vanish silently; always with DONTWAIT.
        library().set(zmq::sockopt::router_mandatory, true);
    }
}

SendResult Router::send_to(const Envelope& to, std::span<const std::string_view> frames,
                           bool more) {
    ensure(frames.size() + (more ? 1 : 0) <= Message::max_frames, "a message of at most 4 frames");
    std::array<std::string_view, Message::max_frames + 3> whole;
    std::size_t count = 0;
    whole[count++] = to.route.bytes;
    if (!to.correlation.empty()) {
        whole[count++] = to.correlation;
    }
    if (to.delimited) {
        whole[count++] = std::string_view{};
    }
    for (const auto frame : frames) {
        whole[count++] = frame;
    }
    return send_frames({whole.data(), count}, more);
}

SendResult Router::send(const Envelope& to, std::span<const std::string_view> frames) {
    ensure(!frames.empty(), "a message has a frame");
    return send_to(to, frames, false);
}

SendResult Router::send(const Envelope& to, std::span<const std::string_view> first,
                        Shared<std::string> last, Meter& meter) {
    const auto result = send_to(to, first, true);
    if (result == SendResult::sent) {
        send_last(std::move(last), meter);
    }
    return result;
}

Receipt Router::receive(Envelope& from, Message& into) {
    const auto receipt = receive_any(from, into);
    if (!has_keys()) {
        return receipt;
    }
    if (receipt == Receipt::nothing) {
        report_all_received();
        return receipt;
    }
    report_received();
    if (!from.peer.is_none()) {
        return receipt;
    }
    ++unproved_;
    into.clear();
    return Receipt::dropped;
}

bool Router::receive_body(Envelope& from) {
    if (!receive_frame()) {
        return false;
    }
    if (has_keys()) {
        from.peer = proved_key(scratch()).value_or(PublicKey{});
    }
    return true;
}

Receipt Router::receive_any(Envelope& from, Message& into) {
    if (!receive_frame()) {
        return Receipt::nothing;
    }
    forget_received();  // The library made this frame.
    from.peer = {};
    from.route.bytes.assign(scratch().to_string_view());
    from.correlation.clear();
    from.delimited = false;
    into.clear();
    if (!more_follow() || !receive_body(from)) {
        return Receipt::probe;
    }
    if (scratch().size() == correlation_bytes && more_follow()) {
        from.correlation.assign(scratch().to_string_view());
        if (!receive_frame() || !scratch().empty() || !more_follow()) {
            from.correlation.clear();  // Our messages begin with longer frames.
            static_cast<void>(receive_rest(into));
            into.clear();
            return Receipt::dropped;
        }
    }
    if (scratch().empty() && more_follow()) {
        from.delimited = true;
        if (!receive_frame()) {
            return Receipt::probe;
        }
    }
    return receive_rest(into);
}

}  // namespace muster::net
