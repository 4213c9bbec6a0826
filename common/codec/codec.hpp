#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"

/// Bytes to messages and back: the only user of msgpack. Frame 0 is the protocol, frame 1 the
/// message. Every length, count and depth is checked against common/base/limits.hpp before anything
/// is allocated for it. Unknown keys of maps are ignored; missing ones are an error unless
/// docs/reference/protocol.md gives a default.
namespace muster::codec {

inline constexpr std::uint8_t protocol_version = 1;

/// Frame 0 of all messages that we send: `MUSTER` and the major version.
[[nodiscard]] std::string_view version_frame();
/// `unsupported_version` names the versions we speak.
[[nodiscard]] Result<void> check_version(std::string_view frame);

/// Frame 1. `into` is overwritten; its memory is used again, so a steady poll allocates nothing.
void encode(const AgentMessage& message, std::string& into);
void encode(const CoordinatorMessage& message, std::string& into);
void encode(const Poll& poll, std::string& into);
[[nodiscard]] Result<void> decode(std::string_view frame, AgentMessage& into);
[[nodiscard]] Result<void> decode(std::string_view frame, CoordinatorMessage& into);

/// Requests and replies. They may exceed a frame: see chunking.hpp.
void encode(const Request& request, std::string& into);
void encode(const CoreRequest& request, std::string& into);
void encode(const Reply& reply, std::string& into);
[[nodiscard]] Result<Request> decode_request(std::string_view frame);
/// A reply with `ok: false` is a Reply whose result is the error; malformed bytes are an error of
/// decode_reply.
[[nodiscard]] Result<Reply> decode_reply(std::string_view frame);

/// The JSON twins: the same fields under the same names; ids as hexadecimal text, names of enums.
[[nodiscard]] std::string to_json(const AgentMessage& message);
[[nodiscard]] std::string to_json(const CoordinatorMessage& message);
[[nodiscard]] std::string to_json(const Request& request);
[[nodiscard]] std::string to_json(const CoreRequest& request);
[[nodiscard]] std::string to_json(const Reply& reply);
[[nodiscard]] std::string to_json(const Event& event);
[[nodiscard]] std::string to_json(const AuditView& row);
[[nodiscard]] std::string to_json(const ReplyBody& body);  ///< The CLI's `-o json`.
[[nodiscard]] Result<AgentMessage> agent_message_from_json(std::string_view text);
[[nodiscard]] Result<Request> request_from_json(std::string_view text);
[[nodiscard]] Result<Event> event_from_json(std::string_view text);

/// A one-line request typed by hand: `status`, `node show n1`, `task scale web 4`. A trailing
/// newline is tolerated. `unknown_verb` lists similar verbs.
[[nodiscard]] Result<Request> request_from_text(std::string_view line);

/// The request of a verb and the words after it. Nothing: it is not a verb. An error: the words do
/// not fit.
[[nodiscard]] std::optional<Result<Request>> request_from_words(
    std::string_view verb, std::span<const std::string_view> words);

/// Every verb with usage, summary and an example that works, in the order of `muster help`.
[[nodiscard]] const HelpReply& verbs();
/// The verb of a request, for example `task scale`.
[[nodiscard]] std::string_view verb_of(const RequestBody& body);
/// True when the request changes the wanted state, so that its id matters.
[[nodiscard]] bool is_change(const RequestBody& body);

}  // namespace muster::codec
