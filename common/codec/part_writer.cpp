#include "common/codec/part_writer.hpp"

#include <msgpack/pack.hpp>

namespace muster::codec {

namespace {

struct Sink {
    std::string& into;
    void write(const char* bytes, std::size_t size) { into.append(bytes, size); }
};

}  // namespace

void write_part(const std::array<std::uint64_t, 4>& numbers, std::string_view bytes,
                std::string& into) {
    Sink sink{into};
    msgpack::packer<Sink> pack{sink};
    pack.pack_array(static_cast<std::uint32_t>(numbers.size() + 1));
    for (const auto number : numbers) {
        pack.pack_uint64(number);
    }
    pack.pack_bin(static_cast<std::uint32_t>(bytes.size()));
    pack.pack_bin_body(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

}  // namespace muster::codec
