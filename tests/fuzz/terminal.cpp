#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"

// Text from a cluster never controls a terminal.
namespace muster::fuzz {
namespace {

constexpr CivilMs shown_at{1'700'000'000'000};

bool is_control(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f;
}

}  // namespace

void fuzz_terminal_text(std::string_view input) {
    Bytes bytes{input};
    const std::size_t columns = bytes.byte();
    const auto text = bytes.rest();
    const std::string line = printable(text);
    ensure(std::ranges::none_of(line, is_control), "a printable line has no control bytes");
    ensure(printable(line) == line, "what is printable stays as it is");
    ensure(cli::width_of(cli::cut_to(line, columns)) <= columns, "what is cut is short enough");
    for (const auto& one : cli::wrapped(line, columns)) {
        ensure(columns == 0 || cli::width_of(one) <= columns, "what is wrapped is short enough");
    }
    const std::string lines = cli::harmless(text);
    ensure(cli::harmless(lines) == lines, "what is harmless stays as it is");
}

// Answers of a lying cluster, as people read them.
void fuzz_render(std::string_view input) {
    const auto reply = codec::decode_reply(input);
    if (!reply || !reply->result || std::holds_alternative<LogsReply>(*reply->result)) {
        return;  // Tasks can print tabs and colours.
    }
    for (const std::size_t columns : {std::size_t{0}, std::size_t{40}}) {
        const auto text = cli::render(*reply->result, shown_at, {false, columns});
        ensure(std::ranges::none_of(text, [](char c) { return is_control(c) && c != '\n'; }),
               "what is rendered has no control bytes but line ends");
    }
}

}  // namespace muster::fuzz
