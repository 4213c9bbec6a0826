#pragma once

#include <optional>
#include <string>

#include "common/base/limits.hpp"
#include "common/codec/fields/agent_calls.hpp"
#include "common/codec/fields/audit.hpp"
#include "common/codec/fields/cluster.hpp"
#include "common/codec/fields/keys.hpp"
#include "common/codec/fields/nodes.hpp"
#include "common/codec/fields/pool_definitions.hpp"
#include "common/codec/fields/pools.hpp"
#include "common/codec/fields/secrets.hpp"
#include "common/codec/fields/tasks.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator.hpp"

/// The fields that every request and every reply has. Each subject has a header of its own.
namespace muster::codec {

/// What every request has besides the fields of its verb.
struct RequestEnvelope {
    std::string verb;
    RequestId id;
};

void fields(auto& visit, Like<RequestEnvelope> auto& envelope) {
    visit("verb", envelope.verb, text(limits::name_bytes));
    visit("request_id", envelope.id, plain.or_default());
}

/// What every reply has besides the fields of its kind, or its error.
struct ReplyEnvelope {
    bool ok = false;
    std::string kind;  ///< Empty for an error.
    RequestId id;
    std::optional<Standby> standby{};
};

void fields(auto& visit, Like<Standby> auto& standby) {
    visit("leader", standby.leader, explanation);
    visit("leader_at", standby.leader_at, explanation);
}
void fields(auto& visit, Like<ReplyEnvelope> auto& envelope) {
    visit("ok", envelope.ok, plain);
    visit("reply", envelope.kind, short_text.or_default());
    visit("request_id", envelope.id, plain.or_default());
    optional_field(visit, "standby", envelope.standby);
}

/// The mark of a reply with an error.
struct StandbyBody {
    std::optional<Standby> standby;
};

void fields(auto& visit, Like<StandbyBody> auto& body) {
    optional_field(visit, "standby", body.standby);
}

/// `{"ok": false, "error": {"code": ..., "message": ...}}`
struct ErrorBody {
    Error error;
};

void fields(auto& visit, Like<Error> auto& error) {
    visit("code", error.code, plain);
    visit("message", error.detail, explanation);
}
void fields(auto& visit, Like<ErrorBody> auto& body) { visit("error", body.error, plain); }

}  // namespace muster::codec
