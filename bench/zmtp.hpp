#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// ZMTP 3.0 NULL by hand, over loopback: what peers without libzmq say and hear.
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
/// Our version frame and this one.
[[nodiscard]] std::string message(std::string_view body);
/// Takes the next whole frame off `bytes`.
[[nodiscard]] std::optional<Frame> take_frame(std::string_view& bytes);

/// Blocking, so that a storm of connections is no part of what is measured.
[[nodiscard]] int connected_to(std::uint16_t port);
/// All of it; a peer that is cut off ends its process.
void send_all(int fd, std::string_view bytes);

}  // namespace muster::bench::zmtp
