#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/nodes.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/secrets.hpp"

/// The fields of requests about secrets. docs/reference/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<SecretSetRequest> auto& request) {
    visit("name", request.name, text(limits::pattern_bytes));
    visit("value", request.value, text(limits::encrypted_secret_bytes));
    fields(visit, request.why);
}
void fields(auto& visit, Like<SecretRemoveRequest> auto& request) {
    visit("name", request.name, text(limits::pattern_bytes));
    fields(visit, request.why);
}
void fields(auto& visit, Like<SecretView> auto& secret) {
    visit("name", secret.name, short_text);
    visit("version", secret.version, plain);
    visit("bytes", secret.bytes, plain);
    visit("since", secret.since, plain);
    visit("author", secret.author, explanation.or_default());
}
void fields(auto& visit, Like<SecretsReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("secrets", reply.secrets, rows);
}

}  // namespace muster::codec
