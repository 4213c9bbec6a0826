#pragma once

#include <optional>

#include "common/base/random.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Whether a coordinator has welcomed this agent, and when to send hello again: on request, after a
/// refusal (after the time in it), and after a period without messages. A reconnected socket does
/// not repeat the hello by itself.
///
/// Owned by Agent.
class Session {
public:
    Session(Instant now, Duration silence, std::uint64_t seed)
        : silence_{silence}, random_{seed}, hello_due_{now} {}

    void on_message(Instant now);
    void on_welcome(Instant now, const Welcome& welcome);
    /// The coordinator refused this agent. Zero: the agent chooses when to send hello again.
    void on_refused(Instant now, Duration retry_after);
    /// The sender does not know us: send hello at once, but not without a pause in between.
    void on_unknown(Instant now);
    /// A leader that this agent obeys sent a poll.
    void on_poll(Instant now) { polled_ = now; }

    [[nodiscard]] const std::optional<Welcome>& leader() const { return leader_; }
    /// Polls of an accepted leader arrive.
    [[nodiscard]] bool is_led(Instant now) const {
        return leader_ && polled_ && now - *polled_ <= patience();
    }
    /// True if a hello is due. The caller sends it now.
    [[nodiscard]] bool take_hello(Instant now);
    [[nodiscard]] Instant next_deadline() const { return hello_due_; }

private:
    /// How long a leader may be silent before the agent no longer counts on it.
    [[nodiscard]] Duration patience() const;
    [[nodiscard]] Instant after_silence(Instant now);

    Duration silence_;
    Random random_;
    std::optional<Welcome> leader_;
    Instant hello_due_;
    std::optional<Instant> hello_sent_;
    std::optional<Instant> polled_;
};

}  // namespace muster::agent
