#include "coordinator/core/operators/key_handler.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"
#include "common/text/pattern.hpp"
#include "coordinator/core/operators/intent_checks.hpp"
#include "coordinator/core/queries/matching.hpp"
#include "coordinator/core/security/rotation.hpp"

namespace muster::coordinator {

namespace {

std::string_view state_of(const StoredKey& row, const AdmittedKey& key, CivilMs now) {
    if (row.revoked) {
        return "revoked";
    }
    return key.until != CivilMs{} && key.until <= now ? "expired" : "valid";
}

std::string rotation_of(const StoredKey& row, const AdmittedKey& key) {
    if (row.rotation == Rotation::none || row.revoked) {
        return "";
    }
    if (row.rotation == Rotation::asked) {
        return "asked";
    }
    return key == row.keys.back() ? "registered" : "to be retired";
}

void add_views(const StoredKey& row, CivilMs now, std::vector<KeyView>& into) {
    for (const AdmittedKey& one : row.keys) {
        into.push_back({.name = row.name,
                        .role = std::string{to_string(row.role)},
                        .state = std::string{state_of(row, one, now)},
                        .rotation = rotation_of(row, one),
                        .fingerprint = fingerprint(one.key),
                        .key = to_string(one.key),
                        .since = one.since,
                        .until = one.until,
                        .pools = row.pools,
                        .tasks = row.tasks,
                        .author = row.author});
    }
}

TokenView view(const StoredToken& token) {
    return {.id = token.name,
            .pattern = token.pattern,
            .uses = token.uses,
            .until = token.until,
            .author = token.author};
}

Result<PublicKey> read_key(std::string_view what, const std::string& text) {
    const auto key = parse_public_key(text);
    if (!key || key->is_none()) {
        return fail(Errc::invalid, "the " + std::string{what} + " is 64 hexadecimal digits, not " +
                                       in_quotes(text));
    }
    return *key;
}

Result<void> check_scope(const KeyAddRequest& request) {
    for (const auto* const patterns : {&request.pools, &request.tasks}) {
        for (const std::string& one : *patterns) {
            if (auto sound = pattern::check(one); !sound) {
                return sound;
            }
        }
    }
    if (request.role == Role::agent && (!request.pools.empty() || !request.tasks.empty())) {
        return fail(Errc::invalid, "an agent changes nothing, so it needs no pools and no tasks");
    }
    return {};
}

}  // namespace

// ---- reads ----

void KeyHandler::handle(const RequestContext& context, const Facts& facts,
                        const KeyListRequest& request) {
    KeysReply reply{.counter = facts.ledger.meta().counter, .keys = {}};
    const CivilMs now = context.step.civil();
    const std::string& wanted = request.pattern;
    if (const auto sound = wanted.empty() ? Result<void>{} : pattern::check(wanted); !sound) {
        context.reply(tl::unexpected{sound.error()});
        return;
    }
    facts.ledger.keys().rows().each([&](std::string_view name, const StoredKey& row) {
        if (wanted.empty() || pattern::matches(wanted, name)) {
            add_views(row, now, reply.keys);
        }
    });
    for (const Enrolments::Pending& one : enrolments_.pending()) {
        if (wanted.empty() || pattern::matches(wanted, one.name)) {
            reply.keys.push_back({.name = one.name,
                                  .role = std::string{to_string(Role::agent)},
                                  .state = "pending",
                                  .fingerprint = fingerprint(one.key),
                                  .key = to_string(one.key),
                                  .since = one.since});
        }
    }
    context.reply(ReplyBody{std::move(reply)});
}

void KeyHandler::handle(const RequestContext& context, const Facts& facts,
                        const TokenListRequest& /*request*/) {
    TokensReply reply{.counter = facts.ledger.meta().counter, .tokens = {}};
    facts.ledger.tokens().rows().each([&](std::string_view /*id*/, const StoredToken& token) {
        if (token.until > context.step.civil()) {
            reply.tokens.push_back(view(token));
        }
    });
    context.reply(ReplyBody{std::move(reply)});
}

void KeyHandler::handle(const RequestContext& context, const EnrolRequest& request) {
    enrolments_.on_request(context, request);
}

// ---- changes ----

template <class Request>
void KeyHandler::change(const RequestContext& context, const Request& request) {
    changes_.change(context, request, [&] {
        if constexpr (std::is_same_v<Request, KeyRenewRequest>) {
            return change_of(request, context.step.civil(), context.input.by.key);
        } else {
            return change_of(request, context.step.civil());
        }
    });
}

Answered KeyHandler::put(StoredKey row, CivilMs now) const {
    KeysReply reply;
    add_views(row, now, reply.keys);
    Change change;
    if (changes_.keys().row(row.name) != row) {
        change.of<StoredKey>().put.emplace_back(std::move(row));
    }
    return {std::move(change), std::move(reply)};
}

Result<std::vector<std::string>> KeyHandler::names(const std::string& pattern) const {
    std::vector<std::string> all;
    changes_.keys().each(
        [&](std::string_view name, const StoredKey& /*row*/) { all.emplace_back(name); });
    std::ranges::sort(all);
    return names_matching(pattern, std::move(all))
        .and_then([&](std::vector<std::string> found) -> Result<std::vector<std::string>> {
            if (found.empty()) {
                return fail(Errc::not_found, "no name with a key matches " + in_quotes(pattern));
            }
            return found;
        });
}

Result<Answered> KeyHandler::change_of(const KeyAddRequest& request, CivilMs now) {
    if (!is_valid_name(request.name)) {
        return fail(Errc::invalid,
                    in_quotes(request.name) + " is not a valid name: " + std::string{name_rule()});
    }
    if (auto sound = check_scope(request); !sound) {
        return tl::unexpected{sound.error()};
    }
    const auto key = read_key("key", request.key);
    if (!key) {
        return tl::unexpected{key.error()};
    }
    const auto& owners = changes_.keys().count().owners;
    if (const auto owner = owners.find(*key);
        owner != owners.end() && owner->second != request.name) {
        return fail(Errc::exists, "the key belongs to " + owner->second);
    }
    if (owners.size() >= limits::keys) {
        return fail(Errc::too_large, too_many(owners.size() + 1, "keys", limits::keys));
    }
    StoredKey row = changes_.keys().row(request.name);
    if (row.revoked) {
        return fail(Errc::refused, request.name + " was revoked; 'muster key remove " +
                                       request.name + "' forgets it, then add the key again");
    }
    if (!row.keys.empty() && row.role != request.role) {
        return fail(Errc::exists, request.name + " has the role " +
                                      std::string{to_string(row.role)} + "; 'muster key remove " +
                                      request.name + "' forgets it");
    }
    row = without_rotation(std::move(row));  // What an admin decides ends it.
    const bool is_new = row.keys.empty();
    std::erase_if(row.keys, [&](const AdmittedKey& one) { return one.key == *key; });
    if (row.keys.size() == StoredKey::keys_at_most) {
        row.keys.erase(row.keys.begin());  // The oldest.
    }
    const CivilMs until =
        request.valid_ms == 0
            ? CivilMs{}
            : std::min(limits::civil_most,
                       CivilMs{raw(now) + static_cast<std::int64_t>(std::min(
                                              request.valid_ms,
                                              static_cast<std::uint64_t>(limits::civil_most)))});
    row.keys.push_back({.key = *key, .since = now, .until = until});
    row.role = request.role;
    // Another key of a limited name must not free it of its limits.
    if (is_new || !request.pools.empty() || !request.tasks.empty()) {
        row.pools = request.pools;
        row.tasks = request.tasks;
    }
    row.author = request.why.author;
    return put(std::move(row), now);
}

Result<Answered> KeyHandler::change_of(const KeyRevokeRequest& request, CivilMs now) {
    return names(request.pattern).map([&](const std::vector<std::string>& found) {
        Answered all{{}, KeysReply{}};
        for (const std::string& name : found) {
            StoredKey row = changes_.keys().row(name);
            row.revoked = true;
            row.author = request.why.author;
            add_views(row, now, std::get<KeysReply>(all.reply).keys);
            all.change.of<StoredKey>().put.emplace_back(std::move(row));
        }
        return all;
    });
}

Result<Answered> KeyHandler::change_of(const KeyRemoveRequest& request, CivilMs now) {
    return names(request.pattern).map([&](const std::vector<std::string>& found) {
        Answered all{{}, KeysReply{}};
        for (const std::string& name : found) {
            StoredKey row = changes_.keys().row(name);
            row.revoked = true;
            add_views(row, now, std::get<KeysReply>(all.reply).keys);
            all.change.of<StoredKey>().erased.push_back(name);
        }
        return all;
    });
}

Result<Answered> KeyHandler::change_of(const KeyRotateRequest& request, CivilMs now) {
    StoredKey row = changes_.keys().row(request.name);
    if (row.keys.empty()) {
        return fail(Errc::not_found, "no name " + in_quotes(request.name) + " has a key");
    }
    if (row.revoked) {
        return fail(Errc::refused, "the key of " + row.name + " was revoked");
    }
    if (row.role != Role::agent) {
        return fail(
            Errc::refused,
            row.name + " is an " + std::string{to_string(row.role)} +
                ", so only its holder replaces the key: 'muster key rotate' without a name");
    }
    if (row.rotation == Rotation::none) {
        row.rotation = Rotation::asked;
        row.author = request.why.author;
    }
    return put(std::move(row), now);
}

Result<Answered> KeyHandler::change_of(const KeyRenewRequest& request, CivilMs now,
                                       const PublicKey& by) {
    const auto& owners = changes_.keys().count().owners;
    const auto own = by.is_none() ? owners.end() : owners.find(by);
    if (own == owners.end()) {
        return fail(Errc::refused,
                    "this connection proves no key, so there is none to replace; connect to the "
                    "operators' endpoint with the key");
    }
    StoredKey row = changes_.keys().row(own->second);
    const auto fresh = read_key("key", request.key);
    if (!fresh) {
        return tl::unexpected{fresh.error()};
    }
    if (*fresh == by) {
        return put(is_first_use(row, by) ? with_new_key_only(std::move(row)) : std::move(row), now);
    }
    if (const auto owner = owners.find(*fresh);
        owner != owners.end() && owner->second != row.name) {
        return fail(Errc::exists, "the key belongs to " + owner->second);
    }
    if (owners.size() >= limits::keys) {
        return fail(Errc::too_large, too_many(owners.size() + 1, "keys", limits::keys));
    }
    return with_new_key(std::move(row), by, *fresh, now).map([&](StoredKey&& changed) {
        return put(std::move(changed), now);
    });
}

Result<Answered> KeyHandler::change_of(const NodeAcceptRequest& request, CivilMs now) {
    if (changes_.keys().find(request.name) != nullptr) {
        return fail(Errc::exists, request.name + " has a key already; 'muster key remove " +
                                      request.name + "' forgets it");
    }
    return enrolments_.take(request.name, request.fingerprint)
        .and_then([&](const Enrolments::Pending& host) -> Result<Answered> {
            // An admin may have given it to another name while the host waited.
            const auto& owners = changes_.keys().count().owners;
            if (const auto owner = owners.find(host.key); owner != owners.end()) {
                return fail(Errc::exists, "the key of the host that calls itself " + host.name +
                                              " belongs to " + owner->second);
            }
            return put({.name = host.name,
                        .role = Role::agent,
                        .keys = {{.key = host.key, .since = now}},
                        .author = request.why.author},
                       now);
        });
}

Result<Answered> KeyHandler::change_of(const TokenCreateRequest& request, CivilMs now) {
    if (auto sound = pattern::check(request.pattern); !sound) {
        return tl::unexpected{sound.error()};
    }
    const auto hash = read_key("hash of a token's secret", request.hash);
    if (!hash) {
        return tl::unexpected{hash.error()};
    }
    const auto longest = static_cast<std::uint64_t>(to_ms(limits::token_max));
    if (request.ttl_ms == 0 || request.ttl_ms > longest || request.uses == 0) {
        return fail(Errc::invalid, "a token is used at least once, within at most " +
                                       muster::to_string(limits::token_max));
    }
    StoredToken token{.name = token_id(*hash),
                      .hash = *hash,
                      .pattern = request.pattern,
                      .uses = request.uses,
                      .until = CivilMs{raw(now) + static_cast<std::int64_t>(request.ttl_ms)},
                      .author = request.why.author};
    if (changes_.tokens().find(token.name) != nullptr) {
        return fail(Errc::exists, "this token is open already; make a new secret");
    }
    Answered answered{{}, TokensReply{.counter = {}, .tokens = {view(token)}}};
    std::size_t open = 0;
    changes_.tokens().each([&](std::string_view id, const StoredToken& old) {
        if (old.until <= now) {
            answered.change.of<StoredToken>().erased.emplace_back(id);
        } else {
            ++open;
        }
    });
    if (open >= limits::tokens) {
        return fail(Errc::too_large, too_many(open + 1, "open tokens", limits::tokens));
    }
    answered.change.of<StoredToken>().put.emplace_back(std::move(token));
    return answered;
}

Result<Answered> KeyHandler::change_of(const TokenRevokeRequest& request, CivilMs /*now*/) {
    if (changes_.tokens().find(request.id) == nullptr) {
        return fail(Errc::not_found,
                    "no token " + in_quotes(request.id) + " is open; see 'muster token list'");
    }
    Answered answered{{}, TokensReply{}};
    answered.change.of<StoredToken>().erased.push_back(request.id);
    return answered;
}

template void KeyHandler::change(const RequestContext&, const KeyAddRequest&);
template void KeyHandler::change(const RequestContext&, const KeyRevokeRequest&);
template void KeyHandler::change(const RequestContext&, const KeyRemoveRequest&);
template void KeyHandler::change(const RequestContext&, const KeyRotateRequest&);
template void KeyHandler::change(const RequestContext&, const KeyRenewRequest&);
template void KeyHandler::change(const RequestContext&, const NodeAcceptRequest&);
template void KeyHandler::change(const RequestContext&, const TokenCreateRequest&);
template void KeyHandler::change(const RequestContext&, const TokenRevokeRequest&);

}  // namespace muster::coordinator
