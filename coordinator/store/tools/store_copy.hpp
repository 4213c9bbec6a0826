#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"

namespace muster::coordinator {

/// Opens a copy of a store's file as it is at one moment, also while a coordinator writes it. The
/// file itself is only read, and no lock is needed: a coordinator has the file for itself.
///
/// The file is copied first, then its log. What is moved from the log into the file meanwhile is in
/// the log still, until a writer begins the log again, which its first bytes show. Then both are
/// copied again.
///
/// The copy is below TMPDIR, for its owner alone, and has no name any more when this returns.
/// `between`: called between the two, for tests.
[[nodiscard]] Result<std::unique_ptr<sqlite::Database>> copy_of_store(
    const std::string& path, const std::function<void()>& between = [] {});

}  // namespace muster::coordinator
