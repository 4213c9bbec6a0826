#include "coordinator/shell_requests.hpp"

#include <string>

#include "common/codec/codec.hpp"
#include "common/log/log.hpp"

namespace muster::coordinator {

std::optional<Result<ReplyBody>> answer_in_shell(const RequestBody& request) {
    if (std::holds_alternative<HelpRequest>(request)) {
        return Result<ReplyBody>{codec::verbs()};
    }
    if (const auto* const change = std::get_if<LogLevelRequest>(&request)) {
        const auto level = log::parse_level(change->level);
        if (!level) {
            return Result<ReplyBody>{tl::unexpected{level.error()}};
        }
        log::set_level(*level);
        return Result<ReplyBody>{LogLevelReply{.level = std::string{log::to_string(*level)}}};
    }
    return std::nullopt;
}

}  // namespace muster::coordinator
