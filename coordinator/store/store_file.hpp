#pragma once

#include <string>

#include "common/base/result.hpp"

/// The file of a store before it is opened: SQLite would wait for a pipe for ever, and says little
/// of a file that may not be written.
namespace muster::coordinator {

/// Neither the store nor its log is anything but a file that we may read and write. None is there:
/// they will be made.
[[nodiscard]] Result<void> check_files(const std::string& path);

/// It is there and holds nothing, so a new store is made in it.
[[nodiscard]] bool is_empty_file(const std::string& path);

}  // namespace muster::coordinator
