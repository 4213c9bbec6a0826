#include "coordinator/requests/shell_requests.hpp"

#include <string>
#include <variant>

#include "common/base/ensure.hpp"
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
    const auto answer_one = [](const auto& body) -> Result<ReplyBody> {
        if constexpr (requires { answer(body); }) {
            return answer(body);
        }
        ensure(false, "other requests are answered by the server");
        return ReplyBody{};
    };
    return std::visit(answer_one, request);
}

}  // namespace muster::coordinator
