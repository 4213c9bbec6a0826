#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::net {

/// Reads along with what a peer sends, ahead of the library, and keeps from it what it neither
/// bounds nor survives (docs/internals/adr/0008-the-library-gets-what-it-can-bear.md):
///
/// - a message of ever more frames and a command of any size, which it keeps in memory;
/// - a command behind messages in one piece: if the peer hangs up while they wait, it aborts;
/// - a protocol older than ZMTP 3, in which no frame can be told from another.
///
/// The framing is that of ZMTP 3 (rfc.zeromq.org/spec/23). Pure: no clock, no I/O, no thread.
class FrameGuard {
public:
    static constexpr std::uint32_t frames_of_message = 16;    ///< Of ours the longest has 5.
    static constexpr std::uint64_t bytes_of_command = 4'096;  ///< Handshake, heartbeat, topics.

    /// How many of these bytes, which come next, the library is to get in one piece; at least one.
    /// Nothing: the connection is to be ended.
    [[nodiscard]] std::optional<std::size_t> admit(std::string_view bytes);

    /// The next bytes are inside a frame that is no command: so many need not be looked at.
    [[nodiscard]] std::uint64_t unchecked() const { return is_command() ? 0 : body_left_; }

private:
    [[nodiscard]] bool is_command() const;
    [[nodiscard]] bool take_greeting(std::uint8_t byte);
    [[nodiscard]] bool take_length(std::uint8_t byte);

    std::uint64_t size_ = 0;
    std::uint64_t body_left_ = 0;
    std::uint32_t frames_ = 0;  // Of the message that has begun.
    std::uint8_t greeting_ = 0;
    std::uint8_t flags_ = 0;
    std::uint8_t length_left_ = 0;
};

}  // namespace muster::net
