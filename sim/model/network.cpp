#include "sim/model/network.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::sim {

namespace {

constexpr std::size_t index(Side side) { return side == Side::coordinator ? 0 : 1; }
constexpr std::array both_sides{Side::coordinator, Side::agent};

}  // namespace

Network::Network(const ClusterOptions& options, EventQueue& queue)
    : options_{options},
      queue_{queue},
      random_{options.seed ^ 0x6e6574ULL},
      coordinator_is_up_(options.coordinators) {}

std::size_t Network::place_of(coordinator::Session session) const {
    ensure(raw(session) >= 1 && raw(session) <= sessions_.size(), "a session has been opened");
    return raw(session) - 1;
}

Network::Wire& Network::end_of(coordinator::Session session, Side side) {
    return state(session).ends[index(side)];
}

bool Network::is_open(coordinator::Session session, Side side) const {
    return state(session).ends[index(side)].open;
}

bool Network::is_cut(HostIndex host) const {
    const auto& cut_to = links_[raw(host)].cut_to;
    return cut_to[0] || cut_to[1];
}

void Network::try_after(Instant now, HostIndex host, const Span& wait) {
    auto& of = link(host);
    ++of.attempts;
    queue_.push(now + draw(wait), ConnectTry{host, of.attempts});
}

void Network::coordinator_down(Instant now, std::uint32_t control) {
    coordinator_is_up_.at(control) = false;
    for (std::uint64_t number = 1; number <= sessions_.size(); ++number) {
        if (const coordinator::Session session{number}; control_of(session) == control) {
            close(now, session, Side::coordinator, false);
        }
    }
}

void Network::coordinator_silent(Instant now, std::uint32_t control) {
    coordinator_is_up_.at(control) = false;
    for (std::uint64_t number = 1; number <= sessions_.size(); ++number) {
        if (const coordinator::Session session{number}; control_of(session) == control) {
            announce_end(session, Side::agent, now);
        }
    }
}

void Network::agent_up(Instant now, HostIndex host) {
    link(host).agent_is_up = true;
    try_after(now, host, options_.delay);
}

void Network::agent_down(Instant now, HostIndex host, bool silently) {
    auto& of = link(host);
    of.agent_is_up = false;
    ++of.attempts;
    if (const auto session = std::exchange(of.session, std::nullopt)) {
        close(now, *session, Side::agent, silently);
    }
}

void Network::cut(Instant now, HostIndex host, Side to) {
    auto& of = link(host);
    of.cut_to[index(to)] = true;
    ++of.cuts;
    queue_.push(now + options_.heartbeat_timeout, CutNoticed{host, of.cuts});
}

void Network::heal(Instant now, HostIndex host) {
    auto& of = link(host);
    of.cut_to = {};
    of.lag = {};
    ++of.cuts;
    for (std::uint64_t number = 1; number <= sessions_.size(); ++number) {
        const coordinator::Session session{number};
        if (host_of(session) != host) {
            continue;
        }
        for (const Side side : both_sides) {
            for (auto& bytes : std::exchange(end_of(session, side).held, {})) {
                deliver(now, session, side, std::move(bytes));
            }
        }
    }
}

void Network::reset(Instant now, HostIndex host) {
    if (const auto session = link(host).session) {
        for (const Side side : both_sides) {
            announce_end(*session, side, now + draw(options_.delay));
        }
    }
}

void Network::announce_end(coordinator::Session session, Side side, Instant at) {
    auto& wire = end_of(session, side);
    if (wire.open && !wire.closing) {
        wire.closing = true;
        queue_.push(at, SessionEnd{session, side});
    }
}

// The near end is closed now. The far end is notified, or notices by its heartbeats.
void Network::close(Instant now, coordinator::Session session, Side side, bool silently) {
    auto& near = end_of(session, side);
    if (!near.open) {
        return;
    }
    near.open = false;
    near.held.clear();
    const bool reaches = !silently && !link(host_of(session)).cut_to[index(other(side))];
    const Instant noticed =
        reaches ? std::max(now + draw(options_.delay), end_of(session, other(side)).last_arrival)
                : now + options_.heartbeat_timeout;
    announce_end(session, other(side), noticed);
}

bool Network::end(Instant now, const SessionEnd& ended) {
    auto& wire = end_of(ended.session, ended.side);
    if (!wire.open) {
        return false;
    }
    close(now, ended.session, ended.side, false);
    auto& of = link(host_of(ended.session));
    if (ended.side == Side::agent && of.session == ended.session) {
        of.session.reset();
        if (of.agent_is_up) {
            try_after(now, host_of(ended.session), options_.reconnect);
        }
    }
    return true;
}

void Network::cut_noticed(Instant now, const CutNoticed& noticed) {
    const auto& of = link(noticed.host);
    if (of.cuts != noticed.cut) {
        return;  // Healed meanwhile, or cut again.
    }
    for (std::uint64_t number = 1; number <= sessions_.size(); ++number) {
        const coordinator::Session session{number};
        for (const Side side : both_sides) {
            if (host_of(session) == noticed.host && of.cut_to[index(side)]) {
                announce_end(session, side, now);
            }
        }
    }
}

std::optional<coordinator::Session> Network::connect(Instant now, const ConnectTry& attempt) {
    auto& of = link(attempt.host);
    if (attempt.attempt != of.attempts || !of.agent_is_up || of.session) {
        return std::nullopt;
    }
    if (!coordinator_is_up_.at(of.address) || is_cut(attempt.host)) {
        of.address = (of.address + 1) % static_cast<std::uint32_t>(coordinator_is_up_.size());
        try_after(now, attempt.host, options_.reconnect);
        return std::nullopt;
    }
    State opened{};
    opened.host = attempt.host;
    opened.control = of.address;
    sessions_.push_back(std::move(opened));
    of.session = coordinator::Session{sessions_.size()};
    return of.session;
}

bool Network::send(Instant now, coordinator::Session session, Side to, const std::string& bytes) {
    if (!is_open(session, other(to))) {
        return false;
    }
    ++traffic_.messages;
    traffic_.bytes += bytes.size();
    if (faulty_ && random_.chance(options_.drop, 1000)) {
        return false;
    }
    if (faulty_ && random_.chance(options_.loss, 1000)) {
        for (const Side side : both_sides) {
            announce_end(session, side, now + draw(options_.delay));
        }
        return false;
    }
    if (faulty_ && random_.chance(options_.late, 1000)) {
        queue_.push(now + draw(options_.late_by), Delivery{session, to, true, bytes});
    }
    deliver(now, session, to, bytes);
    return true;
}

void Network::deliver(Instant now, coordinator::Session session, Side to, std::string bytes) {
    auto& wire = end_of(session, to);
    const Instant arrival = now + draw(options_.delay) + link(host_of(session)).lag;
    wire.last_arrival = std::max(wire.last_arrival, arrival);
    queue_.push(wire.last_arrival, Delivery{session, to, false, std::move(bytes)});
}

void Network::replay(Instant now, HostIndex host, Side to, std::string bytes, bool forged) {
    if (const auto session = link(host).session) {
        queue_.push(now, Delivery{*session, to, true, std::move(bytes), false, forged});
    }
}

std::optional<coordinator::Session> Network::arrive(Delivery& delivery) {
    const auto host = host_of(delivery.session);
    if (delivery.stray) {
        const auto session = link(host).session;
        const bool reached = session && is_open(*session, delivery.to) && !is_cut(host);
        return reached ? session : std::nullopt;
    }
    auto& wire = end_of(delivery.session, delivery.to);
    if (!wire.open) {
        return std::nullopt;
    }
    if (link(host).cut_to[index(delivery.to)]) {
        wire.held.push_back(std::move(delivery.bytes));
        return std::nullopt;
    }
    if (faulty_ && random_.chance(options_.corrupt, 1000)) {
        mangle(delivery.bytes);
        delivery.mangled = true;
    }
    return delivery.session;
}

// Cuts off the end, or flips up to four bits.
void Network::mangle(std::string& bytes) {
    if (random_.chance(1, 2)) {
        bytes.resize(random_.below(bytes.size()));
        return;
    }
    const std::uint64_t flips = 1 + random_.below(4);
    for (std::uint64_t flip = 0; flip < flips; ++flip) {
        char& byte = bytes.at(random_.below(bytes.size()));
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random_.below(8)));
    }
}

}  // namespace muster::sim
