#pragma once

#include <string_view>

/// What is fuzzed: functions of any bytes at all, which end the process when something is wrong.
/// libFuzzer finds inputs for them, and an ordinary test runs those that are kept
/// (docs/internals/fuzzing.md).
namespace muster::fuzz {

#define MUSTER_FUZZ_TARGET(name, most_bytes) void fuzz_##name(std::string_view input);
#include "tests/fuzz/targets.def"
#undef MUSTER_FUZZ_TARGET

}  // namespace muster::fuzz
