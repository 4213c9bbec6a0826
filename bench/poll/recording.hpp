#pragma once

#include <cstdint>

namespace muster::bench {

/// What it costs to record a round: the polls of so many nodes and their answers, `same`. A core
/// hears its rounds by turns with a recorder and without, in this process: two processes differ by
/// more than that, whatever they do. CPU time in ms; the least of the rounds, for the work of
/// others only adds to it. Caches are warmer here than beside a socket.
[[nodiscard]] double recording_ms(std::uint32_t nodes, int rounds);

}  // namespace muster::bench
