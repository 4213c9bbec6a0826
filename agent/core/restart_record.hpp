#pragma once

#include <optional>
#include <vector>

#include "common/limits.hpp"
#include "common/time.hpp"

namespace muster {

/// When one instance is started again after its process ended, and when that is given up.
///
/// The delay begins at 1 s and doubles to 5 min; a process that ran 10 minutes clears the record.
/// Who has been started 10 times within 10 minutes is given up when the tenth ends. There is no
/// jitter: the delays of one host's instances need not be spread, and a trace stays readable.
///
/// Pure. A value, one per instance and generation.
class RestartRecord {
public:
    /// A process is about to be made.
    void starting(Instant now);
    /// The process runs.
    void running(Instant now);
    /// No process came of it for the host's sake: says nothing against the instance.
    void forgive_start();

    /// How long to wait before the next start; nothing: given up.
    [[nodiscard]] std::optional<Duration> after_end(Instant now);

private:
    void forget_old(Instant now);

    std::vector<Instant> starts_;  // Within the window; never more than it allows.
    std::optional<Instant> running_since_;
    Duration delay_ = limits::backoff_first;
};

}  // namespace muster
