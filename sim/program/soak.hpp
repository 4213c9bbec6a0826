#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/program/random_run.hpp"

namespace muster::sim {

struct SoakOptions {
    std::uint64_t first = 1;
    std::uint64_t seeds = 1;
    std::uint32_t jobs = 1;
    std::function<RandomRun(std::uint64_t seed)> run_of = drawn_run;
};

struct SoakResult {
    std::uint64_t done = 0;
    std::uint64_t broken = 0;
    Duration simulated{};
};

/// Carries out many runs in as many processes of their own as asked for. `told` hears after each
/// run how far it is, and the words of a run that broke a promise or ended its process. Fails when
/// no process can be made.
[[nodiscard]] Result<SoakResult> soak(
    const SoakOptions& options,
    const std::function<void(const SoakResult&, const std::string& broken)>& told);

}  // namespace muster::sim
