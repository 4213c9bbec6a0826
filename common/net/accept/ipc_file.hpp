#pragma once

#include <string>

#include "common/base/result.hpp"

namespace muster::net {

/// Called before an ipc endpoint is bound. Makes its directory, or checks that it is ours and
/// private. Fails if another process listens there, because the library would replace its file.
[[nodiscard]] Result<void> prepare_ipc_file(const std::string& path);

/// Called after it was bound: only we may connect.
[[nodiscard]] Result<void> close_ipc_file_to_others(const std::string& path);

}  // namespace muster::net
