#pragma once

#include <cstdint>
#include <string>

#include "common/base/ensure.hpp"
#include "common/base/random.hpp"
#include "coordinator/core/coordinator.hpp"

namespace muster::sim {

/// A range from which a duration is drawn uniformly.
struct Span {
    Duration least{};
    Duration most{};
};

[[nodiscard]] inline Duration draw(Random& random, const Span& span) {
    ensure(span.most >= span.least, "a span's end is not before its beginning");
    const auto width = static_cast<std::uint64_t>((span.most - span.least).count());
    return span.least + Duration{static_cast<std::int64_t>(random.below(width + 1))};
}

/// The defaults, with shorter times where a seed cannot wait that long.
[[nodiscard]] inline coordinator::CoordinatorOptions quick_coordinator() {
    coordinator::CoordinatorOptions options;
    options.move_cooldown = 5s;
    options.loss.silent_after = 2;
    options.loss.after = 3;
    options.recovery_grace = coordinator::usual_recovery_grace(options);
    options.max_flaky = 2min;
    options.lease = 5s;
    options.order_key = SecretKey{{0x6f, 0x72, 0x64, 0x65, 0x72}};
    return options;
}

/// How long the leader's lease in etcd lasts.
inline constexpr Duration election_lease = 5s;

/// The options of a simulated cluster. Chances are per mille. All faults are off by default, so a
/// test names exactly the faults that it is about.
struct ClusterOptions {
    std::uint64_t seed = 1;   ///< The same seed and options give the same run, to the byte.
    std::uint32_t nodes = 3;  ///< Named n0, n1, ...; all start at the origin of time.
    /// Coordinators: c1, c2, ... With more than one they share a store in etcd.
    std::uint32_t coordinators = 1;

    /// Hosts have random labels, pools and slots. Otherwise all hosts are equal.
    bool offers = false;
    bool readiness_checks = false;  ///< Agents have a readiness check.

    // The network. Links are FIFO, like TCP; `drop` and `late` break that guarantee.
    Span delay{1ms, 1ms};             ///< Of each message, in one direction.
    std::uint32_t loss = 0;           ///< A message is lost together with its session.
    std::uint32_t drop = 0;           ///< A single message is lost.
    std::uint32_t late = 0;           ///< A copy of a message arrives later, out of order.
    Span late_by{10ms, 5s};           ///< It may arrive in another session.
    std::uint32_t corrupt = 0;        ///< A message is corrupted on its way.
    Span reconnect{500ms, 2s};        ///< From a lost connection to the next attempt.
    Duration heartbeat_timeout = 6s;  ///< Until an end notices that the other one is silent.

    // The coordinator's store.
    Span commit{1ms, 1ms};

    // The agents' disks and processes.
    Span disk{1ms, 1ms};  ///< Of one write of an agent's memory.
    std::uint32_t disk_fails = 0;
    Span spawn{2ms, 2ms};
    std::uint32_t spawn_fails = 0;  ///< The fault is the host's; the next start may succeed.
    std::uint32_t shim_loss = 0;    ///< Of expected reports of a shim, and of orders to end.
    Span dying{5ms, 5ms};           ///< From the signal to the end of a well-behaved process.

    // Clients of the operators' endpoint.
    Span client_delay{1ms, 1ms};
    std::uint32_t client_loss = 0;  ///< A request or reply is lost; the client asks again.
    Duration client_patience = 2s;

    /// A coordinator whose leadership ended is started again after this time.
    Duration supervision = 1s;
    coordinator::CoordinatorOptions coordinator = quick_coordinator();
    /// Compare the coordinator's numbers after each round in which something happened; in every
    /// eighth seed after each step.
    bool compare_numbers = true;
    /// After this many steps the coordinator is restored from its recorded state, which must make
    /// no difference. 0: never.
    std::uint32_t restore_every = 0;
    /// Each life of the coordinator is recorded to this directory. Empty: no recording.
    std::string record{};
    std::uint64_t record_bytes = std::uint64_t{256}
                                 << 20U;  ///< The most that all its files may have.
    bool keep_routine = false;  ///< Polls and unchanged answers are lines of the trace, too.
    bool hash_outputs = false;  ///< Hash the outputs of the cores: see OutputHash.
};

}  // namespace muster::sim
