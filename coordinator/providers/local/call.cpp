#include "coordinator/providers/local/call.hpp"

#include <nlohmann/json.hpp>

#include "common/base/ids.hpp"
#include "common/base/number.hpp"

namespace muster::local_provider {
namespace {

using Json = nlohmann::json;

// A request for more is a mistake: each node is a process on this host.
constexpr std::uint32_t most_nodes = 1000;

constexpr std::string_view usage =
    "the command line must end with 'list', 'provision N' or 'remove ID'";

tl::unexpected<Error> bad_input(const std::string& what) {
    return fail(Errc::invalid,
                "standard input " + what +
                    R"(; it must be like {"cluster": "c1", "pool": "web", "request": "7-12"})");
}

Result<std::string> text_in(const Json& object, const char* key, bool is_name) {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_string()) {
        return bad_input(std::string{"has no text '"} + key + "'");
    }
    auto text = at->get<std::string>();
    if (is_name && !is_valid_name(text)) {
        return bad_input(std::string{"has the "} + key + ' ' + in_quotes(text) + ", but " +
                         std::string{name_rule()});
    }
    return text;
}

}  // namespace

Result<VerbAtEnd> verb_in(int argc, const char* const* argv) {
    const auto word = [&](int from_end) {
        return argc > from_end ? std::string_view{argv[argc - from_end]} : std::string_view{};
    };
    if (word(1) == "list") {
        return VerbAtEnd{List{}, 1};
    }
    if (word(2) == "provision") {
        const auto count = number_in<std::uint32_t>(word(1));
        if (!count || *count == 0 || *count > most_nodes) {
            return fail(Errc::invalid, "provision takes a number from 1 to " +
                                           std::to_string(most_nodes) + ", not " +
                                           in_quotes(word(1)));
        }
        return VerbAtEnd{Provision{*count}, 2};
    }
    if (word(2) == "remove") {
        // An id is the name of a directory here, so it must be no path.
        if (!is_valid_name(word(1))) {
            return fail(Errc::invalid, "remove takes the id of a node as 'list' shows it, not " +
                                           in_quotes(word(1)));
        }
        return VerbAtEnd{Remove{std::string{word(1)}}, 2};
    }
    return fail(Errc::invalid, std::string{usage});
}

Result<Subject> subject_in(const std::string& json, const Verb& verb) {
    const Json object = Json::parse(json, nullptr, false);
    if (!object.is_object()) {
        return bad_input("is not a JSON object");
    }
    Subject subject;
    const auto read = [&](const char* key, bool is_name, std::string& into) -> Result<void> {
        return text_in(object, key, is_name).map([&](std::string text) { into = std::move(text); });
    };
    auto done = read("cluster", false, subject.cluster);
    if (done && subject.cluster.empty()) {
        done = bad_input("has an empty 'cluster'");
    }
    if (done && !std::holds_alternative<List>(verb)) {
        done = read("pool", true, subject.pool);
    }
    if (done && std::holds_alternative<Provision>(verb)) {
        done = read("request", true, subject.request);
    }
    return done.map([&] { return subject; });
}

std::string listed(const std::vector<NodeRecord>& nodes) {
    Json rows = Json::array();
    for (const NodeRecord& node : nodes) {
        rows.push_back({{"id", node.node},
                        {"node", node.node},
                        {"pool", node.pool},
                        {"request", node.request}});
    }
    return Json{{"nodes", std::move(rows)}}.dump();
}

std::string granted(std::uint32_t count) { return Json{{"granted", count}}.dump(); }

std::string removed() { return Json::object().dump(); }

}  // namespace muster::local_provider
