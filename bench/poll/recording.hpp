#pragma once

#include <cstdint>

namespace muster::bench {

/// The cost of recording a round: the polls of this many nodes and their answers, `same`. Rounds
/// with and without a recorder alternate in this process, because two processes differ by more than
/// that anyway. CPU time in ms. The minimum of the rounds, because other work on the host only adds
/// to it. Caches are warmer here than with sockets.
[[nodiscard]] double recording_ms(std::uint32_t nodes, int rounds);

}  // namespace muster::bench
