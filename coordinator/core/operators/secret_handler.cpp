#include "coordinator/core/operators/secret_handler.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/crypto/secret_box.hpp"
#include "common/text/pattern.hpp"
#include "coordinator/core/operators/intent_checks.hpp"

namespace muster::coordinator {

namespace {

/// Of the tasks that use a secret, as many are named.
constexpr std::size_t most_named = 5;

SecretView view(const StoredSecret& secret) {
    return {.name = secret.name,
            .version = secret.version,
            .bytes = static_cast<std::uint32_t>(bytes_of_encrypted(secret.encrypted)),
            .since = secret.since,
            .author = secret.author};
}

std::string users_text(const std::vector<std::string>& tasks) {
    const std::vector<std::string> first{
        tasks.begin(),
        tasks.begin() + static_cast<std::ptrdiff_t>(std::min(tasks.size(), most_named))};
    return joined(first, ", ") +
           (tasks.size() > most_named
                ? " and " + std::to_string(tasks.size() - most_named) + " more"
                : "");
}

}  // namespace

void SecretHandler::handle(const RequestContext& context, const Facts& facts,
                           const SecretListRequest& /*request*/) {
    SecretsReply reply{.counter = facts.ledger.meta().counter, .secrets = {}};
    facts.ledger.secrets().rows().each([&](std::string_view /*name*/, const StoredSecret& secret) {
        reply.secrets.push_back(view(secret));
    });
    context.reply(ReplyBody{std::move(reply)});
}

void SecretHandler::change(const RequestContext& context, const auto& request) {
    changes_.change(context, request, [&] { return change_of(request, context.step.civil()); });
}

void SecretHandler::handle(const RequestContext& context, const SecretSetRequest& request) {
    change(context, request);
}

void SecretHandler::handle(const RequestContext& context, const SecretRemoveRequest& request) {
    change(context, request);
}

Result<Answered> SecretHandler::change_of(const SecretSetRequest& request, CivilMs now) const {
    if (!is_valid_name(request.name)) {
        return fail(Errc::invalid,
                    in_quotes(request.name) + " is not a valid name: " + std::string{name_rule()});
    }
    if (!is_encrypted_secret(request.value)) {
        return fail(Errc::invalid, "the value of a secret is not encrypted, so it is not kept");
    }
    const StoredSecret* const before = changes_.secrets().find(request.name);
    if (before != nullptr && before->encrypted == request.value) {
        return Answered{{}, SecretsReply{.counter = {}, .secrets = {view(*before)}}};
    }
    if (const std::size_t count = changes_.secrets().count().rows;
        before == nullptr && count >= limits::stored_secrets) {
        return fail(Errc::too_large, too_many(count + 1, "secrets", limits::stored_secrets));
    }
    StoredSecret row{.name = request.name,
                     .version = next(changes_.meta().counter),
                     .since = now,
                     .author = request.why.author,
                     .encrypted = request.value};
    Answered answered{{}, SecretsReply{.counter = {}, .secrets = {view(row)}}};
    answered.change.of<StoredSecret>().put.emplace_back(std::move(row));
    return answered;
}

Result<Answered> SecretHandler::change_of(const SecretRemoveRequest& request,
                                          CivilMs /*now*/) const {
    if (changes_.secrets().find(request.name) == nullptr) {
        return fail(Errc::not_found,
                    "there is no secret " + in_quotes(request.name) + "; see 'muster secret list'");
    }
    std::vector<std::string> users;
    for (std::string& name : changes_.task_names()) {
        const auto task = changes_.tasks().find(name);
        const auto& names = task->spec->cluster_secrets;
        if (std::ranges::find(names, request.name) != names.end()) {
            users.push_back(std::move(name));
        }
    }
    if (!users.empty()) {
        return fail(Errc::conflict, "the secret '" + request.name + "' is named by task " +
                                        users_text(users) +
                                        ": take it out of their cluster_secrets first");
    }
    Answered answered{{}, SecretsReply{}};
    answered.change.of<StoredSecret>().erased.push_back(request.name);
    return answered;
}

}  // namespace muster::coordinator
