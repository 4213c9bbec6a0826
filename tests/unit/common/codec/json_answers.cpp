#include "tests/unit/common/codec/json_answers.hpp"

#include <utility>

#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/codec/json/typed.hpp"
#include "common/codec/verb_table.hpp"

namespace muster::codec {

Result<CoordinatorMessage> coordinator_message_from_json(std::string_view text) {
    return typed_from_json<CoordinatorMessage>(text);
}

Result<Reply> reply_from_json(std::string_view text) {
    const auto tree = parse_json(text, limits::upload_bytes);
    if (!tree) {
        return tl::unexpected{tree.error()};
    }
    ReplyEnvelope envelope;
    Result<void> result = read_object(*tree, envelope, "reply");
    if (!result) {
        return tl::unexpected{result.error()};
    }
    Reply reply{envelope.id, ReplyBody{}};
    if (!envelope.ok) {
        ErrorBody body;
        result = read_object(*tree, body, "reply");
        reply.result = tl::unexpected{body.error};
    } else {
        const bool known = Alternatives<ReplyBody::Base>::with_tag(envelope.kind, [&]<class T>() {
            result = read_object(*tree, reply.result->emplace<T>(), tag<T>);
        });
        result = known ? result : fail(Errc::malformed, "reply: its kind is unknown here");
    }
    return result.map([&] { return std::move(reply); });
}

}  // namespace muster::codec
