#pragma once

#include <string>

#include "common/base/result.hpp"

/// Checks the file of a store before it is opened: SQLite would wait for a pipe forever, and its
/// error for an unwritable file lacks the reason.
namespace muster::coordinator {

/// The store and its log are files that we may read and write. A missing file is fine: it will be
/// made.
[[nodiscard]] Result<void> check_files(const std::string& path);

/// The file exists but is empty, so a new store is made in it.
[[nodiscard]] bool is_empty_file(const std::string& path);

}  // namespace muster::coordinator
