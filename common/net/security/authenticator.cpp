#include "common/net/security/authenticator.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/eventfd.h>
#include <unistd.h>

#include <zmq.hpp>

#include "common/base/ensure.hpp"
#include "common/net/host/clock.hpp"

namespace muster::net {
namespace {

constexpr const char* zap_address = "inproc://zeromq.zap.01";

/// A message with the frames of one peer, its route first.
using Frames = std::vector<zmq::message_t>;

// Route, delimiter, version, request id, domain, address, identity, mechanism.
constexpr std::size_t frames_before_key = 8;

/// Nothing: none waits.
std::optional<Frames> receive_request(zmq::socket_t& socket) {
    Frames frames;
    do {
        zmq::message_t frame;
        if (zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT) < 0) {
            return std::nullopt;
        }
        frames.push_back(std::move(frame));
    } while (frames.back().more());
    return frames;
}

void send_frame(zmq::socket_t& socket, std::string_view frame, bool more) {
    // The library's own connection may have gone: then nobody waits for the answer.
    zmq_send(socket.handle(), frame.data(), frame.size(), ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0));
}

}  // namespace

struct Authenticator::Request {
    std::string domain;
    std::string_view address;
    std::optional<PublicKey> key;  ///< None: another mechanism.
};

struct Authenticator::Verdict {
    std::string_view status;
    std::string_view text;
    std::string user{};
};

Authenticator::Authenticator(Context& context, std::uint32_t per_second, OnRefusal on_refusal)
    : context_{context}, rate_{per_second}, on_refusal_{std::move(on_refusal)} {}

Authenticator::~Authenticator() { stop(); }

Result<void> Authenticator::start() {
    ensure(!thread_.joinable(), "an authenticator is started once");
    try {
        requests_ = std::make_unique<zmq::socket_t>(context_.library(), ZMQ_ROUTER);
        requests_->set(zmq::sockopt::linger, 0);
        requests_->bind(zap_address);
    } catch (const zmq::error_t& error) {
        requests_.reset();
        return fail(Errc::io,
                    std::string{"the check of keys at handshakes cannot start: "} + error.what());
    }
    stop_ = FileDescriptor{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!stop_.is_open()) {
        requests_.reset();
        return fail(Errc::io, std::string{"the check of keys at handshakes cannot start: "} +
                                  std::strerror(errno));
    }
    thread_ = std::thread{[this] { run(); }};
    return {};
}

void Authenticator::stop() {
    if (thread_.joinable()) {
        const std::uint64_t one = 1;
        ensure(write(stop_.get(), &one, sizeof one) == sizeof one, "an event can be written");
        thread_.join();
        zmq_unbind(requests_->handle(), zap_address);  // At once; a close takes a while.
    }
    requests_.reset();
}

void Authenticator::admit(const std::string& domain, std::shared_ptr<const KeySet> keys) {
    ensure(keys == nullptr || std::ranges::is_sorted(*keys), "a set of keys is sorted");
    const std::lock_guard lock{mutex_};
    domains_[domain].keys.swap(keys);  // The old set ends after the lock.
}

void Authenticator::admit_any(const std::string& domain, bool open) {
    const std::lock_guard lock{mutex_};
    domains_[domain].is_open = open;
}

Authenticator::Counts Authenticator::counts() const {
    return {.accepted = accepted_, .refused = refused_, .too_fast = too_fast_};
}

void Authenticator::run() {
    std::array<zmq_pollitem_t, 2> items{
        {{requests_->handle(), -1, ZMQ_POLLIN, 0}, {nullptr, stop_.get(), ZMQ_POLLIN, 0}}};
    while (items[1].revents == 0) {
        if (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0) {
            if (zmq_errno() != EINTR) {
                return;  // The context ends.
            }
            continue;
        }
        while (answer_one()) {
        }
    }
}

bool Authenticator::answer_one() {
    auto frames = receive_request(*requests_);
    if (!frames) {
        return false;
    }
    if (frames->size() < frames_before_key) {
        return true;  // Not from the library.
    }
    const auto text = [&](std::size_t at) { return (*frames)[at].to_string_view(); };
    Request request{.domain = std::string{text(4)}, .address = text(5), .key = {}};
    if (text(7) == "CURVE" && frames->size() == frames_before_key + 1 &&
        text(frames_before_key).size() == PublicKey::size) {
        request.key.emplace();
        std::memcpy(request.key->bytes.data(), text(frames_before_key).data(), PublicKey::size);
    }
    const Verdict verdict = judge(request);
    for (const auto frame : {text(0), std::string_view{}, std::string_view{"1.0"}, text(3),
                             verdict.status, verdict.text, std::string_view{verdict.user}}) {
        send_frame(*requests_, frame, true);
    }
    send_frame(*requests_, {}, false);  // No metadata.
    return true;
}

Authenticator::Verdict Authenticator::judge(const Request& request) {
    const Instant now = boottime_now();
    if (!rate_.admit(now, request.address)) {
        ++too_fast_;
        // Not 300: the library mostly says nothing to the peer then, and keeps it for 30 s.
        return {.status = "500", .text = "too many handshakes from this address"};
    }
    if (!request.key || !is_admitted(request.domain, *request.key)) {
        ++refused_;
        if (on_refusal_) {
            on_refusal_(now, {.domain = request.domain,
                              .address = request.address,
                              .key = request.key ? &*request.key : nullptr});
        }
        return {.status = "400", .text = "this key is not admitted"};
    }
    ++accepted_;
    return {.status = "200", .text = "OK", .user = to_string(*request.key)};
}

bool Authenticator::is_admitted(const std::string& domain, const PublicKey& key) const {
    std::shared_ptr<const KeySet> keys;
    {
        const std::lock_guard lock{mutex_};
        const auto found = domains_.find(domain);
        if (found == domains_.end()) {
            return false;
        }
        if (found->second.is_open) {
            return true;
        }
        keys = found->second.keys;
    }
    return keys != nullptr && std::ranges::binary_search(*keys, key);
}

}  // namespace muster::net
