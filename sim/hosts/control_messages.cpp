#include <utility>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "sim/hosts/control_host.hpp"

/// The messages of agents to a coordinator.
namespace muster::sim {

// The socket's probe shows a connection that has not sent a hello.
void ControlHost::connected(Instant now, coordinator::Session session, const PublicKey& proved) {
    proved_.insert_or_assign(session, proved);
    if (core_) {
        send(now, session, Refused{Errc::hello_required, "send hello", Incarnation{}, 0});
    }
}

void ControlHost::receive(Instant now, coordinator::Session session, const Delivery& delivery) {
    if (!core_) {
        return;
    }
    const std::string& bytes = delivery.bytes;
    AgentMessage message;
    const auto decoded = codec::decode(bytes, message);
    ensure(decoded.has_value() || delivery.mangled, "a coordinator can read what an agent wrote");
    const HostIndex host = world_.network.host_of(session);
    if (delivery.mangled) {
        world_.trace.line(now, "{} > {} mangled{}", agents_[raw(host)]->label(), name_,
                          decoded ? ", and taken for lost" : ": " + decoded.error().detail);
        if (!decoded) {  // As the daemon's endpoint does.
            send(now, session, Refused{Errc::malformed, "it cannot be read", Incarnation{}, 0});
            on_input(now, coordinator::Undecodable{session, decoded.error().detail});
        }
        return;
    }
    if (!is_routine(message) || world_.options.keep_routine) {
        world_.trace.line(now, "{} > {} {}", agents_[raw(host)]->label(), name_, describe(message));
    } else {
        world_.trace.routine(now, bytes);
    }
    if (proves_keys() && !is_proved(host, message)) {
        receive_stolen_name(now, session, message);
        return;
    }
    const bool is_falsified = delivery.forged || (agents_[raw(host)]->is_byzantine() &&
                                                  std::holds_alternative<Report>(message));
    if (!is_falsified) {
        const coordinator::Caller by = caller_of(session, message);
        on_input(now, coordinator::FromAgent{session, std::move(message), by});
    } else if (is_proved(host, message)) {
        const coordinator::Caller by = caller_of(session, message);
        world_.checkers.on(now, ByzantineReport{host, agents_[raw(host)]->name()});
        on_input(now, coordinator::FromAgent{session, std::move(message), by});
        world_.checkers.on(now, ByzantineReportHandled{});
    }
}

PublicKey ControlHost::key_of(coordinator::Session session) const {
    const auto at = proved_.find(session);
    return at == proved_.end() ? PublicKey{} : at->second;
}

coordinator::Caller ControlHost::caller_of(coordinator::Session session,
                                           const AgentMessage& message) const {
    if (!proves_keys()) {
        return {.is_local = true};
    }
    return std::holds_alternative<Hello>(message) ? coordinator::Caller{.key = key_of(session)}
                                                  : coordinator::Caller{};
}

void ControlHost::receive_stolen_name(Instant now, coordinator::Session session,
                                      const AgentMessage& hello) {
    if (paused_) {
        return;  // Too early: it is lost.
    }
    stolen_[world_.network.host_of(session)] = std::get<Hello>(hello).incarnation;
    const coordinator::Input input =
        coordinator::FromAgent{session, hello, caller_of(session, hello)};
    coordinator::Output output = step(now, input);
    follow_store();
    carry_out(now, output);
    restore();
}

// Without keys a byzantine host uses its own name: nobody could tell it from the other.
bool ControlHost::is_proved(HostIndex host, const AgentMessage& message) const {
    const auto* hello = std::get_if<Hello>(&message);
    return hello == nullptr || hello->name == agents_[raw(host)]->name();
}

}  // namespace muster::sim
