#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/ensure.hpp"
#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/net/accept/frame_guard.hpp"
#include "common/text/utf8.hpp"
#include "coordinator/http/text.hpp"
#include "coordinator/providers/contract.hpp"
#include "tests/fuzz/targets.hpp"

// Bytes from any peer, before the message library reads them, to the HTTP server, and of programs.
namespace muster::fuzz {
namespace {

/// The number of bytes that were admitted; nothing: the connection was ended.
std::optional<std::size_t> let_through(net::FrameGuard& guard, std::string_view bytes) {
    const std::size_t all = bytes.size();
    while (!bytes.empty()) {
        // A piece whose size is known is read without a look.
        const auto piece = guard.next_piece();
        const auto now = piece > 0 ? bytes.substr(0, piece) : bytes;
        const auto admitted = guard.admit(now);
        if (!admitted) {
            return std::nullopt;
        }
        ensure(*admitted > 0 && *admitted <= now.size(), "something of what came is let through");
        ensure(piece == 0 || *admitted == now.size(), "a known piece is let through whole");
        bytes.remove_prefix(*admitted);
    }
    return all;
}

}  // namespace

// The result does not depend on how the bytes of a connection are split.
void fuzz_zmtp_guard(std::string_view input) {
    net::FrameGuard whole;
    net::FrameGuard in_bytes;
    net::FrameGuard in_chunks;
    const bool is_sound = let_through(whole, input).has_value();
    bool by_bytes = true;
    for (std::size_t at = 0; at < input.size() && by_bytes; ++at) {
        by_bytes = let_through(in_bytes, input.substr(at, 1)).has_value();
    }
    bool by_chunks = true;
    std::size_t length = 1;
    for (std::size_t at = 0; at < input.size() && by_chunks; at += length) {
        length = 1 + static_cast<std::uint8_t>(input[at]) % 64;
        by_chunks = let_through(in_chunks, input.substr(at, length)).has_value();
    }
    ensure(by_bytes == is_sound && by_chunks == is_sound, "pieces make no difference");
    ensure(!is_sound || whole.unchecked() == in_bytes.unchecked(), "nor in what comes next");
    const auto arrived = whole.take_arrived();
    const auto by_byte = in_bytes.take_arrived();
    ensure(!is_sound || (arrived.frames == by_byte.frames && arrived.bytes == by_byte.bytes),
           "nor in what is counted");
}

void fuzz_http(std::string_view input) {
    const auto request = coordinator::parse_http(input);
    if (request) {
        ensure(request->path.starts_with('/'), "a path begins with a slash");
        ensure(request->path.find_first_of("\r\n?") == std::string_view::npos,
               "a path is part of one line");
    }
    const coordinator::HttpAnswer answer =
        request ? coordinator::HttpAnswer{.body = "sound\n"} : request.error();
    const auto text = text_of(answer, request && request->head_only);
    ensure(text.starts_with("HTTP/1.1 ") && text.find("\r\n\r\n") != std::string::npos,
           "an answer has a head");
    ensure(text.substr(9, 4) != "200 " || request.has_value(),
           "a refused request gets an error status");
}

// The first byte chooses the call, and the second one the exit status.
void fuzz_provider_answer(std::string_view input) {
    using namespace coordinator;
    const OutsideCall calls[] = {{1, "cloud", ListNodes{}},
                                 {2, "cloud", ProvisionNodes{"web", "7-12", 3}},
                                 {3, "cloud", RemoveNode{"web", "i-1"}},
                                 {4, "ml", PredictNeed{"web", {}}}};
    if (input.size() < 2) {
        return;
    }
    const auto& call = calls[static_cast<std::uint8_t>(input[0]) % std::size(calls)];
    const std::string text{input.substr(2)};
    const auto result =
        result_of(call, {.exit_code = input[1] == '0' ? 0 : 1, .output = text, .errors = text});
    if (const auto* const failed = std::get_if<CallFailed>(&result)) {
        ensure(failed->why.size() <= limits::sentence_bytes, "a failure is a sentence");
        ensure(printable(failed->why) == failed->why, "no terminal obeys it");
    } else if (const auto* const listed = std::get_if<NodesListed>(&result)) {
        for (const auto& node : listed->nodes) {
            ensure(is_valid_name(node.node) && is_valid_name(node.pool), "names obey the rule");
            ensure(!node.id.empty() && node.id.front() != '-', "an id is no option");
        }
    } else if (const auto* const granted = std::get_if<NodesGranted>(&result)) {
        ensure(granted->count <= 3, "no more is granted than was asked for");
    }
}

}  // namespace muster::fuzz
