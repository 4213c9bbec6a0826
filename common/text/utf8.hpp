#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

/// Bytes of the letter (a UTF-8 sequence) that the text begins with. 0: there is none, or it is one
/// that is not only seen: a control character, of which a terminal knows two kinds (below U+0020,
/// and U+007F to U+009F), an end of a line, or one that turns the direction of writing.
[[nodiscard]] std::size_t letter_bytes(std::string_view text);

/// The beginning of a text, at most so many bytes, without half a UTF-8 character at its end.
[[nodiscard]] std::string_view cut(std::string_view text, std::size_t bytes);

/// The text without such bytes at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text, std::string_view blanks);

/// The text with each byte that begins no such letter as `?`: one line that no terminal obeys.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace muster
