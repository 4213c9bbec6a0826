#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// ZMTP 3.0 NULL written by hand, over loopback: the messages of peers without libzmq.
namespace muster::bench::zmtp {

inline constexpr std::size_t greeting_bytes = 64;
inline constexpr unsigned char more_flag = 1;
inline constexpr unsigned char command_flag = 4;

struct Frame {
    unsigned char flags = 0;
    std::string_view body;
};

[[nodiscard]] std::string greeting();
/// The READY of a DEALER.
[[nodiscard]] const std::string& ready();
[[nodiscard]] std::string frame(unsigned char flags, std::string_view body);
/// Our version frame followed by this frame.
[[nodiscard]] std::string message(std::string_view body);
/// Removes the next complete frame from `bytes`.
[[nodiscard]] std::optional<Frame> take_frame(std::string_view& bytes);

/// Blocking, so that many simultaneous connections are not part of the measurement.
[[nodiscard]] int connected_to(std::uint16_t port);
/// Sends all bytes. If the peer was cut off, its process ends.
void send_all(int fd, std::string_view bytes);

}  // namespace muster::bench::zmtp
