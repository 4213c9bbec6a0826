#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::net {

/// Reads a peer's bytes before the library does, and withholds input that the library neither
/// bounds nor survives (docs/internals/adr/0008-the-library-gets-what-it-can-bear.md):
///
/// - a message of ever more frames or a command of any size, which it would keep in memory;
/// - a command after messages in one piece: if the peer hangs up while they wait, it aborts;
/// - a protocol older than ZMTP 3, whose frames cannot be separated.
///
/// With CURVE, what a frame is and whether others follow is encrypted. So there each frame is a
/// piece of its own, and the frames are counted, for Unreceived to judge.
///
/// The framing is that of ZMTP 3 (rfc.zeromq.org/spec/23).
class FrameGuard {
public:
    static constexpr std::uint32_t frames_of_message = 16;    ///< Our longest message has 5.
    static constexpr std::uint64_t bytes_of_command = 4'096;  ///< Handshake, heartbeat, topics.
    /// The peer's part of a handshake with CURVE: hello and initiate.
    static constexpr std::uint32_t handshake_frames = 2;
    /// The bytes of smaller encrypted frames do not count: a heartbeat has fewer.
    static constexpr std::uint64_t small_frame = 64;

    /// How many of these next bytes the library may get in one piece; at least one. Nothing: the
    /// connection must be closed.
    [[nodiscard]] std::optional<std::size_t> admit(std::string_view bytes);

    /// The next bytes are inside a frame that is not a command: so many need no inspection.
    [[nodiscard]] std::uint64_t unchecked() const {
        return is_curve_ || is_command() ? 0 : body_left_;
    }
    /// So many bytes are the next piece, also if less of it is there. 0: the next bytes must be
    /// looked at.
    [[nodiscard]] std::uint64_t next_piece() const;

    /// Encrypted frames after the handshake that began to come in.
    struct Arrived {
        std::uint32_t frames = 0;
        std::uint64_t bytes = 0;       ///< Of those that are not small.
        std::uint32_t handshakes = 0;  ///< Those that began before.
    };
    [[nodiscard]] Arrived take_arrived();

private:
    [[nodiscard]] bool is_command() const;
    [[nodiscard]] bool take_greeting(std::uint8_t byte);
    [[nodiscard]] bool take_length(std::uint8_t byte);
    [[nodiscard]] bool take_encrypted();

    std::uint64_t size_ = 0;
    std::uint64_t body_left_ = 0;
    std::uint64_t following_ = 0;  // The size of the next frame with its head, if known.
    Arrived arrived_;
    std::uint32_t frames_ = 0;  // Of the current message; with CURVE, of the handshake.
    std::uint8_t greeting_ = 0;
    std::uint8_t flags_ = 0;
    std::uint8_t length_left_ = 0;
    bool is_curve_ = true;  // As far as the greeting was read.
};

}  // namespace muster::net
