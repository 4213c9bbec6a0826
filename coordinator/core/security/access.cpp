#include "coordinator/core/security/access.hpp"

#include <algorithm>
#include <variant>

#include "common/codec/verb_table.hpp"
#include "coordinator/core/ledger/scope.hpp"

namespace muster::coordinator {

namespace {

const AdmittedKey* find_key(const StoredKey& row, const PublicKey& key) {
    const auto found = std::ranges::find(row.keys, key, &AdmittedKey::key);
    return found == row.keys.end() ? nullptr : &*found;
}

bool is_over(const AdmittedKey& key, CivilMs now) {
    return key.until != CivilMs{} && key.until <= now;
}

const codec::Verb& row_of(const auto& request) {
    return std::visit(
        []<class Body>(const Body& /*body*/) -> const codec::Verb& {
            return codec::verb_row<Body>();
        },
        request);
}

std::string with_article(Role role) {
    return "an " + std::string{to_string(role)};  // Each begins with a vowel.
}

}  // namespace

FromOperator signed_by(const Identity& identity, const FromOperator& input) {
    FromOperator with_author = input;
    const auto sign = [&](const auto& body) {
        if constexpr (requires { body.why.author; }) {
            auto request = body;
            request.why.author = identity.name;
            with_author.request = CoreRequest{input.request->id, std::move(request)};
        }
    };
    if (!identity.name.empty()) {
        std::visit(sign, input.request->body);
    }
    return with_author;
}

Result<Identity> Access::identify(const Caller& caller, CivilMs now, const StoredKey* row) {
    if (caller.is_local) {
        return Identity{.name = {}, .role = Role::admin};
    }
    if (caller.key.is_none()) {
        return fail(Errc::denied, "the connection proves no key");
    }
    if (row == nullptr) {
        return fail(Errc::denied, "the key " + fingerprint(caller.key) +
                                      " is not admitted; an admin can admit it with 'muster key "
                                      "add'");
    }
    if (row->revoked) {
        return fail(Errc::denied, "the key of " + row->name + " was revoked");
    }
    if (is_over(*find_key(*row, caller.key), now)) {
        return fail(Errc::denied, "the key of " + row->name +
                                      " has expired; an admin can admit a new one with 'muster "
                                      "key add'");
    }
    return Identity{.name = row->name, .role = row->role};
}

template <class Body>
Result<Identity> Access::judge(const Caller& caller, const Body& request, CivilMs now,
                               const StoredKey* row) {
    const codec::Verb& verb = row_of(request);
    const bool is_enrolment = verb.role == Role::agent;
    if (is_enrolment != caller.is_enrolling) {
        return fail(Errc::denied, is_enrolment
                                      ? "a host enrols at the endpoint for enrolment only"
                                      : "the endpoint for enrolment takes no request but 'enrol'");
    }
    if (caller.is_enrolling) {
        return caller.key.is_none() ? fail(Errc::denied, "the connection proves no key")
                                    : Result<Identity>{Identity{}};
    }
    auto identity = identify(caller, now, row);
    if (identity && identity->role < verb.role) {
        return fail(Errc::denied, "'" + std::string{verb.name} + "' needs the role " +
                                      std::string{to_string(verb.role)} + ", and " +
                                      identity->name + " is " + with_article(identity->role));
    }
    const bool is_scoped = verb.area == codec::Area::tasks || verb.area == codec::Area::nodes ||
                           verb.area == codec::Area::pools;
    if (identity && row != nullptr && is_limited(*row) && verb.role >= Role::operator_ &&
        !is_scoped) {
        return fail(Errc::denied, "'" + std::string{verb.name} +
                                      "' is about the whole cluster, and " + identity->name +
                                      " may change a part of it only");
    }
    return identity;
}

Result<Identity> Access::may_send(const Caller& caller, const RequestBody& request,
                                  CivilMs now) const {
    return judge(caller, request, now, owner_of(keys_, caller.key));
}

// What everybody may read is as durable, and so are the rights to it. Anything else comes after the
// changes before it, which may have ended the key.
Result<Identity> Access::may_send(const Caller& caller, const CoreRequestBody& request,
                                  CivilMs now) const {
    auto identity = judge(caller, request, now, owner_of(keys_, caller.key));
    if (identity && row_of(request).role > Role::observer) {
        identity = judge(caller, request, now, owner_soon(keys_, caller.key));
    }
    return identity;
}

Result<void> Access::may_join(const Caller& caller, const std::string& name, CivilMs now) const {
    if (caller.is_local && !options_.keys) {
        return {};
    }
    Caller by_key = caller;
    by_key.is_local = false;
    const auto identity = identify(by_key, now, owner_of(keys_, caller.key));
    if (!identity) {
        return tl::unexpected{identity.error()};
    }
    if (identity->role != Role::agent) {
        return fail(Errc::denied, "the key of " + identity->name + " is that of " +
                                      with_article(identity->role) + ", not of an agent");
    }
    if (identity->name != name) {
        return fail(Errc::denied, "the key belongs to " + identity->name +
                                      ", so its agent cannot speak for " + name);
    }
    return {};
}

bool Access::still_speaks(const PublicKey& key, const std::string& name, CivilMs now) const {
    return key.is_none() ? !options_.keys : may_join({.key = key}, name, now).has_value();
}

std::vector<PublicKey> Access::admitted(bool agents) const {
    std::vector<PublicKey> all;
    for (const auto& [key, name] : keys_.count().owners) {
        const StoredKey& row = *keys_.rows().find(name);
        if (!row.revoked && (row.role == Role::agent) == agents) {
            all.push_back(key);
        }
    }
    return all;
}

}  // namespace muster::coordinator
