#pragma once

#include <algorithm>
#include <optional>

#include "common/base/random.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Whether a coordinator has welcomed this agent, and when to say hello again: when asked to, when
/// refused (after the time it names), and when nothing was heard for a while. A reconnected socket
/// does not repeat the hello by itself.
///
/// Pure. Owned by Agent.
class Session {
public:
    Session(Instant now, Duration silence, std::uint64_t seed)
        : silence_{silence}, random_{seed}, hello_due_{now} {}

    void heard(Instant now);
    void welcomed(Instant now, const Welcome& welcome);
    /// Not welcome (any more). Zero: hello again at our own pace.
    void refused(Instant now, Duration retry_after);
    /// Who speaks does not know us: hello at once, but not over and over.
    void unknown(Instant now);

    [[nodiscard]] const std::optional<Welcome>& leader() const { return leader_; }
    [[nodiscard]] bool hello_due(Instant now) const { return now >= hello_due_; }
    void said_hello(Instant now);
    [[nodiscard]] Instant next_deadline() const { return hello_due_; }

    /// How long a leader may be silent before we no longer count on it.
    [[nodiscard]] Duration patience() const;

private:
    [[nodiscard]] Instant after_silence(Instant now);

    Duration silence_;
    Random random_;
    std::optional<Welcome> leader_;
    Instant hello_due_;
    std::optional<Instant> said_hello_;
};

}  // namespace muster::agent
