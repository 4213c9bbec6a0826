#include "common/text/template.hpp"

#include <algorithm>
#include <array>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"

namespace muster {

namespace {

constexpr std::array<std::string_view, 9> variables{
    "MUSTER_TASK",    "MUSTER_INSTANCE", "MUSTER_ORDINAL", "MUSTER_NODE", "MUSTER_GENERATION",
    "MUSTER_SECRETS", "MUSTER_TOKEN",    "node.name",      "node.pool"};
constexpr std::string_view label_prefix = "node.label.";
constexpr std::string_view opening = "${";
constexpr std::string_view escaped = "$${";

/// A piece of a text: literal, or the name of a variable.
struct Piece {
    std::string_view text;
    bool is_variable = false;
    bool is_closed = true;  ///< False: a variable without `}`; its name is the rest.
};

/// Splits the text from its front.
class Pieces {
public:
    explicit Pieces(std::string_view text) : rest_{text} {}

    [[nodiscard]] std::optional<Piece> next() {
        if (rest_.empty()) {
            return std::nullopt;
        }
        if (rest_.starts_with(escaped)) {
            rest_.remove_prefix(1);
            return Piece{take(opening.size())};
        }
        if (begins_with_variable(rest_)) {
            return variable();
        }
        return Piece{take(std::min(rest_.find('$', 1), rest_.size()))};
    }

private:
    std::string_view take(std::size_t bytes) {
        const auto front = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return front;
    }

    Piece variable() {
        rest_.remove_prefix(opening.size());
        const auto end = rest_.find('}');
        const bool is_closed = end != std::string_view::npos;
        const auto name = take(is_closed ? end : rest_.size());
        rest_.remove_prefix(is_closed ? 1 : 0);
        return Piece{name, true, is_closed};
    }

    std::string_view rest_;
};

std::string quoted(std::string_view name) {
    return "${" + std::string{name.substr(0, limits::name_bytes)} + '}';
}

std::optional<std::string> fault_of_variable(const Piece& piece) {
    const auto name = piece.text;
    if (!piece.is_closed) {
        return "has '${" + std::string{name.substr(0, limits::name_bytes)} +
               "' without its '}'; write $${ for these two characters themselves";
    }
    if (name.starts_with(label_prefix)) {
        const auto key = name.substr(label_prefix.size());
        if (is_valid_name(key)) {
            return std::nullopt;
        }
        return "names the variable '" + quoted(name) +
               "', in which KEY is not a name: " + std::string{name_rule()};
    }
    if (std::find(variables.begin(), variables.end(), name) != variables.end()) {
        return std::nullopt;
    }
    return "names the variable '" + quoted(name) + "', which does not exist; the variables are " +
           joined(variables, " ", quoted) + " ${node.label.KEY}, and $${ writes ${";
}

std::string without_value(std::string_view name) {
    if (name.starts_with(label_prefix)) {
        return quoted(name) + " has no value: this node has no label '" +
               std::string{name.substr(label_prefix.size())} +
               "'; give it to the node, or constrain the task to nodes that have it";
    }
    return quoted(name) + " has no value here";
}

}  // namespace

std::optional<std::string> fault_of_template(std::string_view text) {
    Pieces pieces{text};
    while (const auto piece = pieces.next()) {
        if (!piece->is_variable) {
            continue;
        }
        if (auto fault = fault_of_variable(*piece)) {
            return fault;
        }
    }
    return std::nullopt;
}

bool begins_with_variable(std::string_view text) {
    return text.starts_with("${MUSTER_") || text.starts_with("${node.");
}

Result<std::string> expand(std::string_view text, const TemplateValues& values) {
    std::string expanded;
    Pieces pieces{text};
    while (const auto piece = pieces.next()) {
        if (!piece->is_variable) {
            expanded += piece->text;
            continue;
        }
        if (const auto fault = fault_of_variable(*piece)) {
            return fail(Errc::invalid, in_quotes(text) + ' ' + *fault);
        }
        const auto value = values.find(piece->text);
        if (value == values.end()) {
            return fail(Errc::invalid, without_value(piece->text));
        }
        expanded += value->second;
    }
    return expanded;
}

}  // namespace muster
