#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "coordinator/core/pools/forecast/window.hpp"

namespace muster::coordinator {

/// Adds to the recent need the change that is usual at this time of the week. In the first week,
/// the change that is usual at this time of the day.
///
///     prediction = mean of the last minutes + usual(at + ahead) - usual(now)
///
/// A quarter of an hour of the week has a usual need, and so has one of the day. It is a mean in
/// which each week, or day, counts three quarters as much as the next one. The quarters of the last
/// two hours are not in it yet, so that both terms of the difference are of the same weeks. Times
/// are UTC.
class Seasonal {
public:
    struct Options {
        Duration window = 5min;
        Duration ahead = 2min;  ///< As long as a node takes to come.
    };

    explicit Seasonal(const Options& options) : ahead_{options.ahead}, window_{options.window} {}

    void observe(const NeedSample& sample);
    [[nodiscard]] Amount predict(CivilMs at) const;

    /// The usual amounts as text: those of the quarters of the week, then those of the day. A `-`
    /// is an amount that is not known. The text is empty if none is.
    [[nodiscard]] std::string learned() const;
    /// Goes on with what an earlier one has learned.
    [[nodiscard]] Result<void> take_learned(std::string_view text);

private:
    friend struct CoreFields;

    static constexpr std::size_t quarters_of_day = 96;
    static constexpr std::size_t quarters_of_week = 7 * quarters_of_day;
    using Usual = std::optional<Amount>;

    struct Quarter {
        std::int64_t number = 0;  ///< Since 1970.
        Amount sum = 0;
        std::uint64_t count = 0;
    };

    void merge(const Quarter& quarter);
    /// How much more is usual at `then` than at `now`. Nothing: it is not known yet.
    [[nodiscard]] std::optional<std::int64_t> change(CivilMs now, CivilMs then) const;

    Duration ahead_;
    Window window_;
    std::deque<Quarter> quarters_;  // The last ones. The newest has not ended yet.
    std::array<Usual, quarters_of_week> week_{};
    std::array<Usual, quarters_of_day> day_{};
};

}  // namespace muster::coordinator
