#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"

/// Files with secrets: readable by their owner alone. A file that others can read is refused, and
/// so is one that somebody else may have written.
namespace muster {

/// Writes a new file, durably, with mode 0600 and the owner of its directory. `exists`: there is
/// one already, and it is left alone.
[[nodiscard]] Result<void> write_secret_file(const std::string& path, std::string_view text);
/// Gives such a file another name, durably. A file of that name is replaced.
[[nodiscard]] Result<void> replace_file(const std::string& from, const std::string& to);
/// The text of such a file. `not_found`: there is none.
[[nodiscard]] Result<std::string> read_secret_file(const std::string& path);

/// The value of a line `NAME = "VALUE"`.
[[nodiscard]] std::optional<std::string> value_in(std::string_view text, std::string_view name);

/// A key of CURVE with both halves. `whose`: a sentence for the first line.
[[nodiscard]] Result<void> write_key_file(const std::string& path, const KeyPair& pair,
                                          std::string_view whose);
/// Checks also that the halves belong together.
[[nodiscard]] Result<KeyPair> read_key_file(const std::string& path);
/// The lines of a key in such a file, and the key in the text of one that is at `path`.
[[nodiscard]] std::string key_lines(const KeyPair& pair);
[[nodiscard]] Result<KeyPair> read_key(std::string_view text, const std::string& path);

}  // namespace muster
