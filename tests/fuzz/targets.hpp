#pragma once

#include <string_view>

/// Fuzz targets: functions of arbitrary bytes, which end the process on a failure. libFuzzer finds
/// inputs for them, and an ordinary test runs the kept inputs (docs/internals/fuzzing.md).
namespace muster::fuzz {

#define MUSTER_FUZZ_TARGET(name, most_bytes) void fuzz_##name(std::string_view input);
#include "tests/fuzz/targets.def"
#undef MUSTER_FUZZ_TARGET

}  // namespace muster::fuzz
