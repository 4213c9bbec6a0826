#include <string>

#include <fmt/format.h>

#include "cli/screen/table.hpp"
#include "cli/subjects/render.hpp"
#include "common/base/ids.hpp"

namespace muster::cli {

std::string text_of(const CoordinatorsReply& reply, const Style& style) {
    if (reply.rows.empty()) {
        return "no coordinator is known: etcd has not been read yet, or does not answer\n";
    }
    Table table{
        {"HOST", "ROLE", "EPOCH", "APPLIED", "LAG", "AGENTS", "OPERATORS", "VERSION", "SCHEMA"}};
    for (const CoordinatorView& row : reply.rows) {
        constexpr std::uint64_t noticeable_ms = 2'000;
        table.add({row.name, row.role, std::to_string(raw(row.epoch)),
                   row.applied == 0 ? "-" : std::to_string(row.applied),
                   Cell{fmt::format("{} s", (row.lag_ms + 500) / 1'000),
                        row.lag_ms < noticeable_ms ? Tone::good : Tone::attention},
                   std::to_string(row.agents), row.operators, row.version,
                   row.schema == 0 ? "-" : std::to_string(row.schema)});
    }
    return table.to_text(style);
}

std::string text_of(const UpgradeReply& reply, const Style& /*style*/) {
    if (reply.before == reply.after) {
        return fmt::format("the store has schema {} already, the newest that is known\n",
                           reply.after);
    }
    return reply.dry_run
               ? fmt::format("the store would get schema {} instead of {}\n", reply.after,
                             reply.before)
               : fmt::format(
                     "the store has schema {} now instead of {}; older coordinators cannot "
                     "use it any more\n",
                     reply.after, reply.before);
}

}  // namespace muster::cli
