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
/// The framing is that of ZMTP 3 (rfc.zeromq.org/spec/23).
class FrameGuard {
public:
    static constexpr std::uint32_t frames_of_message = 16;    ///< Our longest message has 5.
    static constexpr std::uint64_t bytes_of_command = 4'096;  ///< Handshake, heartbeat, topics.

    /// How many of these next bytes the library may get in one piece; at least one. Nothing: the
    /// connection must be closed.
    [[nodiscard]] std::optional<std::size_t> admit(std::string_view bytes);

    /// The next bytes are inside a frame that is not a command: so many need no inspection.
    [[nodiscard]] std::uint64_t unchecked() const { return is_command() ? 0 : body_left_; }

private:
    [[nodiscard]] bool is_command() const;
    [[nodiscard]] bool take_greeting(std::uint8_t byte);
    [[nodiscard]] bool take_length(std::uint8_t byte);

    std::uint64_t size_ = 0;
    std::uint64_t body_left_ = 0;
    std::uint32_t frames_ = 0;  // Of the current message.
    std::uint8_t greeting_ = 0;
    std::uint8_t flags_ = 0;
    std::uint8_t length_left_ = 0;
};

}  // namespace muster::net
