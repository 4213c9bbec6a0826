#pragma once

#include <string>
#include <string_view>

#include <msgpack/pack.hpp>

namespace muster::codec {

/// The output of msgpack's packer.
struct Sink {
    std::string& into;
    void write(const char* bytes, std::size_t size) { into.append(bytes, size); }
};
using Packer = msgpack::packer<Sink>;

inline void pack_text(Packer& pack, std::string_view text) {
    pack.pack_str(static_cast<std::uint32_t>(text.size()));
    pack.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
}

inline void pack_bytes(Packer& pack, std::string_view bytes) {
    pack.pack_bin(static_cast<std::uint32_t>(bytes.size()));
    pack.pack_bin_body(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

}  // namespace muster::codec
