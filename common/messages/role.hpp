#pragma once

#include <cstdint>

#include "common/base/names.hpp"

namespace muster {

/// What the holder of a key may do. Each role but `agent` may also do what the role before it may.
enum class Role : std::uint8_t {
    agent,      ///< Speaks as the node of its name, and for nothing else.
    observer,   ///< Reads.
    operator_,  ///< Changes tasks and nodes. NOLINT(readability-identifier-naming)
    admin,      ///< Decides about keys, tokens, the freeze and the store.
};
template <>
inline constexpr auto enum_names<Role> = name_list("agent", "observer", "operator", "admin");

}  // namespace muster
