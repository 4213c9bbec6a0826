#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "agent/core/io.hpp"
#include "agent/core/options.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Whether the host can do its work, by a command of the agent's configuration that says so with
/// its exit code. One check runs at a time:
///
///     idle --- asked for ---> running --- it ends, or is killed when its time is over ---> idle
///
/// It is asked for at the start, by the coordinator's polls while the node is not ready, and after
/// each end of an instance; the last of these once more, because a check that already ran says
/// nothing of what came after its beginning.
///
/// While the host fails to make processes, a check is also the way to find out that it can again:
/// one is made every `between_probes`, of a program that does nothing if there is no command.
///
/// What is to be done is taken with take_orders(). Owned by Agent.
class ReadinessCheck {
public:
    static constexpr Duration between_probes = 1s;

    explicit ReadinessCheck(CheckOptions options);

    /// One that runs is enough.
    void ask() { asked_ = asked_ || (!options_.command.empty() && !running_); }
    /// One that runs is not: another follows.
    void ask_again() { asked_ = !options_.command.empty(); }
    /// Begins no more, and ends what runs.
    void shut_down();
    [[nodiscard]] bool is_running() const { return running_.has_value(); }

    /// True if it is one of our processes, not one of an instance.
    [[nodiscard]] static bool owns(ProcessId process);
    /// It never began, or ended.
    void on_not_started() { conclude(-1); }
    void on_ended(const ProcessEnded& event) {
        conclude(event.exit_signal == 0 ? event.exit_code : -1);
    }

    /// Carries out what is due. `spawn_failing`: the last process that was to be made could not be.
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
    bool probing_ = false;  // What runs, or ran last, is no check: there is no command.
    bool over_ = false;     // Nothing begins any more.
    std::uint64_t processes_ = 0;
    std::optional<ProcessId> running_;
    std::optional<Instant> deadline_;  // Of what runs: it is killed then,
    bool killed_ = false;              // and its shim asked if that is not told.
    std::optional<Instant> probe_due_;
    ProcessOrders orders_;
    HostFacts found_;  // As far as checks say it.
};

}  // namespace muster::agent
