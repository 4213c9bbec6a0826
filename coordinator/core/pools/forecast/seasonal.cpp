#include "coordinator/core/pools/forecast/seasonal.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>
#include <vector>

namespace muster::coordinator {

namespace {

constexpr std::int64_t quarter_seconds = 900;

// Back from the newest: a prediction looks at most an hour back.
constexpr std::int64_t quarters_asked_for = 8;

std::int64_t seconds_of(CivilMs at) { return static_cast<std::int64_t>(at) / 1'000; }

void blend(std::optional<Amount>& usual, Amount mean) {
    usual = usual ? (3 * *usual + mean) / 4 : mean;
}

/// Between the middles of two quarters, so that no step is seen at their border.
std::optional<std::int64_t> usual_at(std::span<const std::optional<Amount>> usual, CivilMs at) {
    const auto size = static_cast<std::int64_t>(usual.size());
    const std::int64_t since = seconds_of(at) - quarter_seconds / 2;
    const std::int64_t quarter = since / quarter_seconds;
    const std::int64_t into = since % quarter_seconds;
    const auto& before = usual[static_cast<std::size_t>(quarter % size)];
    const auto& after = usual[static_cast<std::size_t>((quarter + 1) % size)];
    if (!before || !after) {
        return std::nullopt;
    }
    const auto from = static_cast<std::int64_t>(*before);
    return from + (static_cast<std::int64_t>(*after) - from) * into / quarter_seconds;
}

}  // namespace

void Seasonal::observe(const NeedSample& sample) {
    window_.add(sample);
    const std::int64_t number = seconds_of(sample.at) / quarter_seconds;
    if (quarters_.empty() || quarters_.back().number != number) {
        quarters_.push_back({.number = number});
    }
    quarters_.back().sum += sample.need;
    ++quarters_.back().count;
    for (; quarters_.front().number + quarters_asked_for < number; quarters_.pop_front()) {
        merge(quarters_.front());
    }
}

void Seasonal::merge(const Quarter& quarter) {
    const auto number = static_cast<std::size_t>(quarter.number);
    const Amount mean = quarter.sum / quarter.count;
    blend(week_[number % quarters_of_week], mean);
    blend(day_[number % quarters_of_day], mean);
}

std::optional<std::int64_t> Seasonal::change(CivilMs now, CivilMs then) const {
    for (const auto usual : {std::span<const Usual>{week_}, std::span<const Usual>{day_}}) {
        const auto before = usual_at(usual, now);
        const auto after = usual_at(usual, then);
        if (before && after) {
            return *after - *before;
        }
    }
    return std::nullopt;
}

Amount Seasonal::predict(CivilMs at) const {
    const auto& samples = window_.samples();
    if (samples.empty()) {
        return 0;
    }
    std::int64_t sum = 0;
    std::int64_t age = 0;
    for (const NeedSample& sample : samples) {
        sum += static_cast<std::int64_t>(sample.need);
        age += seconds_between(sample.at, at);
    }
    const auto count = static_cast<std::int64_t>(samples.size());
    const auto ahead = std::chrono::duration_cast<std::chrono::milliseconds>(ahead_).count();
    const auto time = static_cast<std::int64_t>(at);
    // The mean is of a time some minutes ago.
    const std::int64_t moved =
        change(CivilMs{time - age / count * 1'000}, CivilMs{time + ahead}).value_or(0);
    return static_cast<Amount>(
        std::clamp<std::int64_t>(sum / count + moved, 0, static_cast<std::int64_t>(most_amount)));
}

std::string Seasonal::learned() const {
    std::string text;
    bool is_known = false;
    for (const auto usual : {std::span<const Usual>{week_}, std::span<const Usual>{day_}}) {
        for (const Usual& amount : usual) {
            text += text.empty() ? "" : " ";
            text += amount ? std::to_string(*amount) : "-";
            is_known = is_known || amount;
        }
    }
    return is_known ? text : std::string{};
}

Result<void> Seasonal::take_learned(std::string_view text) {
    std::vector<Usual> amounts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = std::min(text.find(' ', at), text.size());
        const std::string_view amount = text.substr(at, space - at);
        at = space + 1;
        Amount number = 0;
        const auto [end, error] = std::from_chars(amount.begin(), amount.end(), number);
        const bool is_number = error == std::errc{} && end == amount.end() && number <= most_amount;
        if (amount != "-" && !is_number) {
            return fail(Errc::malformed, "'" + std::string{amount} + "' is no amount");
        }
        amounts.push_back(is_number ? Usual{number} : std::nullopt);
    }
    if (!amounts.empty() && amounts.size() != quarters_of_week + quarters_of_day) {
        return fail(Errc::malformed, "it has " + std::to_string(amounts.size()) +
                                         " amounts, and a week and a day have " +
                                         std::to_string(quarters_of_week + quarters_of_day));
    }
    if (!amounts.empty()) {
        const auto of_day = amounts.begin() + quarters_of_week;
        std::copy(amounts.begin(), of_day, week_.begin());
        std::copy(of_day, amounts.end(), day_.begin());
    }
    return {};
}

}  // namespace muster::coordinator
