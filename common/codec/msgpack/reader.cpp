#include "common/codec/msgpack/reader.hpp"

#include <cstddef>
#include <cstdint>

#include "common/codec/shapes/unknown_field.hpp"

namespace muster::codec {

void MsgpackReader::pairs(std::string_view what, const Fields& known) {
    const std::size_t count = cursor_.map(what, limits::map_fields);
    std::uint64_t seen = 0;
    std::size_t next = 0;  // Writers keep the order, so the next field is there most often.
    for (std::size_t i = 0; i < count && cursor_.ok(); ++i) {
        const std::string_view key = cursor_.text("a key", limits::name_bytes);
        std::size_t tried = 0;
        while (tried < known.size() && known[next].name != key) {
            next = next + 1 == known.size() ? 0 : next + 1;
            ++tried;
        }
        if (tried == known.size()) {
            note_unknown(key, known);
            cursor_.skip(key);
            continue;
        }
        const std::uint64_t bit = std::uint64_t{1} << next;
        if ((seen & bit) != 0) {
            cursor_.fail(Errc::malformed, key, "is there twice");
        }
        seen |= bit;
        known[next].use(*this, known[next]);
        next = next + 1 == known.size() ? 0 : next + 1;
    }
    for (std::size_t i = 0; i < known.size() && cursor_.ok(); ++i) {
        if ((seen & (std::uint64_t{1} << i)) == 0 && !known[i].rule.default_ok) {
            cursor_.fail(Errc::malformed, known[i].name, "is missing");
        }
    }
}

void MsgpackReader::note_unknown(std::string_view key, const Fields& known) {
    unknown_key_ = unknown_key_.empty() ? key : unknown_key_;
    if (fault_ && fault_->empty()) {
        *fault_ = describe_unknown_field(key, known);
    }
}

}  // namespace muster::codec
