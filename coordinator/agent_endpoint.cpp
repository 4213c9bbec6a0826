#include "coordinator/agent_endpoint.hpp"

#include <utility>

#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"

namespace muster::coordinator {
namespace {

// The library makes routes in this form: a zero byte, then the number with its most significant
// byte first.
void write_route(Session session, std::string& into) {
    const auto number = raw(session);
    into.assign(5, '\0');
    for (std::size_t i = 0; i < 4; ++i) {
        into[4 - i] = static_cast<char>(number >> (8 * i));
    }
}

}  // namespace

AgentEndpoint::AgentEndpoint(net::Context& context)
    : router_{context, {.message_bytes = limits::agent_message_bytes}} {}

Result<std::string> AgentEndpoint::bind(std::string_view endpoint) {
    return router_.bind(endpoint);
}

net::Receipt AgentEndpoint::receive(Instant now, Input& into) {
    const auto receipt = router_.receive(from_, received_);
    if (receipt == net::Receipt::nothing) {
        return receipt;
    }
    if (!is_in_time(now)) {
        return net::Receipt::dropped;
    }
    const auto number = from_.route.generated();
    if (!number) {
        ++traffic_.foreign;
        refuse(now, Errc::refused, "set no routing id: this endpoint makes one per connection");
        return net::Receipt::dropped;
    }
    if (receipt == net::Receipt::probe) {
        refuse(now, Errc::hello_required, "send hello first");
        return receipt;
    }
    if (receipt == net::Receipt::dropped) {
        refuse(now, Errc::malformed, "a message has one frame (JSON) or two (version, message)");
        return receipt;
    }
    if (!std::holds_alternative<FromAgent>(into)) {
        into = FromAgent{};
    }
    auto& input = std::get<FromAgent>(into);
    input.session = Session{*number};
    if (const auto decoded = decode(input.message); !decoded) {
        ++traffic_.undecodable;
        refuse(now, decoded.error().code, decoded.error().detail);
        into = Undecodable{Session{*number}, decoded.error().detail};
        return net::Receipt::message;
    }
    input.by = Caller{};
    if (std::holds_alternative<Hello>(input.message)) {  // It binds the session to its key.
        input.by = {.is_local = !has_keys_, .key = from_.peer};
    }
    remember_form(input.session, input.message);
    ++traffic_.messages;
    return net::Receipt::message;
}

// Nothing is answered: an answer costs as much as the message, and honest agents repeat what they
// have to say.
bool AgentEndpoint::is_in_time(Instant now) {
    if (from_.peer.is_none() || rate_.admit(now, from_.peer)) {
        return true;
    }
    log::write(rate_complaints_, now, log::Level::warn,
               "an agent sends too many messages: the coordinator drops those above its rate; "
               "'muster key list' shows whose key it is, and 'muster key revoke' cuts it off",
               {{"fingerprint", fingerprint(from_.peer)}, {"per_second", messages_per_second}});
    return false;
}

bool AgentEndpoint::received_json() const {
    return received_.size() == 1 && received_[0].starts_with('{');
}

Result<void> AgentEndpoint::decode(AgentMessage& into) const {
    if (received_json()) {
        auto message = codec::agent_message_from_json(received_[0]);
        if (!message) {
            return tl::unexpected{message.error()};
        }
        into = std::move(*message);
        return {};
    }
    if (auto spoken = codec::check_version(received_[0]); !spoken) {
        return spoken;
    }
    if (received_.size() != 2) {
        return fail(Errc::malformed, "a message is the version frame and one frame more");
    }
    return codec::decode(received_[1], into);
}

void AgentEndpoint::remember_form(Session session, const AgentMessage& message) {
    if (!std::holds_alternative<Hello>(message)) {
        return;
    }
    if (!received_json()) {
        json_.erase(session);
        return;
    }
    json_.insert(session);
    if (json_.size() > limits::nodes) {
        json_.erase(json_.begin());  // The oldest: routes are numbered in their order.
    }
}

void AgentEndpoint::refuse(Instant now, Errc code, const std::string& detail) {
    if (code != Errc::hello_required) {
        log::write(complaints_, now, log::Level::warn, "agent message refused",
                   {{"code", to_string(code)}, {"reason", detail}});
    }
    const CoordinatorMessage answer{Refused{.code = code, .detail = detail}};
    if (received_json()) {
        static_cast<void>(router_.send(from_, {codec::to_json(answer)}));
        return;
    }
    codec::encode(answer, encoded_);
    static_cast<void>(router_.send(from_, {codec::version_frame(), encoded_}));
}

void AgentEndpoint::send(const PollTo& poll) {
    const bool json = !json_.empty() && json_.contains(poll.session);
    if (json) {
        encoded_ = codec::to_json(CoordinatorMessage{poll.poll});
    } else {
        codec::encode(poll.poll, encoded_);
    }
    send_bytes(poll.session, json);
}

void AgentEndpoint::send(const ToAgent& message) {
    const bool json = !json_.empty() && json_.contains(message.session);
    if (json) {
        encoded_ = codec::to_json(message.message);
    } else {
        codec::encode(message.message, encoded_);
    }
    send_bytes(message.session, json);
}

void AgentEndpoint::send_bytes(Session session, bool json) {
    write_route(session, to_.route.bytes);
    const auto result = json ? router_.send(to_, {encoded_})
                             : router_.send(to_, {codec::version_frame(), encoded_});
    switch (result) {
        case net::SendResult::sent: break;
        case net::SendResult::slow: ++traffic_.slow; break;
        case net::SendResult::gone:
            json_.erase(session);
            gone_.push_back(session);
            break;
    }
}

std::vector<Session> AgentEndpoint::take_gone() { return std::exchange(gone_, {}); }

}  // namespace muster::coordinator
