#include "common/net/accept/frame_guard.hpp"

#include <algorithm>

namespace muster::net {

namespace {

constexpr std::uint8_t greeting_bytes = 64;
constexpr std::uint8_t revision_at = 10;
constexpr std::uint8_t revision = 3;

constexpr std::uint8_t has_more = 1;
constexpr std::uint8_t is_long = 2;
constexpr std::uint8_t command = 4;

}  // namespace

std::optional<std::size_t> FrameGuard::admit(std::string_view bytes) {
    std::size_t at = 0;
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
            if (at > 0 && (byte & command) != 0) {
                return at;  // A command comes in a piece of its own,
            }
            flags_ = byte;
            length_left_ = (byte & is_long) != 0 ? 8 : 1;
            size_ = 0;
            ++at;
            continue;
        } else {
            if (!take_length(byte)) {
                return std::nullopt;
            }
            ++at;
        }
        if (is_command() && length_left_ == 0 && body_left_ == 0) {
            return at;  // and nothing follows it there.
        }
    }
    return at;
}

bool FrameGuard::is_command() const { return (flags_ & command) != 0; }

bool FrameGuard::take_greeting(std::uint8_t byte) {
    const bool is_sound =
        (greeting_ != 0 || byte == 0xff) && (greeting_ != revision_at || byte >= revision);
    ++greeting_;
    return is_sound;
}

bool FrameGuard::take_length(std::uint8_t byte) {
    size_ = size_ << 8U | byte;
    if (--length_left_ > 0) {
        return true;
    }
    body_left_ = size_;
    if (is_command()) {
        return size_ <= bytes_of_command;
    }
    ++frames_;
    const bool is_bounded = frames_ <= frames_of_message;
    frames_ = (flags_ & has_more) != 0 ? frames_ : 0;
    return is_bounded;
}

}  // namespace muster::net
