#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

/// Requests and replies that are larger than a frame, in numbered parts.
///
/// A frame 1 of at most limits::part_bytes is sent as it is. A larger one is cut into parts, each
/// the msgpack array `[5, upload, index, count, bytes]`: `upload` is any number that this sender
/// does not use again soon, `index` counts from 0. The parts come in order, and the message takes
/// effect whole with the last. A receiver holds one open upload per peer.
namespace muster::parts {

/// The number that begins a part's array.
inline constexpr std::uint8_t message_number = 5;

/// The frames to send for these bytes: the bytes themselves, or parts. `too_large`: every receiver
/// would refuse them.
[[nodiscard]] Result<std::vector<std::string>> split(std::string_view bytes, std::uint64_t upload);

/// True if the frame claims to be a part.
[[nodiscard]] bool is_part(std::string_view frame);

/// True if the frame is a part 0, which begins an upload.
[[nodiscard]] bool is_first(std::string_view frame);

/// Assembles the parts of one peer.
///
/// Memory is bounded by the bytes received, and by limits::upload_bytes. Part 0 begins a new
/// upload, whatever was open. A fault ends the upload and is reported once: the rest of that upload
/// is ignored, so that a request of many parts gets one answer. A caller that stops waiting for a
/// next part calls reset().
class Assembly {
public:
    enum class Progress : std::uint8_t { wants_more, complete, skipped };

    /// Takes the next part. `complete`: take() has the message. The caller sends an error to the
    /// peer.
    [[nodiscard]] Result<Progress> add(std::string_view frame);

    /// The whole message; nothing is open afterwards.
    [[nodiscard]] std::string take();

    /// Takes nothing: the upload of this part ends with this error, which the caller sends to the
    /// peer.
    [[nodiscard]] Error refuse(std::string_view frame, Error error);

    [[nodiscard]] bool is_open() const { return next_ > 0; }
    void reset() { *this = Assembly{}; }

private:
    [[nodiscard]] tl::unexpected<Error> give_up(std::uint64_t upload, Error error);

    std::uint64_t upload_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t next_ = 0;  ///< The index that must come; 0: nothing is open.
    bool broken_ = false;     ///< The rest of `upload_` is ignored.
    std::string bytes_;
};

}  // namespace muster::parts
