#include "coordinator/provider_keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "coordinator/core/pools/forecast/predictors.hpp"
#include "coordinator/core_options.hpp"

namespace muster::coordinator {
namespace {

using namespace std::string_view_literals;

// What a table is called, and the keys that it may have.
struct Kind {
    std::string_view table;
    std::string_view one;  ///< For messages.
    std::span<const std::string_view> keys;
    bool may_be_local = false;
};

constexpr std::array provider_keys{"command"sv, "deadline"sv, "kind"sv, "directory"sv,
                                   "arguments"sv};
constexpr Kind provider_kind{"providers", "provider", provider_keys, true};
constexpr Kind predictor_kind{"predictors", "predictor", std::span{provider_keys}.first(2)};

std::string path_of(const Kind& kind, std::string_view name) {
    return '[' + std::string{kind.table} + '.' + std::string{name} + ']';
}

/// Why the name cannot be one. Empty: it can.
std::string fault_of_name(const Kind& kind, std::string_view name) {
    const auto is = in_quotes(name) + " is no name of a " + std::string{kind.one} + ": ";
    if (!is_valid_name(name)) {
        return is + "a name " + std::string{name_rule()};
    }
    if (name == "none") {
        return is + "it means that a pool has none; choose another name";
    }
    if (value_named<PredictorKind>(name) || name == predictor_by_schedule) {
        return is + "it is the name of a predictor that is built in; choose another name";
    }
    return {};
}

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

/// The rule that a command breaks, as a sentence. Empty: none.
std::string fault_of_command(const std::vector<std::string>& command) {
    if (command.empty() || !command.front().starts_with('/')) {
        return "command begins with the absolute path of a program; write command = "
               "[\"/usr/local/bin/PROGRAM\"]";
    }
    std::size_t bytes = 0;
    for (const auto& word : command) {
        bytes += word.size();
    }
    if (command.size() > limits::argv_count || bytes > limits::spec_text_bytes) {
        return "command is too long; write at most " + std::to_string(limits::argv_count) +
               " words with " + std::to_string(limits::spec_text_bytes) + " bytes";
    }
    if (std::ranges::any_of(command, has_zero)) {
        return "command has a word with a zero byte, which no program can get; remove it";
    }
    return {};
}

/// Faults of a key are those of its line.
void fail_unless_empty(TomlFields& fields, const toml::source_region& where,
                       const std::string& fault) {
    if (!fault.empty()) {
        fields.fail_at(where, fault);
    }
}

void read_arguments(TomlFields& fields, const toml::table& table, ProviderOptions& into) {
    const auto* const node = table.get("arguments");
    fields.texts(node, "arguments", into.arguments);
    if (node == nullptr) {
        return;
    }
    if (into.kind != ProviderKind::local_process) {
        fields.fail_at(node->source(),
                       "arguments are for kind = \"local-process\" alone; give them to another "
                       "program as words of command");
    } else if (std::ranges::any_of(into.arguments, has_zero) ||
               into.arguments.size() > limits::argv_count) {
        fields.fail_at(node->source(), "arguments has a word with a zero byte, or more than " +
                                           std::to_string(limits::argv_count) + " words");
    }
}

void read_directory(TomlFields& fields, const toml::table& table, ProviderOptions& into) {
    const auto* const node = table.get("directory");
    fields.text(node, "directory", into.directory);
    if (node == nullptr) {
        return;
    }
    if (into.kind != ProviderKind::local_process) {
        fields.fail_at(node->source(),
                       "directory is for kind = \"local-process\" alone; give a program its "
                       "directory by a word of command");
    } else if (!into.directory.starts_with('/') || has_zero(into.directory)) {
        fields.fail_at(node->source(),
                       "directory is " + in_quotes(into.directory) + "; write an absolute path");
    }
}

ProviderOptions read_one(TomlFields& fields, const Kind& kind, std::string_view name,
                         const toml::table& table, const toml::source_region& where) {
    ProviderOptions one{.name = std::string{name}};
    const auto before = fields.fault_count();
    fields.known_keys(table, kind.keys, path_of(kind, name));
    if (kind.may_be_local) {
        if (const auto* const node = table.get("kind")) {
            fields.choice(node, "kind", one.kind);
        }
        read_directory(fields, table, one);
        read_arguments(fields, table, one);
    }
    const auto* const command = table.get("command");
    const bool has_fault = fields.fault_count() > before;  // The kind may be another one.
    fields.texts(command, "command", one.command);
    if (one.kind == ProviderKind::local_process) {
        fail_unless_empty(fields, command == nullptr ? where : command->source(),
                          command == nullptr ? ""
                                             : "command is not for kind = \"local-process\", "
                                               "which has its own program; remove one of them");
    } else if (command == nullptr && !has_fault) {
        fields.fail_at(where, path_of(kind, name) +
                                  " has no command; write command = [\"/usr/local/bin/PROGRAM\"]");
    } else if (fields.fault_count() == before) {
        fail_unless_empty(fields, command->source(), fault_of_command(one.command));
    }
    if (const auto* const node = table.get("deadline")) {
        const auto read = read_duration(*node, limits::program_deadline_least,
                                        limits::program_deadline_most, one.deadline);
        fail_unless_empty(fields, node->source(), read ? "" : "deadline " + read.error().detail);
    }
    return one;
}

/// Those of this kind, besides `others`.
std::vector<ProviderOptions> read_all(TomlFields& fields, const Kind& kind, const toml::table& file,
                                      std::size_t others) {
    std::vector<ProviderOptions> all;
    const auto* const table = fields.table(file, kind.table);
    if (table == nullptr) {
        return all;
    }
    std::set<std::string> directories;  // Of local processes.
    for (const auto& [key, value] : *table) {
        const std::string_view name = key.str();
        const auto* const inner = value.as_table();
        if (const auto fault = fault_of_name(kind, name); !fault.empty()) {
            fields.fail_at(key.source(), fault);
        } else if (inner == nullptr) {
            fields.fail_at(key.source(), std::string{name} + " is a table: write " +
                                             path_of(kind, name) + " and its keys below");
        } else if (all.size() + others == limits::providers) {
            fields.fail_at(key.source(), "there are more than " +
                                             std::to_string(limits::providers) +
                                             " providers and predictors; remove some");
            break;
        } else {
            const auto& one = all.emplace_back(read_one(fields, kind, name, *inner, key.source()));
            if (one.kind == ProviderKind::local_process &&
                !directories.insert(one.directory).second) {
                fields.fail_at(key.source(),
                               path_of(kind, name) +
                                   " has the directory of another provider, and each would list "
                                   "the nodes of both; write directory = \"/ANOTHER/PATH\"");
            }
        }
    }
    return all;
}

std::vector<std::string> names_of(const std::vector<ProviderOptions>& all) {
    std::vector<std::string> names;
    std::ranges::transform(all, std::back_inserter(names), &ProviderOptions::name);
    std::ranges::sort(names);
    return names;
}

}  // namespace

void read_outside(TomlFields& fields, const toml::table& file, OutsideOptions& into,
                  CoordinatorOptions& core) {
    into.providers = read_all(fields, provider_kind, file, 0);
    into.predictors = read_all(fields, predictor_kind, file, into.providers.size());
    core.providers = names_of(into.providers);
    core.predictors = names_of(into.predictors);
}

}  // namespace muster::coordinator
