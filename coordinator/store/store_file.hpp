#pragma once

#include <string>

#include "common/base/result.hpp"

/// Checks the file of a store before it is opened: SQLite would wait for a pipe forever, and its
/// error for an unwritable file lacks the reason.
namespace muster::coordinator {

/// The store and its log are files that we may read and write. A missing file is fine: it will be
/// made.
[[nodiscard]] Result<void> check_files(const std::string& path);

/// It is a file with content that we may read. `not_found`: there is none.
[[nodiscard]] Result<void> check_readable(const std::string& path);

/// SQLite takes a file of less than a page for a new one, and deletes the log beside it. A log
/// exists only once the first page is on disk.
[[nodiscard]] Result<void> check_log(const std::string& path);

/// The name of a store that was moved elsewhere by `muster store migrate`.
[[nodiscard]] inline std::string moved_name(const std::string& path) { return path + ".moved"; }
/// Where a store was moved away, no new one may begin.
[[nodiscard]] Result<void> check_not_moved(const std::string& path);

/// The file exists but is empty, so a new store is made in it.
[[nodiscard]] bool is_empty_file(const std::string& path);

}  // namespace muster::coordinator
