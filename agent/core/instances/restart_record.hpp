#pragma once

#include <optional>
#include <utility>

#include "agent/core/journal.hpp"
#include "common/base/time.hpp"
#include "common/spec/spec.hpp"

namespace muster::agent {

/// When one instance is started again after its process ended, and when that is given up, as the
/// rule of its task says.
///
/// The delay begins at the rule's and doubles to 5 min; a process that ran 10 minutes clears the
/// record. Who has been started `max` times within the window is given up when the last of them
/// ends. There is no jitter: the delays of one host's instances need not be spread, and a trace
/// stays readable.
///
/// A value, one per instance and generation.
class RestartRecord {
public:
    RestartRecord() = default;
    explicit RestartRecord(RestartHistory history) : history_{std::move(history)} {}

    [[nodiscard]] const RestartHistory& history() const { return history_; }

    /// A process is about to be made.
    void starting(Instant now, const RestartRule& rule);
    /// The process runs.
    void running(Instant now);
    /// No process came of it for the host's sake: says nothing against the instance.
    void forgive_start();

    /// How long to wait before the next start; nothing: given up.
    [[nodiscard]] std::optional<Duration> after_end(Instant now, const RestartRule& rule);

private:
    void forget_old(Instant now, const RestartRule& rule);

    RestartHistory history_;
};

}  // namespace muster::agent
