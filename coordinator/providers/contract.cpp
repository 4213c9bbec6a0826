#include "coordinator/providers/contract.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "common/base/limits.hpp"
#include "common/base/names.hpp"
#include "common/base/result.hpp"
#include "common/codec/json/reader.hpp"
#include "common/codec/json/writer.hpp"
#include "common/text/utf8.hpp"

namespace muster::coordinator {
namespace {

using codec::JsonTree;
using codec::ParsedJson;
using KeyNames = std::span<const std::string_view>;

/// An id is an argument of a later call, so it must not look like an option.
bool is_provider_id(std::string_view id) {
    return !id.empty() && id.front() != '-' &&
           std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7f; });
}

/// Reads the values of one object. The first fault is kept.
class Answer {
public:
    Answer(const ParsedJson& object, std::string_view what, KeyNames keys) : object_{object} {
        cursor_.stand_at(object);
        if (!cursor_.is_object(what, limits::map_fields)) {
            return;
        }
        for (const auto& [key, value] : object.items()) {
            if (std::ranges::find(keys, key) == keys.end()) {
                cursor_.fail(Errc::malformed, what,
                             "has the unknown key " + in_quotes(key) + "; the keys are " +
                                 (keys.empty() ? "none" : joined(keys, ", ")));
            }
        }
    }

    [[nodiscard]] bool has(std::string_view key) const {
        return object_.is_object() && object_.find(std::string{key}) != object_.end();
    }
    std::uint64_t number(std::string_view key, std::uint64_t most) {
        return stands_at(key) ? cursor_.number(key, most) : 0;
    }
    std::string id(std::string_view key) {
        std::string read{text(key, limits::provider_id_bytes)};
        if (!is_provider_id(read)) {
            cursor_.fail(Errc::invalid, key,
                         "is " + in_quotes(read) + ", but an id is 1 to " +
                             std::to_string(limits::provider_id_bytes) +
                             " visible ASCII characters, the first of them no '-'");
        }
        return read;
    }
    std::string name(std::string_view key) {
        std::string read{text(key, limits::name_bytes)};
        if (!is_valid_name(read)) {
            cursor_.fail(Errc::invalid, key,
                         "is " + in_quotes(read) + ", but a name " + std::string{name_rule()});
        }
        return read;
    }
    /// Null: there is none, which is a fault.
    const ParsedJson* list(std::string_view key, std::size_t most) {
        return stands_at(key) && cursor_.is_list(key, most) ? &cursor_.tree() : nullptr;
    }
    [[nodiscard]] Result<void> finish(std::string_view what) { return cursor_.finish(what); }

private:
    bool stands_at(std::string_view key) {
        if (!has(key)) {
            cursor_.fail(Errc::malformed, key, "is missing");
            return false;
        }
        cursor_.stand_at(*object_.find(std::string{key}));
        return true;
    }
    std::string_view text(std::string_view key, std::size_t most) {
        return stands_at(key) ? cursor_.text(key, most) : std::string_view{};
    }

    const ParsedJson& object_;
    codec::JsonCursor cursor_;
};

Result<ProvidedNode> read_node(const ParsedJson& tree, std::string_view what) {
    constexpr std::array<std::string_view, 4> keys{"id", "node", "pool", "request"};
    Answer from{tree, "it", keys};
    ProvidedNode node{.id = from.id("id"), .node = {}, .pool = from.name("pool")};
    node.node = from.name(from.has("node") ? "node" : "id");
    if (from.has("request")) {
        node.request = from.name("request");
    }
    return from.finish(what).map([&] { return std::move(node); });
}

tl::unexpected<Error> twice(std::string_view key, const std::string& value) {
    return fail(Errc::invalid, "two nodes have the " + std::string{key} + ' ' + in_quotes(value));
}

Result<NodesListed> read_nodes(const ParsedJson& list) {
    NodesListed listed;
    std::set<std::string_view> ids;
    std::set<std::string_view> names;
    listed.nodes.reserve(list.size());  // The sets look at its elements.
    for (const auto& tree : list) {
        auto node = read_node(tree, "nodes[" + std::to_string(listed.nodes.size()) + ']');
        if (!node) {
            return tl::unexpected{node.error()};
        }
        const auto& added = listed.nodes.emplace_back(*std::move(node));
        if (!ids.insert(added.id).second) {
            return twice("id", added.id);
        }
        if (!names.insert(added.node).second) {
            return twice("node", added.node);
        }
    }
    return listed;
}

/// What one kind of call says, reads and answers.
struct Contract {
    std::vector<std::string> arguments;
    JsonTree input;       ///< Besides the cluster.
    std::string example;  ///< Of an answer.
};

Contract contract_of(const ListNodes& /*call*/) {
    return {{"list"},
            JsonTree::object(),
            R"({"nodes": [{"id": "i-1", "node": "web-1", "pool": "web", "request": "7-12"}]})"};
}
Contract contract_of(const ProvisionNodes& call) {
    const auto count = std::to_string(call.count);
    return {{"provision", count},
            {{"pool", call.pool}, {"request", call.request}, {"count", call.count}},
            R"({"granted": )" + count + "}, or less"};
}
Contract contract_of(const RemoveNode& call) {
    return {{"remove", call.id}, {{"pool", call.pool}, {"id", call.id}}, "{}"};
}
Contract contract_of(const PredictNeed& call) {
    JsonTree recent = JsonTree::array();
    for (const auto& sample : call.recent) {
        recent.push_back({{"at", static_cast<std::int64_t>(sample.at)}, {"need", sample.need}});
    }
    return {{"predict"}, {{"pool", call.pool}, {"recent", recent}}, R"({"amount": 400})"};
}

Contract contract_of(const OutsideCall& call) {
    return std::visit([](const auto& what) { return contract_of(what); }, call.what);
}

Result<OutsideResult> read_answer(const ListNodes& /*call*/, const ParsedJson& tree) {
    constexpr std::array<std::string_view, 1> keys{"nodes"};
    Answer from{tree, "the answer", keys};
    const auto* const list = from.list("nodes", limits::nodes);
    return from.finish("the answer").and_then([&]() -> Result<OutsideResult> {
        return read_nodes(*list).map([](NodesListed&& nodes) { return OutsideResult{nodes}; });
    });
}
Result<OutsideResult> read_answer(const ProvisionNodes& call, const ParsedJson& tree) {
    constexpr std::array<std::string_view, 1> keys{"granted"};
    Answer from{tree, "the answer", keys};
    const auto granted = from.number("granted", call.count);
    return from.finish("the answer").map([&] {
        return OutsideResult{NodesGranted{static_cast<std::uint32_t>(granted)}};
    });
}
Result<OutsideResult> read_answer(const RemoveNode& /*call*/, const ParsedJson& tree) {
    Answer from{tree, "the answer", {}};
    return from.finish("the answer").map([] { return OutsideResult{NodeRemoved{}}; });
}
Result<OutsideResult> read_answer(const PredictNeed& /*call*/, const ParsedJson& tree) {
    constexpr std::array<std::string_view, 1> keys{"amount"};
    Answer from{tree, "the answer", keys};
    const auto amount = from.number("amount", most_amount);
    return from.finish("the answer").map([&] { return OutsideResult{NeedPredicted{amount}}; });
}

/// The last line that has any text, printable and cut. Empty: none has.
std::string reason_in(std::string_view errors) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const auto text = trimmed(errors, blanks);
    const auto line = trimmed(text.substr(text.rfind('\n') + 1), blanks);
    return printable(cut(line, limits::detail_bytes));
}

std::string describe_end(const ProgramEnd& end) {
    const auto reason = reason_in(end.errors);
    const auto after = reason.empty() ? "without a reason; the last line of its standard error is "
                                        "to be the reason"
                                      : "with: " + reason;
    if (end.exit_signal != 0) {
        return "was ended by signal " + std::to_string(end.exit_signal) + ' ' + after;
    }
    return "failed " +
           (end.exit_code < 0 ? std::string{}
                              : "(exit status " + std::to_string(end.exit_code) + ") ") +
           after;
}

}  // namespace

std::vector<std::string> arguments_of(const OutsideCall& call) {
    return contract_of(call).arguments;
}

std::string input_of(const ClusterId& cluster, const OutsideCall& call) {
    JsonTree input{{"cluster", to_string(cluster)}};
    input.update(contract_of(call).input);
    return codec::text_of(input) + '\n';
}

OutsideResult result_of(const OutsideCall& call, const ProgramEnd& end) {
    if (end.exit_code != 0) {
        return failure_of(call, describe_end(end));
    }
    const auto read =
        codec::parse_json(end.output, limits::program_output_bytes)
            .and_then([&](const ParsedJson& tree) {
                return std::visit([&](const auto& what) { return read_answer(what, tree); },
                                  call.what);
            });
    if (!read) {
        const auto why =
            trimmed(end.output, " \t\r\n").empty() ? "it printed nothing" : read.error().detail;
        return failure_of(call, "was answered wrongly: " + printable(why) +
                                    "; what is right is one JSON object on standard output, as " +
                                    contract_of(call).example);
    }
    return *read;
}

CallFailed failure_of(const OutsideCall& call, std::string_view what) {
    const bool predicts = std::holds_alternative<PredictNeed>(call.what);
    return {(predicts ? "predictor " : "provider ") + call.to + ": " +
            printable(joined(arguments_of(call), " ")) + ' ' + std::string{what}};
}

}  // namespace muster::coordinator
