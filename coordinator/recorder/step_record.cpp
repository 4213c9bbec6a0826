#include "coordinator/recorder/step_record.hpp"

#include <algorithm>
#include <utility>

#include "common/codec/state_reader.hpp"
#include "common/codec/state_writer.hpp"
#include "coordinator/recorder/record_fields.hpp"
#include "coordinator/recorder/record_file.hpp"

namespace muster::coordinator {
namespace {

/// The clock of a host begins at its boot.
bool is_plausible(Instant at) { return at >= Instant{} && at < Instant{24h * 365 * 100}; }

// An output is taken apart completely, here and below: a new member does not compile.
bool is_empty_output(const Output& output) {
    const auto& [persist, messages, polls, replies, events, calls, resign, closed_round,
                 proof_checks] = output;
    return persist.empty() && messages.empty() && polls.empty() && replies.empty() &&
           events.empty() && calls.empty() && !resign && !closed_round && proof_checks.empty();
}

bool has_tags(const ToAgent& message) {
    const auto* const batch = std::get_if<Batch>(&message.message);
    return batch != nullptr && std::ranges::any_of(batch->starts, [](const Start& start) {
               return !start.proof.is_none();
           });
}

/// The messages without the tags of their starts. `copies` holds them if there are any.
const std::vector<ToAgent>& without_tags(const std::vector<ToAgent>& messages,
                                         std::vector<ToAgent>& copies) {
    if (std::ranges::none_of(messages, has_tags)) {
        return messages;
    }
    copies = messages;
    for (ToAgent& message : copies) {
        if (auto* const batch = std::get_if<Batch>(&message.message)) {
            for (Start& start : batch->starts) {
                start.proof.tag = {};
            }
        }
    }
    return copies;
}

}  // namespace

bool same_decisions(const Outcome& a, const Outcome& b) {
    const auto is_same = [](const ToAgent& left, const ToAgent& right) {
        return left.session == right.session && left.message == right.message;
    };
    return std::ranges::equal(a.messages, b.messages, is_same) && a.events == b.events &&
           a.resign == b.resign && a.closed_round == b.closed_round;
}

std::string_view StepEncoder::head(const RecordHead& head) {
    bytes_.clear();
    codec::StateWriter<RecordFields>{bytes_, scratch_}.write(head);
    return bytes_;
}

// Steps have no field names: a name would cost as much as a report.
std::string_view StepEncoder::input(Instant now, const Input& input) {
    bytes_.assign(1, 'i');
    codec::StateWriter<RecordFields>{bytes_, scratch_, false}("", now, input);
    return bytes_;
}

std::string_view StepEncoder::outcome(const Output& output) {
    bytes_.clear();
    if (is_empty_output(output)) {
        return bytes_;
    }
    const auto& [persist, messages, polls, replies, events, calls, resign, closed_round,
                 proof_checks] = output;
    others_.clear();
    codec::StateWriter<RecordFields>{others_, scratch_, false}("", persist, polls, replies, calls);
    bytes_.assign(1, 'o');
    codec::StateWriter<RecordFields>{bytes_, scratch_, false}(
        "", checksum_of(others_), closed_round, without_tags(messages, untagged_), events, resign,
        proof_checks);
    untagged_.clear();
    return bytes_;
}

Result<RecordHead> decode_head(std::string_view record) {
    RecordHead head;
    codec::Cursor cursor{record};
    codec::StateReader<RecordFields>{cursor}.read(head);
    if (auto read = cursor.finish("head"); !read) {
        return tl::unexpected{read.error()};
    }
    if (!is_plausible(head.began)) {
        return fail(Errc::malformed, "it began when no host ran");
    }
    return head;
}

namespace {

template <class T>
Result<Step> decode_bare(std::string_view bytes) {
    T step;
    codec::Cursor cursor{bytes};
    codec::StateReader<RecordFields>{cursor, false}.read(step);
    return cursor.finish("step").map([&]() -> Step { return std::move(step); });
}

}  // namespace

Result<Step> decode_step(std::string_view record) {
    if (record.starts_with('i')) {
        auto step = decode_bare<RecordedInput>(record.substr(1));
        if (step && !is_plausible(std::get<RecordedInput>(*step).now)) {
            return fail(Errc::malformed, "an input came when no host ran");
        }
        return step;
    }
    if (record.starts_with('o')) {
        return decode_bare<Outcome>(record.substr(1));
    }
    return fail(Errc::malformed, "it is neither an input nor what came of one");
}

}  // namespace muster::coordinator
