#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "coordinator/core/coordinator.hpp"

namespace muster::coordinator {

/// The whole state of a core, as bytes.
[[nodiscard]] std::string save_core(const Coordinator& core);

/// A core that continues where the saved one was: equal inputs have equal outputs. The caller has
/// refused bytes of another version: see record_magic.
/// The bytes are trusted: a person who may write them controls the core.
[[nodiscard]] Result<std::unique_ptr<Coordinator>> restore_core(std::string_view bytes);

/// The name of the node that has this route; empty: no node has it.
[[nodiscard]] std::string node_at(const Coordinator& core, Session session);

}  // namespace muster::coordinator
