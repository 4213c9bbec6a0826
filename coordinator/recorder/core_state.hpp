#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "coordinator/core/coordinator.hpp"

namespace muster::coordinator {

/// All that a core knows and remembers, as bytes.
[[nodiscard]] std::string save_core(const Coordinator& core);

/// A core that goes on where the saved one was: the same inputs have the same outputs. The caller
/// has refused bytes of another version: see record_magic.
/// The bytes are believed: whoever may write them decides what the core does.
[[nodiscard]] Result<std::unique_ptr<Coordinator>> restore_core(std::string_view bytes);

/// The name of the node that has this route; empty: none has.
[[nodiscard]] std::string node_at(const Coordinator& core, Session session);

}  // namespace muster::coordinator
