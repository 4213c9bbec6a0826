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
/// With the key of the core that was saved, it goes on as that core. Without it, it can only
/// replay.
[[nodiscard]] Result<std::unique_ptr<Coordinator>> restore_core(std::string_view bytes,
                                                                const SecretKey& key = {});
/// The checks of proofs in the next step of a replay have these results.
void expect_proof_checks(Coordinator& core, std::string_view checks);

/// The name of the node that has this route; empty: no node has it.
[[nodiscard]] std::string node_at(const Coordinator& core, Session session);

}  // namespace muster::coordinator
