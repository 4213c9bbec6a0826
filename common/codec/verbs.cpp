#include <variant>

#include "common/codec/codec.hpp"
#include "common/codec/verb_table.hpp"
#include "common/text/suggestions.hpp"

namespace muster::codec {

const HelpReply& verbs() {
    static const HelpReply all = [] {
        HelpReply made;
        for (const Verb& verb : verb_rows) {
            made.verbs.push_back({.verb = std::string{verb.name},
                                  .usage = usage_of(verb),
                                  .summary = std::string{verb.summary},
                                  .example = std::string{verb.example}});
        }
        return made;
    }();
    return all;
}

std::string usage_of(const Verb& verb) {
    std::string usage{verb.usage};
    if (verb.is_json()) {
        return usage;
    }
    return std::string{verb.name} + (usage.empty() ? "" : " ") + usage;
}

std::string_view verb_of(const RequestBody& body) {
    return std::visit([]<class T>(const T&) { return tag<T>; }, body);
}

bool is_change(const RequestBody& body) {
    const auto changes = []<class Request>(const Request& request) {
        if constexpr (requires { request.dry_run; }) {
            if (request.dry_run) {
                return false;
            }
        }
        return verb_row<Request>().access == Access::change;
    };
    return std::visit(changes, body);
}

tl::unexpected<Error> unknown_verb(std::string_view verb) {
    const auto near = suggestions({verb, verb.substr(0, verb.find(' '))}, verb_rows, &Verb::name);
    std::string detail = "there is no verb " + in_quotes(verb) + "; ";
    for (std::size_t i = 0; i < near.size(); ++i) {
        detail += (i == 0 ? "did you mean '" : " or '") + std::string{near[i]} + "'";
    }
    return fail(Errc::unknown_verb, detail + (near.empty() ? "" : "? ") + "'help' lists the verbs");
}

}  // namespace muster::codec
