#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/event_queue.hpp"
#include "sim/model/options.hpp"

namespace muster::sim {

/// The traffic in sessions: protocol messages and their bytes, without the frames of ZeroMQ, TCP
/// and IP.
struct Traffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// The wires between the coordinator and its agents: one link for each host, with one session after
/// the other, like TCP connections below a ROUTER and a DEALER.
///
/// A session opens at both ends at once. Each end notices separately that the session is over: at
/// once if the other end closes it, after the heartbeat timeout if the wire is cut or the other
/// host is dead. A cut holds messages back; they arrive late if the wire heals before an end gives
/// up. A message into a session that the other end has left is lost.
///
/// Messages keep their order, except late copies (`late`), which may even reach a later session.
class Network {
public:
    Network(const ClusterOptions& options, EventQueue& queue);

    void add_host() { links_.emplace_back(); }

    // Ends of the links.
    void coordinator_up(std::uint32_t control) { coordinator_is_up_.at(control) = true; }
    void coordinator_down(Instant now, std::uint32_t control);
    /// It is paused for so long that its agents give up their sessions.
    void coordinator_silent(Instant now, std::uint32_t control);
    void agent_up(Instant now, HostIndex host);
    /// `silently`: the host lost its power, so nothing announces the end of the session.
    void agent_down(Instant now, HostIndex host, bool silently);

    // Faults.
    void cut(Instant now, HostIndex host, Side to);
    void heal(Instant now, HostIndex host);
    void reset(Instant now, HostIndex host);  ///< Both ends notice soon.
    /// Each message from or to this host takes this much longer until it is healed.
    void lag(HostIndex host, Duration longer) { link(host).lag = longer; }
    /// Ends the random faults of the options.
    void calm() { faulty_ = false; }

    /// Sends a message. False: it is lost at once.
    bool send(Instant now, coordinator::Session session, Side to, const std::string& bytes);
    /// Delivers the same bytes again, in the session that the host has then.
    void replay(Instant now, HostIndex host, Side to, std::string bytes, bool forged = false);

    /// The session that a due message reaches. Nothing: it is lost, or held back by a cut. The
    /// message may be corrupted here.
    [[nodiscard]] std::optional<coordinator::Session> arrive(Delivery& delivery);

    /// The new session of a host whose attempt is due. Nothing: the attempt failed or is outdated.
    [[nodiscard]] std::optional<coordinator::Session> connect(Instant now,
                                                              const ConnectTry& attempt);

    /// True if this end had not noticed before.
    [[nodiscard]] bool end(Instant now, const SessionEnd& ended);
    void cut_noticed(Instant now, const CutNoticed& noticed);

    [[nodiscard]] HostIndex host_of(coordinator::Session session) const {
        return state(session).host;
    }
    [[nodiscard]] std::uint32_t control_of(coordinator::Session session) const {
        return state(session).control;
    }
    /// The agent's present session.
    [[nodiscard]] std::optional<coordinator::Session> session_of(HostIndex host) const {
        return links_[raw(host)].session;
    }
    [[nodiscard]] bool is_open(coordinator::Session session, Side side) const;
    [[nodiscard]] bool is_cut(HostIndex host) const;
    /// Since the beginning, in both directions.
    [[nodiscard]] const Traffic& traffic() const { return traffic_; }

private:
    struct Wire {
        bool open = true;
        bool closing = false;  ///< Its end was announced.
        Instant last_arrival{};
        std::vector<std::string> held;  ///< By a cut, in order.
    };
    struct State {
        HostIndex host{};
        std::uint32_t control = 0;
        std::array<Wire, 2> ends;  ///< Indexed by side.
    };
    struct Link {
        bool agent_is_up = false;
        std::array<bool, 2> cut_to{};
        Duration lag{};
        std::uint64_t cuts = 0;
        std::uint64_t attempts = 0;
        std::uint32_t address = 0;                    ///< The coordinator that it tries next.
        std::optional<coordinator::Session> session;  ///< The agent's session.
    };

    [[nodiscard]] std::size_t place_of(coordinator::Session session) const;
    [[nodiscard]] State& state(coordinator::Session session) {
        return sessions_[place_of(session)];
    }
    [[nodiscard]] const State& state(coordinator::Session session) const {
        return sessions_[place_of(session)];
    }
    [[nodiscard]] Wire& end_of(coordinator::Session session, Side side);
    [[nodiscard]] Link& link(HostIndex host) { return links_[raw(host)]; }
    void try_after(Instant now, HostIndex host, const Span& wait);
    void close(Instant now, coordinator::Session session, Side side, bool silently);
    void announce_end(coordinator::Session session, Side side, Instant at);
    [[nodiscard]] Duration draw(const Span& span) { return sim::draw(random_, span); }
    void deliver(Instant now, coordinator::Session session, Side to, std::string bytes);
    void mangle(std::string& bytes);

    const ClusterOptions& options_;
    EventQueue& queue_;
    Random random_;
    Traffic traffic_;
    std::vector<bool> coordinator_is_up_;  ///< By control host.
    bool faulty_ = true;
    std::vector<Link> links_;
    std::vector<State> sessions_;  ///< By number, from 1.
};

}  // namespace muster::sim
