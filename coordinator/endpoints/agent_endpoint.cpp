#include "coordinator/endpoints/agent_endpoint.hpp"

#include <string>
#include <utility>

#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/requests/sealing.hpp"

namespace muster::coordinator {
namespace {

constexpr const char* hello_first = "send hello first";

/// So that a hello which is too long is told so, and no connection before its welcome is dear.
constexpr std::size_t first_bytes = 4 * limits::hello_bytes;

/// What shorter work costs together is bounded by the number of messages.
constexpr Duration negligible = 50us;

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

AgentEndpoint::AgentEndpoint(net::Context& context, const SecretKey& store_key)
    : router_{context, {.message_bytes = limits::agent_message_bytes, .first_bytes = first_bytes}},
      store_key_{store_key} {}

Result<std::string> AgentEndpoint::bind(std::string_view endpoint) {
    return router_.bind(endpoint);
}

net::Receipt AgentEndpoint::receive(Instant now, Input& into) {
    const auto receipt = router_.receive(from_, received_);
    if (receipt == net::Receipt::nothing) {
        return receipt;
    }
    const auto number = from_.route.generated();
    if (!is_due(now, number)) {
        return net::Receipt::dropped;
    }
    if (!number) {
        ++traffic_.foreign;
        refuse(now, Errc::refused, "set no routing id: this endpoint makes one per connection");
        return net::Receipt::dropped;
    }
    if (receipt == net::Receipt::probe) {
        note_connection(Session{*number});
        if (leads_) {
            refuse(now, Errc::hello_required, hello_first);
        }
        return receipt;
    }
    if (receipt == net::Receipt::dropped) {
        refuse(now, Errc::malformed, "a message has one frame (JSON) or two (version, message)");
        return receipt;
    }
    const Session session{*number};
    if (const auto bytes = received_bytes();
        bytes > limits::hello_bytes && !forms_.is_welcomed(session)) {
        refuse(now, Errc::too_large,
               "a hello has at most " + std::to_string(limits::hello_bytes) + " bytes, not " +
                   std::to_string(bytes) + "; the labels of the agent are its longest part");
        return net::Receipt::dropped;
    }
    if (!std::holds_alternative<FromAgent>(into)) {
        into = FromAgent{};
    }
    auto& input = std::get<FromAgent>(into);
    input.session = session;
    const Instant began = net::boottime_now();
    const auto decoded = decode(input.message);
    if (const Duration work = net::boottime_now() - began; work > negligible) {
        rate_.charge(now, from_.peer, work);
    }
    if (!decoded) {
        ++traffic_.undecodable;
        refuse(now, decoded.error().code, decoded.error().detail);
        into = Undecodable{session, decoded.error().detail};
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
bool AgentEndpoint::is_due(Instant now, std::optional<std::uint32_t> route) {
    if (from_.peer.is_none()) {
        return true;
    }
    const bool is_of_use = route ? connections_.admit(from_.peer, *route, router_.connection())
                                 : connections_.is_admitted(from_.peer);
    if (!is_of_use || rate_.admit(now, from_.peer, received_bytes())) {
        return is_of_use;
    }
    log::write(rate_complaints_, now, log::Level::warn,
               "an agent sends too much: the coordinator drops what is above its rate; "
               "'muster key list' shows whose key it is, and 'muster key revoke' cuts it off",
               {{"fingerprint", fingerprint(from_.peer)},
                {"messages_per_second", at_most.messages},
                {"bytes_per_second", at_most.bytes}});
    return false;
}

std::size_t AgentEndpoint::received_bytes() const {
    std::size_t bytes = 0;
    for (const std::string& frame : received_.frames()) {
        bytes += frame.size();
    }
    return bytes;
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
    const auto* const hello = std::get_if<Hello>(&message);
    if (hello == nullptr) {
        return;
    }
    forget_connection(
        forms_.ask(session, from_.peer,
                   {.json = received_json(), .seal_key = parse_public_key(hello->seal_key)}));
    note_connection(session);
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

void AgentEndpoint::note_connection(Session session) {
    connected_.insert(session);
    if (connected_.size() > limits::nodes) {
        connected_.erase(connected_.begin());  // The oldest: routes are numbered in their order.
    }
}

void AgentEndpoint::forget_connection(std::optional<Session> session) {
    if (session) {
        connected_.erase(*session);
    }
}

void AgentEndpoint::lead(Instant now) {
    leads_ = true;
    const auto connected = connected_;  // Who turns out to have left is erased from it.
    for (const Session session : connected) {
        send(now, ToAgent{session, Refused{.code = Errc::hello_required, .detail = hello_first}});
    }
}

void AgentEndpoint::send(const PollTo& poll) {
    const bool json = forms_.of(poll.session).json;
    if (json) {
        encoded_ = codec::to_json(CoordinatorMessage{poll.poll});
    } else {
        codec::encode(poll.poll, encoded_);
    }
    send_bytes(poll.session, json);
}

void AgentEndpoint::send(Instant now, const ToAgent& message) {
    if (const auto* const refused = std::get_if<Refused>(&message.message);
        refused != nullptr && refused->code == Errc::denied) {
        log::write(complaints_, now, log::Level::warn, "agent refused",
                   {{"code", to_string(refused->code)}, {"reason", refused->detail}});
    }
    const SessionForm form = form_of(message);
    CoordinatorMessage copy;
    const CoordinatorMessage& content = sealed(message, form, copy);
    if (form.json) {
        encoded_ = codec::to_json(content);
    } else {
        codec::encode(content, encoded_);
    }
    send_bytes(message.session, form.json);
}

SessionForm AgentEndpoint::form_of(const ToAgent& message) {
    if (std::holds_alternative<Refused>(message.message)) {
        return forms_.refuse(message.session);
    }
    if (std::holds_alternative<Welcome>(message.message)) {
        forget_connection(forms_.welcome(message.session));
        note_connection(message.session);
        if (const auto connection = connections_.find(
                forms_.key_of(message.session), static_cast<std::uint32_t>(raw(message.session)))) {
            router_.trust(*connection);
        }
    }
    return forms_.of(message.session);
}

const CoordinatorMessage& AgentEndpoint::sealed(const ToAgent& message, const SessionForm& form,
                                                CoordinatorMessage& copy) const {
    const auto* const batch = std::get_if<Batch>(&message.message);
    if (batch == nullptr || batch->secrets.empty()) {
        return message.message;
    }
    // An agent without a key gets none: it cannot open them.
    copy = sealed_for(form.seal_key.value_or(PublicKey{}), store_key_, *batch);
    return copy;
}

void AgentEndpoint::send_bytes(Session session, bool json) {
    write_route(session, to_.route.bytes);
    const auto result = json ? router_.send(to_, {encoded_})
                             : router_.send(to_, {codec::version_frame(), encoded_});
    switch (result) {
        case net::SendResult::sent: break;
        case net::SendResult::slow: ++traffic_.slow; break;
        case net::SendResult::gone:
            forms_.erase(session);
            connected_.erase(session);
            gone_.push_back(session);
            break;
    }
}

std::vector<Session> AgentEndpoint::take_gone() { return std::exchange(gone_, {}); }

}  // namespace muster::coordinator
