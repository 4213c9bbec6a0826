#pragma once

#include <optional>

#include "common/base/random.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Whether a coordinator has welcomed this agent, and when to say hello again: when asked to, when
/// refused (after the time it names), and when nothing was heard for a while. A reconnected socket
/// does not repeat the hello by itself.
///
/// Owned by Agent.
class Session {
public:
    Session(Instant now, Duration silence, std::uint64_t seed)
        : silence_{silence}, random_{seed}, hello_due_{now} {}

    void on_message(Instant now);
    void on_welcome(Instant now, const Welcome& welcome);
    /// Not welcome (any more). Zero: hello again at our own pace.
    void on_refused(Instant now, Duration retry_after);
    /// The sender does not know us: hello at once, but not over and over.
    void on_unknown(Instant now);
    /// Of a leader that this agent obeys.
    void on_poll(Instant now) { polled_ = now; }

    [[nodiscard]] const std::optional<Welcome>& leader() const { return leader_; }
    /// Polls of an accepted leader arrive.
    [[nodiscard]] bool is_led(Instant now) const {
        return leader_ && polled_ && now - *polled_ <= patience();
    }
    /// True if it is time for a hello, which is said now.
    [[nodiscard]] bool take_hello(Instant now);
    [[nodiscard]] Instant next_deadline() const { return hello_due_; }

private:
    /// How long a leader may be silent before we no longer count on it.
    [[nodiscard]] Duration patience() const;
    [[nodiscard]] Instant after_silence(Instant now);

    Duration silence_;
    Random random_;
    std::optional<Welcome> leader_;
    Instant hello_due_;
    std::optional<Instant> said_hello_;
    std::optional<Instant> polled_;
};

}  // namespace muster::agent
