#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::codec {

/// Appends the array of a part: its four numbers, then its bytes.
void write_part(const std::array<std::uint64_t, 4>& numbers, std::string_view bytes,
                std::string& into);

}  // namespace muster::codec
