#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "common/base/time.hpp"
#include "common/messages/operator.hpp"
#include "common/net/security/authenticator.hpp"
#include "coordinator/core/planning/histogram.hpp"
#include "coordinator/endpoints/agent_endpoint.hpp"

namespace muster::coordinator {

/// Numbers that only the shell can count: messages, memory, files, and the time that disk and core
/// took.
class ShellStats {
public:
    /// The messages of the process at one moment.
    struct Messages {
        Traffic agents;
        std::uint64_t operators_undecodable = 0;
        std::uint64_t ended_by_guard = 0;  ///< Connections that broke the protocol.
        std::uint64_t turned_away = 0;     ///< Connections for which no file was left.
        std::uint64_t unproved = 0;        ///< Of operators and hosts whose key was not proved.
        std::uint64_t too_fast = 0;        ///< Of operators and hosts, above the rate of a key.
        std::uint64_t ended =
            0;  ///< Connections of operators above those of a key, or of an ended one.
        std::uint64_t denied = 0;            ///< Requests whose sender may not send them.
        std::uint64_t handshakes_begun = 0;  ///< Also those that broke off.
        net::Authenticator::Counts handshakes{};
    };

    /// The time that an input that closed a round took in the core, and the time to send its
    /// output.
    void round_closed(Duration planning, Duration sending) {
        planning_.add(planning);
        sending_.add(sending);
    }
    /// A write was given to the store; all writes up to a number are durable.
    void submitted(Instant now, std::uint64_t number) { submitted_.emplace_back(number, now); }
    void durable(Instant now, std::uint64_t number);

    void add_to(StatsReply& reply, const Messages& messages) const;

private:
    Histogram planning_;
    Histogram sending_;
    Histogram store_;
    std::deque<std::pair<std::uint64_t, Instant>> submitted_;  // Bounded by the core.
};

}  // namespace muster::coordinator
