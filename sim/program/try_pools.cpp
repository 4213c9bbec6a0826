#include "sim/program/try_pools.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "cli/screen/table.hpp"
#include "coordinator/host/zones.hpp"
#include "sim/pools/history.hpp"

namespace muster::sim {

namespace {

Result<std::string> content_of(const std::string& path) {
    if (path == "-") {
        return std::string{std::istreambuf_iterator<char>{std::cin}, {}};
    }
    std::ifstream file{path};
    if (!file) {
        return fail(Errc::io, "cannot open " + path);
    }
    return std::string{std::istreambuf_iterator<char>{file}, {}};
}

Result<History> history_of(const PoolsOptions& options) {
    if (options.month) {
        return generated_month(*options.month);
    }
    const auto csv = content_of(options.file);
    if (!csv) {
        return tl::unexpected{csv.error()};
    }
    return read_history(*csv).map_error([&](Error&& error) {
        error.detail = options.file + ": " + error.detail;
        return std::move(error);
    });
}

/// The options of the trial, with the schedule if there is one.
Result<TrialOptions> trial_of(const PoolsOptions& options) {
    TrialOptions trial = options.trial;
    if (options.schedule.empty()) {
        return trial;
    }
    auto schedule = coordinator::Schedule::parse(options.schedule);
    if (!schedule) {
        return fail(schedule.error().code, "--schedule: " + schedule.error().detail);
    }
    if (const auto offset = coordinator::utc_offset(options.zone, CivilMs{}); !offset) {
        return fail(offset.error().code, "--zone: " + offset.error().detail);
    }
    trial.schedule = *std::move(schedule);
    // A look-up opens a file, and an offset changes at a quarter of an hour.
    trial.utc_offset = [&zone = options.zone, last = std::int64_t{-1},
                        offset = 0](CivilMs at) mutable {
        const std::int64_t quarter = static_cast<std::int64_t>(at) / 900'000;
        if (std::exchange(last, quarter) != quarter) {
            offset = coordinator::utc_offset(zone, at).value_or(0);
        }
        return offset;
    };
    return trial;
}

std::string in_minutes(Duration time) {
    return fmt::format("{:.1f}", std::chrono::duration<double, std::ratio<60>>{time}.count());
}

std::string in_hours(Duration time) {
    return fmt::format("{:.1f}", std::chrono::duration<double, std::ratio<3600>>{time}.count());
}

}  // namespace

Result<std::string> try_pools(const PoolsOptions& options, bool colours) {
    const auto history = history_of(options);
    if (!history) {
        return tl::unexpected{history.error()};
    }
    const auto trial = trial_of(options);
    if (!trial) {
        return tl::unexpected{trial.error()};
    }
    const std::vector<Score> scores = try_all(*history, *trial);
    const Score& reactive = scores.front();
    cli::Table table{{"PREDICTOR", "UNDER MIN", "NODE HOURS", "ASKED", "MEAN ERROR"}};
    for (const Score& score : scores) {
        const auto tone = [&](auto of) {
            return of(score) < of(reactive)   ? cli::Tone::good
                   : of(score) > of(reactive) ? cli::Tone::attention
                                              : cli::Tone::plain;
        };
        table.add({score.name,
                   {in_minutes(score.under), tone([](auto& it) { return it.under; })},
                   {in_hours(score.nodes), tone([](auto& it) { return it.nodes; })},
                   std::to_string(score.asked),
                   std::to_string(score.error)});
    }
    const auto hours =
        coordinator::seconds_between(history->front().at, history->back().at) / 3'600;
    return fmt::format("{} samples of {} hours; nodes of {}, which take {} s to come\n\n{}",
                       history->size(), hours, options.trial.of_node,
                       to_ms(options.trial.boot) / 1'000, table.to_text({.colours = colours}));
}

}  // namespace muster::sim
