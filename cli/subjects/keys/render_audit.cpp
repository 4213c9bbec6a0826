#include <string>

#include <fmt/format.h>

#include "cli/screen/table.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"

namespace muster::cli {

std::string text_of(const AuditReply& reply, const Style& style) {
    if (reply.rows.empty()) {
        return "no rows\n";
    }
    Table table{{"NUMBER", "TIME", "WHO", "ACTION", "RESULT", "DETAIL"}};
    for (const AuditView& row : reply.rows) {
        const std::string& who = row.actor.empty() ? row.fingerprint : row.actor;
        table.add({std::to_string(row.number), civil_time(row.at), who, row.action,
                   Cell{row.result, row.result == "accepted" ? Tone::good : Tone::attention},
                   row.detail});
    }
    return table.to_text(style);
}

std::string text_of(const AuditVerifyReply& reply, const Style& /*style*/) {
    const std::string without_key =
        reply.keyed ? ""
                    : "the cluster has no key, so this shows accidents only: whoever can write to "
                      "the store can make rows that fit\n";
    if (!reply.fault.empty()) {
        return fmt::format("the audit is not whole: {}\n{}", printable(reply.fault), without_key);
    }
    if (reply.rows == 0) {
        return "the audit is whole: it has no rows yet\n" + without_key;
    }
    return fmt::format("the audit is whole: rows {} to {}\n{}", reply.first, reply.last,
                       without_key);
}

}  // namespace muster::cli
