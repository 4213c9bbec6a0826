#include "coordinator/recorder/replay.hpp"

#include "coordinator/recorder/core_state.hpp"

namespace muster::coordinator {
namespace {

// The end of the year 9999: a later time is an error of the sender.
constexpr CivilMs last_civil{253'402'300'799'999};

Result<std::string_view> next_of(RecordReader& reader, const char* what) {
    const auto record = reader.next();
    if (!record) {
        return tl::unexpected{record.error()};
    }
    if (!*record) {
        return fail(Errc::malformed, std::string{"it ends before its "} + what +
                                         ": the coordinator had no time to write it");
    }
    return **record;
}

}  // namespace

Result<Replay> Replay::open(std::string_view bytes) {
    auto reader = RecordReader::open(bytes);
    if (!reader) {
        return tl::unexpected{reader.error()};
    }
    const auto first = next_of(*reader, "head");
    const auto head = first.and_then(decode_head);
    if (!head) {
        return tl::unexpected{head.error()};
    }
    const auto state = next_of(*reader, "state");
    auto core = state.and_then([](std::string_view saved) { return restore_core(saved); });
    if (!core) {
        return tl::unexpected{core.error()};
    }
    Replay replay{*reader, *head, std::move(*core)};
    replay.find_civil_time();
    return replay;
}

// The first civil time in the record, which comes within seconds.
void Replay::find_civil_time() {
    for (RecordReader reader = reader_; !civil_offset_;) {
        const auto record = reader.next();
        if (!record || !*record) {
            return;
        }
        const auto step = decode_step(**record);
        const auto* const recorded = step ? std::get_if<RecordedInput>(&*step) : nullptr;
        if (recorded != nullptr) {
            take_civil_time(*recorded);
        }
    }
}

void Replay::take_civil_time(const RecordedInput& recorded) {
    const auto* const clock = std::get_if<CivilTime>(&recorded.input);
    if (clock != nullptr && clock->at >= CivilMs{} && clock->at <= last_civil) {
        civil_offset_ = raw(clock->at) - to_ms(recorded.now.time_since_epoch());
    }
}

CivilMs Replay::civil(Instant at) const {
    return civil_offset_ ? CivilMs{to_ms(at.time_since_epoch()) + *civil_offset_} : CivilMs{};
}

Result<std::optional<std::string_view>> Replay::peek() {
    if (!ahead_) {
        auto record = reader_.next();
        if (!record) {
            return record;
        }
        ahead_ = *record;
    }
    return ahead_;
}

Result<std::optional<Replay::Done>> Replay::step(Instant until) {
    const auto record = peek();
    if (!record || !*record) {
        return record.map([](const auto&) { return std::optional<Done>{}; });
    }
    auto step = decode_step(**record);
    if (!step) {
        return tl::unexpected{step.error()};
    }
    auto* const recorded = std::get_if<RecordedInput>(&*step);
    if (recorded == nullptr) {
        return fail(Errc::malformed, "an outcome without an input");
    }
    if (recorded->now > until) {
        return std::nullopt;
    }
    ahead_.reset();
    now_ = recorded->now;
    take_civil_time(*recorded);
    Done done{.recorded = std::move(*recorded)};
    if (auto expected = expect_checks(); !expected) {
        return tl::unexpected{expected.error()};
    }
    is_ = encoder_.outcome(core_->step(now_, done.recorded.input));
    return compare(std::move(done));
}

// The outcome of the input tells how the checks of proofs ended. It is missing if the coordinator
// died of the input; then the replay takes them for right.
Result<void> Replay::expect_checks() {
    const auto record = peek();
    if (!record || !*record || !(*record)->starts_with('o')) {
        return record.map([](const auto&) {});
    }
    return decode_step(**record).map([&](const Step& step) {
        expect_proof_checks(*core_, std::get<Outcome>(step).proof_checks);
    });
}

Result<std::optional<Replay::Done>> Replay::compare(Done done) {
    const auto record = peek();
    if (!record) {
        return tl::unexpected{record.error()};
    }
    std::string_view was;
    if (*record && (*record)->starts_with('o')) {
        was = **record;
        ahead_.reset();
    }
    const bool is_known = record->has_value();  // Else it may have died of this input.
    for (const auto& [bytes, into] : {std::pair{was, &done.was}, {is_, &done.is}}) {
        if (bytes.empty()) {
            continue;
        }
        auto outcome = decode_step(bytes);
        if (!outcome) {
            return tl::unexpected{outcome.error()};
        }
        *into = std::get<Outcome>(std::move(*outcome));
    }
    if (is_known && was != is_) {
        done.output_differs = true;
        const Outcome none;
        done.decision_differs = !same_decisions(done.was.value_or(none), done.is.value_or(none));
    }
    return done;
}

}  // namespace muster::coordinator
