#pragma once

#include <string>

#include "common/base/result.hpp"

namespace muster::net {

/// Before an ipc endpoint is bound: its directory is made, or must be ours and closed to others;
/// and nobody may be listening there, because the library would take the file away from him.
[[nodiscard]] Result<void> prepare_ipc_file(const std::string& path);

/// After it was bound: nobody but us may connect.
[[nodiscard]] Result<void> close_ipc_file_to_others(const std::string& path);

}  // namespace muster::net
