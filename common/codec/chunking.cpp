#include "common/codec/chunking.hpp"

#include <array>
#include <limits>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/msgpack/cursor.hpp"
#include "common/codec/msgpack/packer.hpp"

namespace muster::parts {

namespace {

constexpr char part_head = '\x95';  // A msgpack array of five.
constexpr std::uint64_t most_parts =
    (limits::upload_bytes + limits::part_bytes - 1) / limits::part_bytes;

struct Part {
    std::uint64_t upload = 0;
    std::uint64_t index = 0;
    std::uint64_t count = 0;
    std::string_view bytes;
};

Result<Part> read_part(std::string_view frame) {
    codec::Cursor cursor{frame};
    Part part;
    const auto elements = cursor.array("a part", 5);
    const auto number = cursor.number("its message number", message_number);
    part.upload = cursor.number("upload", std::numeric_limits<std::uint64_t>::max());
    part.index = cursor.number("index", most_parts - 1);
    part.count = cursor.number("count", most_parts);
    part.bytes = cursor.bytes("bytes", limits::part_bytes);
    if (cursor.ok() && (elements != 5 || number != message_number || part.index >= part.count)) {
        cursor.fail(Errc::malformed, "a part",
                    "is [5, upload, index, count, bytes], index < count");
    }
    return cursor.finish("part").map([&] { return part; });
}

/// The array of a part: its four numbers, then its bytes.
void write_part(const std::array<std::uint64_t, 4>& numbers, std::string_view bytes,
                std::string& into) {
    codec::Sink sink{into};
    codec::Packer pack{sink};
    pack.pack_array(static_cast<std::uint32_t>(numbers.size() + 1));
    for (const auto number : numbers) {
        pack.pack_uint64(number);
    }
    codec::pack_bytes(pack, bytes);
}

}  // namespace

Result<std::vector<std::string>> split(std::string_view bytes, std::uint64_t upload) {
    if (bytes.size() > limits::upload_bytes) {
        return fail(Errc::too_large,
                    "the message has " + too_many(bytes.size(), "bytes", limits::upload_bytes));
    }
    if (bytes.size() <= limits::part_bytes) {
        return std::vector<std::string>{std::string{bytes}};
    }
    const std::size_t count = (bytes.size() + limits::part_bytes - 1) / limits::part_bytes;
    std::vector<std::string> frames(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto part = bytes.substr(i * limits::part_bytes, limits::part_bytes);
        write_part({message_number, upload, i, count}, part, frames[i]);
    }
    return frames;
}

bool is_part(std::string_view frame) {
    return frame.size() >= 2 && frame[0] == part_head && frame[1] == char{message_number};
}

bool is_first(std::string_view frame) {
    const auto part = read_part(frame);
    return part && part->index == 0;
}

Result<Assembly::Progress> Assembly::add(std::string_view frame) {
    const auto part = read_part(frame);
    if (!part) {
        return give_up(upload_, part.error());
    }
    if (part->index == 0) {
        reset();
        upload_ = part->upload;
        count_ = part->count;
        // Reserved at once, so that it never moves as it grows. Unwritten pages take no memory.
        bytes_.reserve(std::min<std::size_t>(count_, limits::upload_bytes / limits::part_bytes) *
                       part->bytes.size());
    } else if (broken_ && part->upload == upload_) {
        return Progress::skipped;
    } else if (part->upload != upload_ || part->index != next_ || part->count != count_) {
        const std::string due = is_open() ? "where part " + std::to_string(next_) + " was due"
                                          : "of an upload that never began or was given up";
        return give_up(part->upload,
                       {Errc::malformed, "part " + std::to_string(part->index) + " came " + due +
                                             "; begin again with part 0"});
    }
    if (part->bytes.size() > limits::upload_bytes - bytes_.size()) {
        return give_up(part->upload, {Errc::too_large, "the parts have more than " +
                                                           std::to_string(limits::upload_bytes) +
                                                           " bytes in sum"});
    }
    bytes_.append(part->bytes);
    ++next_;
    return next_ == count_ ? Progress::complete : Progress::wants_more;
}

std::string Assembly::take() {
    ensure(next_ > 0 && next_ == count_, "Assembly::take() comes after the last part");
    std::string whole = std::exchange(bytes_, {});
    reset();
    return whole;
}

Error Assembly::refuse(std::string_view frame, Error error) {
    const auto part = read_part(frame);
    return give_up(part ? part->upload : upload_, std::move(error)).value();
}

tl::unexpected<Error> Assembly::give_up(std::uint64_t upload, Error error) {
    reset();
    upload_ = upload;
    broken_ = true;
    return tl::unexpected{std::move(error)};
}

}  // namespace muster::parts
