#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

/// Bytes of the printable character (a UTF-8 sequence) at the start of the text. 0: there is none,
/// or it is a control character (below U+0020, and U+007F to U+009F), ends a line, or changes the
/// direction of writing.
[[nodiscard]] std::size_t character_bytes(std::string_view text);

/// The beginning of a text, at most so many bytes, without a partial UTF-8 character at its end.
[[nodiscard]] std::string_view cut(std::string_view text, std::size_t bytes);

/// The text without such bytes at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text, std::string_view blanks);

/// The text with `?` for each byte that begins no printable character: one line, safe for a
/// terminal.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace muster
