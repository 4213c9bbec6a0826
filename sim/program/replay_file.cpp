#include "sim/program/replay_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"
#include "common/base/read_file.hpp"
#include "common/codec/codec.hpp"
#include "common/spec/duration.hpp"
#include "coordinator/recorder/core_state.hpp"
#include "coordinator/recorder/replay.hpp"
#include "sim/model/trace.hpp"
#include "sim/program/last_words.hpp"

namespace muster::sim {
namespace {

constexpr std::size_t largest_file = std::size_t{1}
                                     << 30U;  // A recorder begins a new file before that.
constexpr coordinator::Ticket viewer{std::numeric_limits<std::uint64_t>::max()};

/// `+12.345 s 2026-11-21 10:04:33.120Z`
std::string when(const coordinator::Replay& replay, Instant at) {
    const CivilMs civil = replay.civil(at);
    return fmt::format("+{:.3f} s{}", static_cast<double>(to_ms(at - replay.head().began)) / 1'000,
                       civil == CivilMs{} ? "" : " " + cli::civil_time(civil));
}

std::string name_of(const coordinator::Replay& replay, coordinator::Session session) {
    const std::string name = node_at(replay.core(), session);
    return name.empty() ? fmt::format("route {}", raw(session)) : name;
}

/// One line for each decision. An order is shown with its node.
std::vector<std::string> lines_of(const coordinator::Replay& replay,
                                  const std::optional<coordinator::Outcome>& outcome) {
    std::vector<std::string> lines;
    if (!outcome) {
        return lines;
    }
    for (const coordinator::ToAgent& to : outcome->messages) {
        lines.push_back(fmt::format("> {} {}", name_of(replay, to.session), describe(to.message)));
    }
    for (const Event& event : outcome->events) {
        lines.push_back(fmt::format("{} {} {}", event.topic, event.name, event.detail));
    }
    if (outcome->resign) {
        lines.push_back("resigns: " + *outcome->resign);
    }
    return lines;
}

std::string describe_input(const coordinator::Replay& replay, const coordinator::Input& input) {
    if (const auto* const recorded = std::get_if<coordinator::FromAgent>(&input)) {
        return fmt::format("{} > {}", name_of(replay, recorded->session),
                           describe(recorded->message));
    }
    if (const auto* const from_operator = std::get_if<coordinator::FromOperator>(&input)) {
        return "operator > " + codec::to_json(*from_operator->request);
    }
    if (const auto* const closed = std::get_if<coordinator::SessionClosed>(&input)) {
        return fmt::format("the route of {} closed", name_of(replay, closed->session));
    }
    if (const auto* const undecodable = std::get_if<coordinator::Undecodable>(&input)) {
        return fmt::format("{} sent an invalid message: {}", name_of(replay, undecodable->session),
                           undecodable->why);
    }
    if (const auto* const persisted = std::get_if<coordinator::Persisted>(&input)) {
        return fmt::format("durable up to {}", persisted->number);
    }
    if (const auto* const failed = std::get_if<coordinator::StoreFailed>(&input)) {
        return "the store failed: " + failed->detail;
    }
    return std::holds_alternative<coordinator::Wake>(input) ? "a deadline passed"
                                                            : "the host's own state";
}

void print_lines(const std::vector<std::string>& lines, std::string_view before) {
    for (const std::string& line : lines) {
        fmt::print("{}{}\n", before, printable(line));
    }
}

/// Common lines are shown once, so that the difference stands out.
void print_difference(const coordinator::Replay& replay, const coordinator::Replay::Done& done) {
    fmt::print("{}: the output differs\n  input: {}\n", when(replay, done.recorded.now),
               printable(describe_input(replay, done.recorded.input)));
    auto was = lines_of(replay, done.was);
    auto is = lines_of(replay, done.is);
    if (was == is) {
        fmt::print(
            "  the decisions are the same; polls, writes for the store or answers are not\n");
        return;
    }
    const auto common = std::ranges::mismatch(was, is);
    was.erase(was.begin(), common.in1);
    is.erase(is.begin(), common.in2);
    print_lines(was, "  - ");
    print_lines(is, "  + ");
}

tl::unexpected<Error> no_time(const std::string& text) {
    return fail(Errc::invalid, "'" + text +
                                   "' is neither a duration from the beginning, such as 90s, nor a "
                                   "time of UTC, such as \"2026-11-21 10:04:33\"");
}

/// The time of the last input that can be read.
Instant end_of(std::string_view bytes, Instant began) {
    Instant end = began;
    auto reader = coordinator::RecordReader::open(bytes);
    while (reader) {
        const auto record = reader->next();
        if (!record || !*record) {
            break;
        }
        const auto step = coordinator::decode_step(**record);  // Not the head or state.
        const auto* const recorded =
            step ? std::get_if<coordinator::RecordedInput>(&*step) : nullptr;
        end = recorded != nullptr ? std::max(end, recorded->now) : end;
    }
    return end;
}

tl::unexpected<Error> not_held(const coordinator::Replay& replay, const std::string& text,
                               Instant end) {
    const Instant began = replay.head().began;
    const CivilMs from = replay.civil(began);
    const std::string dates =
        from == CivilMs{} ? ""
                          : fmt::format(", {} to {} (UTC)", cli::civil_time(from),
                                        cli::civil_time(CivilMs{raw(from) + to_ms(end - began)}));
    return fail(Errc::invalid, fmt::format("'{}' is not in this file: it holds {:.3f} s{}", text,
                                           static_cast<double>(to_ms(end - began)) / 1'000, dates));
}

/// What may follow the seconds: `.120`, `Z`, both or nothing.
std::optional<std::int64_t> milliseconds_in(std::string_view rest) {
    std::int64_t ms = 0;
    if (rest.starts_with('.')) {
        const std::string_view digits = rest.substr(1, 3);
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), ms);
        if (digits.size() != 3 || read.ptr != digits.data() + 3 || ms < 0) {
            return std::nullopt;
        }
        rest.remove_prefix(4);
    }
    return rest.empty() || rest == "Z" ? std::optional{ms} : std::nullopt;
}

/// A time within the file. Any other time most likely belongs to another file.
Result<Instant> time_of(const coordinator::Replay& replay, std::string_view bytes,
                        const std::string& text) {
    if (text.empty()) {
        return Instant::max();
    }
    const Instant began = replay.head().began;
    const Instant end = end_of(bytes, began);
    if (const auto duration = parse_duration(text)) {
        if (*duration > end - began) {
            return not_held(replay, text, end);
        }
        return began + *duration;
    }
    std::tm fields{};
    const char* const rest = strptime(text.c_str(), "%Y-%m-%d %H:%M:%S", &fields);
    if (rest == nullptr) {
        return no_time(text);
    }
    const auto ms = milliseconds_in(rest);
    const int day = fields.tm_mday;
    const std::int64_t seconds = timegm(&fields);
    if (!ms || fields.tm_mday != day) {  // Rejects dates such as the 31st of February.
        return no_time(text);
    }
    const CivilMs civil = replay.civil(began);
    if (civil == CivilMs{}) {
        return fail(Errc::invalid, "the record does not know civil time; give a duration");
    }
    const std::int64_t since = seconds * 1'000 + *ms - raw(civil);
    if (since <= -1'000 ||
        since > to_ms(end - began)) {  // Accepts the second in which the record begins.
        return not_held(replay, text, end);
    }
    return began + std::chrono::milliseconds{std::max(since, std::int64_t{0})};
}

Result<ExplainReply> ask(coordinator::Replay& replay, const ExplainRequest& request) {
    const coordinator::Output output = replay.core().step(
        replay.now(), coordinator::FromOperator{viewer, CoreRequest{.id = {}, .body = request}});
    const auto answer = std::ranges::find(output.replies, viewer, &coordinator::ReplyTo::ticket);
    if (answer == output.replies.end()) {
        return fail(Errc::not_leader, "its leadership was over then");
    }
    return answer->reply->result.map(
        [](const ReplyBody& body) { return std::get<ExplainReply>(body); });
}

/// Prints what `muster explain` would have answered then.
Result<void> explain(coordinator::Replay& replay, const std::string& name) {
    const bool is_instance = parse_instance(name).has_value();
    auto reply = ask(replay, {is_instance ? Subject::instance : Subject::task, name});
    if (!is_instance && !reply && reply.error().code == Errc::not_found) {
        reply = ask(replay, {Subject::node, name});
    }
    if (!reply) {  // Without a live cluster its advice cannot be followed.
        const std::string& detail = reply.error().detail;
        return fail(reply.error().code, detail.substr(0, detail.find("; see 'muster ")));
    }
    fmt::print("{}", cli::render(*reply, replay.civil(replay.now()), {}));
    return {};
}

}  // namespace

Result<bool> replay_file(const ReplayOptions& options) {
    const auto bytes = read_file(options.file, largest_file, coordinator::record_magic);
    if (!bytes) {
        return tl::unexpected{bytes.error()};
    }
    // Each record of a file may be valid, but together they may contradict each other.
    set_crash_message(fmt::format("muster-sim: {}: its state contradicts itself\n", options.file),
                      2);
    auto replay = coordinator::Replay::open(*bytes);
    const auto until = replay.and_then(
        [&](const coordinator::Replay& opened) { return time_of(opened, *bytes, options.until); });
    if (!until) {
        return tl::unexpected{until.error()};
    }
    fmt::print("recorded by muster {}\n", printable(replay->head().version));
    std::uint64_t inputs = 0;
    std::optional<Error> trouble;  // The part before the damage is printed anyway.
    for (;;) {
        set_crash_message(
            fmt::format("muster-sim: {}: the core does not survive what comes after {} inputs and "
                        "{}: its coordinator ended of it, too, or the record contradicts itself, "
                        "or this version has a fault\n",
                        options.file, inputs, when(*replay, replay->now())),
            1);
        const auto step = replay->step(*until);
        if (!step) {
            trouble = step.error();
            break;
        }
        if (!*step) {
            break;
        }
        ++inputs;
        const coordinator::Replay::Done& done = **step;
        if (done.output_differs) {
            print_difference(*replay, done);
            fmt::print("the {} inputs before it had the same outputs, byte for byte\n", inputs - 1);
            return false;
        }
        if (options.trace) {
            print_lines(lines_of(*replay, done.is), when(*replay, done.recorded.now) + "  ");
        }
    }
    if (!options.explain.empty()) {
        set_crash_message(
            fmt::format("muster-sim: {}: the core does not survive that it is asked\n",
                        options.file),
            1);
        if (auto explained = explain(*replay, options.explain); !explained) {
            const std::string before = trouble ? trouble->detail + "; " : "";
            trouble = Error{explained.error().code, before + explained.error().detail};
        }
    }
    fmt::print("{} inputs up to {}: every output the same, byte for byte\n", inputs,
               when(*replay, replay->now()));
    if (trouble) {
        return tl::unexpected{*trouble};
    }
    return true;
}

}  // namespace muster::sim
