#include "coordinator/core/security/enrolments.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "common/crypto/hash.hpp"
#include "common/spec/duration.hpp"
#include "common/text/pattern.hpp"

namespace muster::coordinator {

namespace {

constexpr std::string_view how_to_get_one = "; an admin makes one with 'muster token create'";

/// The clocks differ too much: the host would judge everything by another time.
Result<void> check_clock(CivilMs theirs, CivilMs ours) {
    const Duration ahead = std::chrono::milliseconds{raw(theirs) - raw(ours)};
    const Duration error = ahead < Duration::zero() ? -ahead : ahead;
    if (theirs == CivilMs{} || ours == CivilMs{} || error <= limits::enrolment_clock_error) {
        return {};
    }
    return fail(
        Errc::refused,
        "the clock of this host is " +
            muster::to_string(Duration{std::chrono::duration_cast<std::chrono::seconds>(error)}) +
            (ahead > Duration::zero() ? " ahead of" : " behind") +
            " the coordinator's: set the right time, then join again");
}

}  // namespace

std::string token_id(const PublicKey& hash) { return to_string(hash).substr(0, 16); }

bool Enrolments::is_open(CivilMs now) const {
    bool is_any = options_.accept_pending;
    ledger_.tokens().rows().each([&](std::string_view /*id*/, const StoredToken& token) {
        is_any = is_any || token.until > now;
    });
    return is_any;
}

void Enrolments::on_request(const RequestContext& context, const EnrolRequest& request) {
    if (ledger_.deduplicate(context)) {
        return;
    }
    auto answered = check_clock(request.now, context.step.civil()).and_then([&] {
        return admit(context, request);
    });
    if (!answered) {
        context.step.emit("enrolment.refused", request.name, answered.error().detail);
        ledger_.note_refusal(context.step, context.input, answered.error());
        context.reply(tl::unexpected{std::move(answered.error())});
        return;
    }
    if (std::get<EnrolReply>(answered->reply).pending) {
        // Not kept: anybody gets this answer, and would push out those of others.
        context.reply(std::move(answered->reply));
        return;
    }
    ledger_.submit(context, std::move(answered));
}

EnrolReply Enrolments::reply(const RequestContext& context, const std::string& name) const {
    return {.name = name,
            .cluster = ledger_.meta().cluster,
            .pending = false,
            .fingerprint = fingerprint(context.input.by.key),
            .agents = {}};
}

Result<Answered> Enrolments::admit(const RequestContext& context, const EnrolRequest& request) {
    const PublicKey& key = context.input.by.key;
    const auto& owners = ledger_.keys().count_soon().owners;
    if (const auto owner = owners.find(key); owner != owners.end()) {
        if (owner->second == request.name && !ledger_.keys().proposed(request.name).revoked) {
            return Answered{{}, reply(context, request.name)};  // The reply before was lost.
        }
        return fail(Errc::exists, "the key of this host belongs to " + owner->second +
                                      "; remove its key file, then join again");
    }
    if (const auto row = ledger_.keys().find(request.name); row != nullptr) {
        return fail(Errc::exists,
                    request.name + " has another key already, " +
                        (row->revoked ? "which was revoked" : fingerprint(row->keys.back().key)) +
                        "; if that host is gone, 'muster key remove " + request.name +
                        "' frees the name");
    }
    if (request.secret.empty()) {
        return wait(context, request);
    }
    return token_for(request, context.step.civil()).map([&](StoredToken token) {
        Change change;
        change.of<StoredKey>().put.emplace_back(
            StoredKey{.name = request.name,
                      .role = Role::agent,
                      .keys = {{.key = key, .since = context.step.civil()}},
                      .author = "token " + token.name});
        --token.uses;
        if (token.uses == 0) {
            change.of<StoredToken>().erased.push_back(token.name);
        } else {
            change.of<StoredToken>().put.emplace_back(token);
        }
        std::erase_if(pending_, [&](const Pending& one) { return one.key == key; });
        return Answered{std::move(change), reply(context, request.name)};
    });
}

Result<StoredToken> Enrolments::token_for(const EnrolRequest& request, CivilMs now) const {
    const auto hash = parse_public_key(request.secret);
    const auto found = hash ? ledger_.tokens().find(token_id(*hash)) : nullptr;
    if (found == nullptr || !is_same(found->hash.bytes, hash->bytes)) {
        return fail(Errc::denied,
                    "the token is not known: it was used or revoked, has expired, or is of another "
                    "cluster" +
                        std::string{how_to_get_one});
    }
    if (found->until <= now) {
        return fail(Errc::denied, "the token has expired" + std::string{how_to_get_one});
    }
    if (!pattern::matches(found->pattern, request.name)) {
        return fail(Errc::denied, "the token is for " + found->pattern + ", not for " +
                                      request.name + std::string{how_to_get_one});
    }
    return *found;
}

Result<Answered> Enrolments::wait(const RequestContext& context, const EnrolRequest& request) {
    if (!options_.accept_pending) {
        return fail(Errc::denied, "a host needs a token to join" + std::string{how_to_get_one});
    }
    const PublicKey& key = context.input.by.key;
    const auto same = std::ranges::find(pending_, key, &Pending::key);
    if (same == pending_.end()) {
        if (pending_.size() == limits::pending_enrolments) {
            pending_.pop_front();
        }
        pending_.push_back({.name = request.name, .key = key, .since = context.step.civil()});
        context.step.emit("enrolment.pending", request.name, "key " + fingerprint(key));
    } else {
        same->name = request.name;
    }
    EnrolReply answer = reply(context, request.name);
    answer.pending = true;
    return Answered{{}, std::move(answer)};
}

Result<Enrolments::Pending> Enrolments::take(std::string_view name, std::string_view print) {
    const auto of_name = std::ranges::find(pending_, name, &Pending::name);
    const auto found = std::ranges::find_if(pending_, [&](const Pending& one) {
        return one.name == name && fingerprint(one.key) == print;
    });
    if (found == pending_.end()) {
        return of_name == pending_.end()
                   ? fail(Errc::not_found, "no host that calls itself " + std::string{name} +
                                               " waits to be accepted; see 'muster key list'")
                   : fail(Errc::not_found,
                          "the key of the host that calls itself " + std::string{name} + " is " +
                              fingerprint(of_name->key) + ", not " + std::string{print});
    }
    Pending taken = std::move(*found);
    pending_.erase(found);
    return taken;
}

}  // namespace muster::coordinator
