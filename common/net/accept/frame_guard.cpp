#include "common/net/accept/frame_guard.hpp"

#include <algorithm>
#include <utility>

namespace muster::net {

namespace {

constexpr std::uint8_t greeting_bytes = 64;
constexpr std::uint8_t revision_at = 10;
constexpr std::uint8_t revision = 3;
constexpr std::uint8_t mechanism_at = 12;
constexpr std::string_view curve{"CURVE\0", 6};

constexpr std::uint8_t has_more = 1;
constexpr std::uint8_t is_long = 2;
constexpr std::uint8_t command = 4;

constexpr std::size_t length_bytes(std::uint8_t flags) { return (flags & is_long) != 0 ? 8 : 1; }

/// The size of the frame that begins here, with its head. 0: its head is not whole.
std::uint64_t size_of_frame(std::string_view bytes) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
    if (bytes.empty() || bytes.size() < 1 + length_bytes(byte(0))) {
        return 0;
    }
    const std::size_t head = 1 + length_bytes(byte(0));
    std::uint64_t size = 0;
    for (std::size_t at = 1; at < head; ++at) {
        size = size << 8U | byte(at);
    }
    return size + head;
}

}  // namespace

std::optional<std::size_t> FrameGuard::admit(std::string_view bytes) {
    std::size_t at = 0;
    following_ = 0;
    while (at < bytes.size()) {
        const auto byte = static_cast<std::uint8_t>(bytes[at]);
        if (greeting_ < greeting_bytes) {
            if (!take_greeting(byte)) {
                return std::nullopt;
            }
            ++at;
            continue;
        }
        if (body_left_ > 0) {
            const auto taken = std::min<std::uint64_t>(body_left_, bytes.size() - at);
            body_left_ -= taken;
            at += static_cast<std::size_t>(taken);
        } else if (length_left_ == 0) {
            if (at > 0 && (is_curve_ || (byte & command) != 0)) {
                following_ = is_curve_ ? size_of_frame(bytes.substr(at)) : 0;
                return at;  // A command comes in a piece of its own,
            }
            flags_ = byte;
            length_left_ = static_cast<std::uint8_t>(length_bytes(byte));
            size_ = 0;
            ++at;
            continue;
        } else {
            if (!take_length(byte)) {
                return std::nullopt;
            }
            ++at;
        }
        if (!is_curve_ && is_command() && length_left_ == 0 && body_left_ == 0) {
            return at;  // and nothing follows it there.
        }
    }
    return at;
}

std::uint64_t FrameGuard::next_piece() const {
    const bool is_between = greeting_ == greeting_bytes && length_left_ == 0;
    if (!is_curve_ || !is_between) {
        return 0;
    }
    return body_left_ > 0 ? body_left_ : following_;
}

FrameGuard::Arrived FrameGuard::take_arrived() { return std::exchange(arrived_, {}); }

bool FrameGuard::is_command() const { return (flags_ & command) != 0; }

bool FrameGuard::take_greeting(std::uint8_t byte) {
    const bool is_sound =
        (greeting_ != 0 || byte == 0xff) && (greeting_ != revision_at || byte >= revision);
    const auto letter = static_cast<std::size_t>(greeting_ - mechanism_at);
    if (greeting_ >= mechanism_at && letter < curve.size()) {
        is_curve_ = is_curve_ && byte == static_cast<std::uint8_t>(curve[letter]);
    }
    ++greeting_;
    return is_sound;
}

bool FrameGuard::take_length(std::uint8_t byte) {
    size_ = size_ << 8U | byte;
    if (--length_left_ > 0) {
        return true;
    }
    body_left_ = size_;
    if (is_curve_) {
        return take_encrypted();
    }
    if (is_command()) {
        return size_ <= bytes_of_command;
    }
    ++frames_;
    const bool is_bounded = frames_ <= frames_of_message;
    frames_ = (flags_ & has_more) != 0 ? frames_ : 0;
    return is_bounded;
}

bool FrameGuard::take_encrypted() {
    if (frames_ < handshake_frames) {
        arrived_.handshakes += frames_ == 0 ? 1 : 0;
        ++frames_;
        return size_ <= bytes_of_command;
    }
    ++arrived_.frames;
    arrived_.bytes += size_ > small_frame ? size_ : 0;
    return true;
}

}  // namespace muster::net
