#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

/// Texts of a task with variables that the agent replaces.
///
///     ${MUSTER_TASK} ${MUSTER_INSTANCE} ${MUSTER_ORDINAL} ${MUSTER_GENERATION}   web web.0 0 7
///     ${MUSTER_NODE} ${node.name} ${node.pool} ${node.label.KEY}                 of the node
///     ${MUSTER_SECRETS}               the directory with the secrets of the instance
///     ${MUSTER_TOKEN}                 of an exclusive one: above that of all earlier starts
///
/// Only `${MUSTER_` and `${node.` begin a variable of ours. Others, such as ${HOME}, are left to
/// the program or its shell. `$${` writes `${` and begins no variable. Inserted values are not
/// scanned again.
namespace muster {

/// The values of variables, by name: `MUSTER_TASK`, `node.label.rack`.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// The fault of a text, `names ...; ...`: a variable that no agent knows.
[[nodiscard]] std::optional<std::string> fault_of_template(std::string_view text);

/// True if the text begins with a variable of ours, so that only the agent knows its real
/// beginning.
[[nodiscard]] bool begins_with_variable(std::string_view text);

/// The text with its variables replaced. An error names the variable that has no value here, such
/// as a label that the node lacks.
[[nodiscard]] Result<std::string> expand(std::string_view text, const TemplateValues& values);

}  // namespace muster
