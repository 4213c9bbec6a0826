#include "coordinator/shell_requests.hpp"

#include <string>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/log/log.hpp"

namespace muster::coordinator {

namespace {

Result<ReplyBody> answer(const HelpRequest& /*request*/) { return codec::verbs(); }

Result<ReplyBody> answer(const LogLevelRequest& request) {
    const auto level = log::parse_level(request.level);
    if (!level) {
        return tl::unexpected{level.error()};
    }
    log::set_level(*level);
    return LogLevelReply{.level = std::string{log::to_string(*level)}};
}

}  // namespace

Result<ReplyBody> answer_in_shell(const ShellRequest& request) {
    return std::visit([](const auto& body) { return answer(body); }, request);
}

}  // namespace muster::coordinator
