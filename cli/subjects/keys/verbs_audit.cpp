#include <string>
#include <variant>

#include "cli/subjects/verbs.hpp"
#include "common/codec/codec.hpp"

namespace muster::cli {

ExitCode run_audit_export(Console& console) {
    for (AuditShowRequest request{.since = 0};;) {
        const auto answer = console.ask(request);
        if (!answer) {
            return console.fail_with(answer.error());
        }
        const auto* const reply = std::get_if<AuditReply>(&*answer);
        if (reply == nullptr || reply->rows.empty()) {
            return ExitCode::ok;
        }
        std::string lines;
        for (const AuditView& row : reply->rows) {
            lines += codec::to_json(row) + '\n';
        }
        if (const auto written = deliver(lines); written != ExitCode::ok) {
            return written;
        }
        request.since = reply->rows.back().number;
    }
}

}  // namespace muster::cli
