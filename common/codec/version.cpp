#include <string>

#include "common/codec/codec.hpp"

namespace muster::codec {

namespace {

constexpr std::string_view our_frame = "MUSTER\x01";
constexpr std::size_t magic_bytes = our_frame.size() - 1;

}  // namespace

std::string_view version_frame() { return our_frame; }

Result<void> check_version(std::string_view frame) {
    if (frame.size() != our_frame.size() ||
        frame.substr(0, magic_bytes) != our_frame.substr(0, magic_bytes)) {
        return fail(Errc::malformed,
                    "frame 0 is not MUSTER and a version byte; a bare frame is JSON or one line");
    }
    const auto version = static_cast<std::uint8_t>(frame.back());
    if (version != protocol_version) {
        return fail(Errc::unsupported_version, "the peer speaks version " +
                                                   std::to_string(version) +
                                                   " of the protocol; spoken here: 1");
    }
    return {};
}

}  // namespace muster::codec
