#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/nodes.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/keys.hpp"

/// The fields of requests about keys and tokens. docs/reference/protocol.md repeats them.
namespace muster::codec {

/// Longer than a key, so that the error can say what is wrong.
inline constexpr Rule key_text = text(limits::pattern_bytes);
inline constexpr Rule scope = texts(limits::scope_patterns, limits::pattern_bytes);

void fields(auto& visit, Like<KeyListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<KeyAddRequest> auto& request) {
    visit("name", request.name, text(limits::pattern_bytes));
    visit("role", request.role, plain);
    visit("key", request.key, key_text);
    visit("valid_ms", request.valid_ms, plain.or_default());
    visit("pools", request.pools, scope.or_default());
    visit("tasks", request.tasks, scope.or_default());
    fields(visit, request.why);
}
void fields(auto& visit, Like<KeyRevokeRequest, KeyRemoveRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    fields(visit, request.why);
}
void fields(auto& visit, Like<KeyRotateRequest> auto& request) {
    visit("name", request.name, valid_name);
    fields(visit, request.why);
}
void fields(auto& visit, Like<KeyRenewRequest> auto& request) {
    visit("key", request.key, key_text);
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeAcceptRequest> auto& request) {
    visit("name", request.name, valid_name);
    visit("fingerprint", request.fingerprint, short_text);
    fields(visit, request.why);
}
void fields(auto& visit, Like<KeyView> auto& key) {
    visit("name", key.name, short_text);
    visit("role", key.role, short_text);
    visit("state", key.state, short_text);
    unless_default(visit, "rotation", key.rotation, std::string{}, short_text);
    visit("fingerprint", key.fingerprint, short_text);
    visit("key", key.key, key_text);
    visit("since", key.since, plain);
    visit("until", key.until, plain);
    visit("pools", key.pools, scope.or_default());
    visit("tasks", key.tasks, scope.or_default());
    visit("author", key.author, explanation.or_default());
}
void fields(auto& visit, Like<KeysReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("keys", reply.keys, rows);
}

void fields(auto& visit, Like<EnrolRequest> auto& request) {
    visit("name", request.name, valid_name);
    visit("secret", request.secret, key_text.or_default());
    visit("now", request.now, plain.or_default());
}
void fields(auto& visit, Like<EnrolReply> auto& reply) {
    visit("name", reply.name, short_text);
    visit("cluster", reply.cluster, plain);
    visit("pending", reply.pending, plain.or_default());
    visit("fingerprint", reply.fingerprint, short_text.or_default());
    visit("agents", reply.agents, text(limits::path_bytes).or_default());
}

void fields(auto& visit, Like<TokenCreateRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("hash", request.hash, key_text);
    visit("ttl_ms", request.ttl_ms, plain.or_default());
    visit("uses", request.uses, plain.or_default());
    fields(visit, request.why);
}
void fields(auto& visit, Like<TokenRevokeRequest> auto& request) {
    visit("id", request.id, short_text);
    fields(visit, request.why);
}
void fields(auto& visit, Like<TokenView> auto& token) {
    visit("id", token.id, short_text);
    visit("pattern", token.pattern, text(limits::pattern_bytes));
    visit("uses", token.uses, plain);
    visit("until", token.until, plain);
    visit("author", token.author, explanation.or_default());
}
void fields(auto& visit, Like<TokensReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("tokens", reply.tokens, rows);
    visit("enrolment", reply.enrolment, text(limits::path_bytes).or_default());
    visit("key", reply.key, key_text.or_default());
}

}  // namespace muster::codec
