#pragma once

#include <string_view>

#include "common/base/result.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"

/// JSON that muster's own programs write and never read.
namespace muster::codec {

[[nodiscard]] Result<CoordinatorMessage> coordinator_message_from_json(std::string_view text);
[[nodiscard]] Result<Reply> reply_from_json(std::string_view text);

}  // namespace muster::codec
