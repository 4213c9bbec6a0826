#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "agent/core/io.hpp"
#include "agent/core/options.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Whether the host can do its work. A configured command answers with its exit code. One check
/// runs at a time:
///
///     idle --- requested ---> running --- it ends, or is killed at its timeout ---> idle
///
/// The start of the agent, each poll while the node is not ready, and each end of an instance
/// request a check. After the end of an instance another check follows one that already runs,
/// because that one may have passed before the end.
///
/// While the host fails to create processes, checks also find out whether it can again: one runs
/// every `between_probes`. Without a configured command they run a program that does nothing.
///
/// take_orders() returns the orders. Owned by Agent.
class ReadinessCheck {
public:
    static constexpr Duration between_probes = 1s;

    explicit ReadinessCheck(CheckOptions options);

    /// Requests a check, unless one runs.
    void ask() { asked_ = asked_ || (!options_.command.empty() && !running_); }
    /// Requests another check even if one runs.
    void ask_again() { asked_ = !options_.command.empty(); }
    /// Begins no more checks, and ends the one that runs.
    void shut_down();
    [[nodiscard]] bool is_running() const { return running_.has_value(); }

    /// True if the process is a check, not a process of an instance.
    [[nodiscard]] static bool owns(ProcessId process);
    /// The check did not begin, or it ended.
    void on_not_started() { conclude(-1); }
    void on_ended(const ProcessEnded& event) {
        conclude(event.exit_signal == 0 ? event.exit_code : -1);
    }

    /// Carries out what is due. `spawn_failing`: the last attempt to create a process failed.
    void wake(Instant now, bool spawn_failing);
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return running_ || over_ ? deadline_ : probe_due_;
    }
    [[nodiscard]] ProcessOrders take_orders() { return std::exchange(orders_, {}); }

    /// Writes what it found into the facts of the host.
    void describe(HostFacts& host) const;

private:
    void begin(Instant now);
    void conclude(std::int32_t exit_code);

    CheckOptions options_;
    bool asked_;
    bool probing_ = false;  // The present or last process only probes: no check is configured.
    bool over_ = false;     // Nothing begins any more.
    std::uint64_t processes_ = 0;
    std::optional<ProcessId> running_;
    std::optional<Instant> deadline_;  // Of the process that runs: it is killed then.
    bool killed_ = false;              // If no end is reported, its shim is asked.
    std::optional<Instant> probe_due_;
    ProcessOrders orders_;
    HostFacts found_;  // Only the fields about checks.
};

}  // namespace muster::agent
