#include "coordinator/recorder/step_record.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "common/codec/state_reader.hpp"
#include "common/codec/state_writer.hpp"
#include "coordinator/recorder/plain_fields.hpp"
#include "coordinator/recorder/record_file.hpp"

namespace muster {
namespace {

struct RecordFields : PlainFields {
    // TODO(clang15): `using` would do; Clang 14 takes templates that differ in what they ask of a
    // type for one, and hides those of the base.
    static void fields(auto& visit, auto& it) requires requires { PlainFields::fields(visit, it); }
    { PlainFields::fields(visit, it); }

    static void fields(auto& visit, codec::Like<RecordHead> auto& it) {
        auto& [version, began] = it;
        visit("version began", version, began);
    }
    static void fields(auto& visit, codec::Like<Heard> auto& it) {
        auto& [now, input] = it;
        visit("now input", now, input);
    }
    static void fields(auto& visit, codec::Like<Outcome> auto& it) {
        auto& [others, closed_term, messages, events, resign] = it;
        visit("others closed_term messages events resign", others, closed_term, messages, events,
              resign);
    }
    static void fields(auto& visit, codec::Like<PollTo> auto& it) {
        auto& [session, poll] = it;
        auto& [epoch, term, incarnation, seen, issued, check, lease] = poll;
        visit("session epoch term incarnation seen issued check lease", session, epoch, term,
              incarnation, seen, issued, check, lease);
    }
};

/// Of the clock of a host, which begins with it.
bool is_plausible(Instant at) { return at >= Instant{} && at < Instant{24h * 365 * 100}; }

bool says_nothing(const Output& output) {
    return output.persist.empty() && output.messages.empty() && output.polls.empty() &&
           output.replies.empty() && output.events.empty() && !output.resign && !output.closed_term;
}

}  // namespace

bool same_decisions(const Outcome& a, const Outcome& b) {
    const auto is_same = [](const ToAgent& left, const ToAgent& right) {
        return left.session == right.session && left.message == right.message;
    };
    return std::ranges::equal(a.messages, b.messages, is_same) && a.events == b.events &&
           a.resign == b.resign && a.closed_term == b.closed_term;
}

std::string_view StepEncoder::head(const RecordHead& head) {
    bytes_.clear();
    codec::StateWriter<RecordFields>{bytes_, scratch_}.write(head);
    return bytes_;
}

// Steps are bare: a name would cost as much as a report.
std::string_view StepEncoder::input(Instant now, const Input& input) {
    bytes_.assign(1, 'i');
    codec::StateWriter<RecordFields>{bytes_, scratch_, false}("", now, input);
    return bytes_;
}

std::string_view StepEncoder::outcome(const Output& output) {
    bytes_.clear();
    if (says_nothing(output)) {
        return bytes_;
    }
    others_.clear();
    codec::StateWriter<RecordFields>{others_, scratch_, false}("", output.persist, output.polls,
                                                               output.replies);
    bytes_.assign(1, 'o');
    codec::StateWriter<RecordFields>{bytes_, scratch_, false}("", checksum_of(others_),
                                                              output.closed_term, output.messages,
                                                              output.events, output.resign);
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
        auto step = decode_bare<Heard>(record.substr(1));
        if (step && !is_plausible(std::get<Heard>(*step).now)) {
            return fail(Errc::malformed, "an input came when no host ran");
        }
        return step;
    }
    if (record.starts_with('o')) {
        return decode_bare<Outcome>(record.substr(1));
    }
    return fail(Errc::malformed, "it is neither an input nor what came of one");
}

}  // namespace muster
