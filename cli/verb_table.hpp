#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/codec/verb_table.hpp"

/// The verbs of `muster`: the entries of the coordinator's table of verbs, and the facts that only
/// the command knows. Command line, help and completion of both shells are made from this table, so
/// they cannot disagree.
namespace muster::cli {

enum class Verb : std::uint8_t {
    apply,
    plan,
    status,
    stats,
    node_list,
    node_show,
    node_offline,
    node_online,
    node_drain,
    node_forgive,
    node_add,
    node_remove,
    node_apply,
    task_list,
    task_show,
    task_add,
    task_remove,
    task_scale,
    task_restart,
    task_signal,
    group_list,
    group_show,
    demand_set,
    demand_list,
    pool_list,
    pool_forecast,
    pool_show,
    pool_members,
    pool_create,
    pool_set,
    pool_remove,
    pool_pause,
    pool_resume,
    wait,
    events,
    logs,
    top,
    explain_instance,
    explain_task,
    explain_node,
    explain_pool,
    explain,
    rebalance,
    round_now,
    store_accept,
    store_export,
    store_import,
    store_check,
    store_migrate,
    store_backup,
    freeze_on,
    freeze_off,
    freeze_show,
    limit_list,
    limit_set,
    key_list,
    key_add,
    key_revoke,
    key_remove,
    key_rotate,
    node_accept,
    token_create,
    token_list,
    token_revoke,
    secret_set,
    secret_list,
    secret_remove,
    audit_show,
    audit_verify,
    audit_export,
    init,
    context_add,
    context_use,
    context_list,
    signer_create,
    doctor,
    bundle,
    coordinator_list,
    coordinator_resign,
    upgrade_finish,
    log_level,
    ping,
    help,
    completion,
    version,
};

/// How a verb is run.
enum class Run : std::uint8_t {
    local,   ///< Without a coordinator.
    store,   ///< By muster-coordinator, on the store itself.
    read,    ///< Requested once, or repeatedly with --watch.
    change,  ///< Sent once.
    wait,
    events,
    logs,
    top,
    drain,   ///< Sent once; with --watch, followed until it is done.
    resign,  ///< Sent once, and followed until another leads.
    doctor,  ///< Asks for many things.
    bundle,
    rotate,    ///< Sent once, or makes a key of this user.
    token,     ///< Sent once, with a secret that is made here.
    all_rows,  ///< Requested page by page, to the end.
};

/// The kinds of words on the command line, for completion.
enum class Words : std::uint8_t {
    anything,
    file,
    node,
    task,
    verb,
    level,
    format,
    shell,
    policy,
    reconcile,
    limit,
    place,
};

struct OptionEntry {
    std::string_view name;   ///< With its dashes: `--file`.
    char letter = '\0';      ///< `f` for `-f`; none if 0.
    std::string_view value;  ///< The name of its value; a flag has none.
    std::string_view summary;
    Words words = Words::anything;
};

/// A verb that is a request has its texts from common/codec/verb_table.hpp, unless the command does
/// more than the request or has options in place of arguments.
struct VerbEntry {
    Verb verb{};
    Run run{};
    std::string_view words;                  ///< One or two: `task scale`.
    std::string_view arguments;              ///< As in the usage: `PATTERN N`.
    Words argument_words = Words::anything;  ///< The kind of the first argument.
    std::span<const OptionEntry> options;
    std::string_view summary;
    std::string_view example;           ///< After `muster `.
    std::optional<codec::Area> area{};  ///< None: it is about this program.

    /// How many arguments it takes.
    [[nodiscard]] codec::WordCount count() const { return codec::count_words(arguments); }
};

/// The example as it is typed.
[[nodiscard]] std::string example_of(const VerbEntry& entry);

/// In the order of `muster help`.
[[nodiscard]] std::span<const VerbEntry> verb_table();
[[nodiscard]] const VerbEntry& entry_of(Verb verb);
/// Options of all verbs.
[[nodiscard]] std::span<const OptionEntry> common_options();

/// The option of this verb, or of all verbs, by its name or its letter (`--file`, `-f`).
[[nodiscard]] std::optional<OptionEntry> find_option(const VerbEntry& entry, std::string_view text);

/// The fixed choices of a place, separated by spaces; empty if there are none.
[[nodiscard]] std::string_view choices(Words words);

}  // namespace muster::cli
