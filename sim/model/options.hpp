#pragma once

#include <cstdint>
#include <string>

#include "common/base/ensure.hpp"
#include "common/base/random.hpp"
#include "coordinator/core/coordinator.hpp"

namespace muster::sim {

/// A span from which a duration is drawn evenly.
struct Span {
    Duration least{};
    Duration most{};
};

[[nodiscard]] inline Duration draw(Random& random, const Span& span) {
    ensure(span.most >= span.least, "a span's end is not before its beginning");
    const auto width = static_cast<std::uint64_t>((span.most - span.least).count());
    return span.least + Duration{static_cast<std::int64_t>(random.below(width + 1))};
}

/// The defaults, but for spans that are too long to wait for in every seed.
[[nodiscard]] inline coordinator::CoordinatorOptions quick_coordinator() {
    coordinator::CoordinatorOptions options;
    options.move_cooldown = 5s;
    options.loss.silent_after = 2;
    options.loss.after = 3;
    options.recovery_grace = coordinator::usual_recovery_grace(options);
    options.max_flaky = 2min;
    options.lease = 5s;
    return options;
}

/// What a simulated cluster is made of. Chances are per mille. All faults are off by default, so a
/// test names just those it is about.
struct ClusterOptions {
    std::uint64_t seed = 1;   ///< The same seed and options give the same run, to the byte.
    std::uint32_t nodes = 3;  ///< Named n0, n1, ...; all start at the origin of time.

    /// Hosts have labels, pools and slots, drawn; otherwise they are all alike.
    bool offers = false;
    bool readiness_checks = false;  ///< Agents have a command that says whether the host is ready.

    // The network. Links are FIFO, as TCP is; `drop` and `late` break what TCP promises.
    Span delay{1ms, 1ms};             ///< Of each message, one way.
    std::uint32_t loss = 0;           ///< A message takes its session down with it.
    std::uint32_t drop = 0;           ///< A message vanishes alone.
    std::uint32_t late = 0;           ///< A double of a message arrives later, out of order,
    Span late_by{10ms, 5s};           ///< perhaps in another session.
    std::uint32_t corrupt = 0;        ///< A message is mangled on its way.
    Span reconnect{500ms, 2s};        ///< From a lost connection to the next attempt.
    Duration heartbeat_timeout = 6s;  ///< Until a side notices that the other is silent.

    // The coordinator's store.
    Span commit{1ms, 1ms};

    // The agents' disks and processes.
    Span disk{1ms, 1ms};  ///< Of one write of an agent's memory.
    std::uint32_t disk_fails = 0;
    Span spawn{2ms, 2ms};
    std::uint32_t spawn_fails = 0;  ///< For the host's sake; it may work the next time.
    std::uint32_t shim_loss = 0;    ///< Of what is awaited of a shim, and of orders to end.
    Span dying{5ms, 5ms};           ///< From the signal to the end of a well-behaved process.

    // Clients of the operators' endpoint.
    Span client_delay{1ms, 1ms};
    std::uint32_t client_loss = 0;  ///< A request or a reply vanishes; the client asks again.
    Duration client_patience = 2s;

    /// A coordinator that gave up its leadership is started again after this time.
    Duration supervision = 1s;
    coordinator::CoordinatorOptions coordinator = quick_coordinator();
    /// The coordinator's numbers are asked for and compared after each round in which something
    /// happened; in every eighth seed after each step.
    bool compare_numbers = true;
    /// After so many steps the coordinator goes on with what is restored from its recorded state,
    /// which makes no difference. 0: never.
    std::uint32_t restore_every = 0;
    /// A directory to which each life of the coordinator is recorded. Empty: none is.
    std::string record{};
    std::uint64_t record_bytes = std::uint64_t{256} << 20U;  ///< That all its files may have.
    bool keep_routine = false;  ///< Polls and unchanged answers are lines of the trace too.
    bool hash_outputs = false;  ///< What the cores give out is hashed: see OutputHash.
};

}  // namespace muster::sim
