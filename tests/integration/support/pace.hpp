#pragma once

#include <chrono>
#include <string>

namespace muster::integration {

/// The unit of time of tests with real processes: a round of their clusters. Leases, deadlines and
/// timeouts are multiples of it, so a slow machine makes the tests slower and not wrong.
///
/// 100 ms where the machine is at rest, at most 300 ms. scripts/test measures it once, and passes
/// it to all tests of a run in TEST_PACE_MS. A test that is started by hand measures it for itself.
[[nodiscard]] std::chrono::milliseconds pace();

[[nodiscard]] inline std::chrono::milliseconds paces(int count) { return count * pace(); }

/// As options and configurations are written: `100ms`.
[[nodiscard]] std::string in_ms(std::chrono::milliseconds time);

/// From what a spawn, a durable write and a turn of a thread take on this machine now.
[[nodiscard]] std::chrono::milliseconds measured_pace();

}  // namespace muster::integration
