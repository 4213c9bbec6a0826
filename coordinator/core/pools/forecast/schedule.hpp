#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/pools/forecast/need_sample.hpp"

namespace muster::coordinator {

/// A minute of a local week: 0 is Monday 00:00, the last one is 10079.
enum class LocalMinute : std::uint16_t {};

/// A time table of the week, in the local time of a zone:
///
///     mon-fri 08:00 400       an amount holds from its time on, until the next time of the table
///     mon-fri 18:00 100       the week wraps around: what holds on Sunday night holds on Monday,
///     sat,sun 10:00 150       too, up to the first time of that day
///
/// The zone is known to the caller, which passes its present offset: summer time begins when the
/// offset changes. A local time that a change skips counts from the change on, and a local time
/// that comes twice counts twice. Looking ahead over a change is in the old time: it is wrong by an
/// hour for as long as it looks ahead, mostly minutes on a Sunday night.
class Schedule {
public:
    /// Predicts 0.
    Schedule() = default;

    /// Each line has days, a time and an amount. Errors name the line, and say what would be right.
    [[nodiscard]] static Result<Schedule> parse(std::span<const std::string> lines);

    /// What holds in this minute.
    [[nodiscard]] Amount at(LocalMinute of_week) const;
    /// The most of what holds between `at` and `ahead` later. A node takes `ahead` to come, so a
    /// rise counts this much earlier. A fall counts at its time, and no rise in between is missed.
    [[nodiscard]] Amount predict(CivilMs at, Duration ahead, std::int32_t utc_offset_seconds) const;

    [[nodiscard]] bool is_empty() const { return entries_.empty(); }

    friend bool operator==(const Schedule&, const Schedule&) = default;

private:
    friend struct CoreFields;

    struct Entry {
        LocalMinute from{};
        Amount amount = 0;

        friend bool operator==(const Entry&, const Entry&) = default;
    };

    /// The place of the entry that holds in this minute; there is one.
    [[nodiscard]] std::size_t place_at(LocalMinute of_week) const;

    std::vector<Entry> entries_;  // In the order of their minutes, of which each is there once.
};

}  // namespace muster::coordinator
