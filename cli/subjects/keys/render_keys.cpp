#include <string>

#include <fmt/format.h>

#include "cli/screen/table.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/spec/quantity.hpp"

namespace muster::cli {

namespace {

Tone tone_of_key(const std::string& state) {
    if (state == "valid") {
        return Tone::good;
    }
    return state == "pending" ? Tone::attention : Tone::bad;
}

/// `*` where nothing is excluded.
std::string scope_of(const KeyView& key) {
    std::string text;
    for (const auto& [what, patterns] : {std::pair{"pool", &key.pools}, {"task", &key.tasks}}) {
        for (const std::string& one : *patterns) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, printable(one));
        }
    }
    return text.empty() ? "*" : text;
}

}  // namespace

std::string text_of(const KeysReply& reply, const Style& style) {
    if (reply.keys.empty()) {
        return "no keys\n";
    }
    Table table{{"NAME", "ROLE", "STATE", "FINGERPRINT", "UNTIL", "MAY CHANGE", "BY"}};
    for (const KeyView& key : in_natural_order(reply.keys, &KeyView::name)) {
        const std::string state =
            key.state + (key.rotation.empty() ? "" : ", new key: " + key.rotation);
        table.add({key.name, key.role, Cell{state, tone_of_key(key.state)}, key.fingerprint,
                   key.until == CivilMs{} ? "-" : civil_time(key.until),
                   key.role == "operator" || key.role == "admin" ? scope_of(key) : "-",
                   key.author});
    }
    return table.to_text(style);
}

std::string text_of(const TokensReply& reply, const Style& style) {
    if (reply.tokens.empty()) {
        return "no open tokens\n";
    }
    Table table{{"ID", "FOR", "USES LEFT", "UNTIL", "BY"}};
    for (const TokenView& token : reply.tokens) {
        table.add({token.id, token.pattern, std::to_string(token.uses), civil_time(token.until),
                   token.author});
    }
    return table.to_text(style);
}

std::string text_of(const SecretsReply& reply, const Style& style) {
    if (reply.secrets.empty()) {
        return "no secrets\n";
    }
    Table table{{"NAME", "VERSION", "SIZE", "SET", "BY"}};
    for (const SecretView& secret : in_natural_order(reply.secrets, &SecretView::name)) {
        table.add({secret.name, std::to_string(raw(secret.version)), size_text(secret.bytes),
                   civil_time(secret.since), secret.author});
    }
    return table.to_text(style);
}

std::string text_of(const EnrolReply& reply, const Style& /*style*/) {
    return fmt::format("{} is {}\n", printable(reply.name),
                       reply.pending ? "waiting for an admin" : "admitted");
}

}  // namespace muster::cli
