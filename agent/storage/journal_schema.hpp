#pragma once

#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/sqlite/sqlite.hpp"

namespace muster::agent {

/// Opens the database of a journal, and brings it to the present schema. Errc::malformed: the file
/// is damaged.
[[nodiscard]] Result<std::unique_ptr<sqlite::Database>> open_journal(const std::string& path);

}  // namespace muster::agent
