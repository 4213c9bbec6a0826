#pragma once

#include <string>
#include <string_view>

#include "common/spec/spec.hpp"

namespace muster {

/// The bytes that an operator signs (ADR 27): the task's name and each field of its spec that
/// differs from its default, but the signature. docs/reference/protocol.md defines them, so that
/// other programs can sign. Another name, or any other spec, has other bytes.
[[nodiscard]] std::string signed_bytes(std::string_view task, const TaskSpec& spec);

}  // namespace muster
