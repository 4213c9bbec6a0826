#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "cli/subjects/requests.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

using Read = tl::expected<void, BadRequest>;

template <class Number>
Read read_number(const CommandLine& line, const char* option, std::optional<Number>& into,
                 Number most) {
    const auto text = line.value(option);
    if (!text) {
        return {};
    }
    return number_of<Number>(option, *text, most).map([&](Number number) { into = number; });
}

Read read_time(const CommandLine& line, const char* option, std::optional<std::uint64_t>& into) {
    const auto text = line.value(option);
    if (!text) {
        return {};
    }
    const auto time = parse_duration(*text);
    if (!time) {
        return usage(std::string{option} + ": " + time.error().detail);
    }
    into = static_cast<std::uint64_t>(to_ms(*time));
    return {};
}

Read read_unit(const CommandLine& line, std::optional<PoolUnit>& into) {
    const auto text = line.value("--unit");
    if (!text) {
        return {};
    }
    into = value_named<PoolUnit>(*text);
    if (!into) {
        return usage("--unit is memory_mb, slots or cpu_milli, not '" + *text + "'");
    }
    return {};
}

}  // namespace

Read read_pool_options(const CommandLine& line, PoolChanges& changes) {
    changes.provider = line.value("--provider");
    changes.predictor = line.value("--predictor");
    changes.zone = line.value("--zone");
    const auto lines = [&](const char* option, std::optional<std::vector<std::string>>& into) {
        auto values = line.values(option);
        if (!values.empty()) {
            std::erase(values, "");  // An empty one takes all away.
            into = std::move(values);
        }
    };
    lines("--schedule", changes.schedule);
    lines("--shadow", changes.shadow);
    lines("--match", changes.match);
    Read read = read_unit(line, changes.unit);
    const auto number = [&](const char* option, std::optional<std::uint32_t>& into) {
        read = read ? read_number(line, option, into, limits::pool_nodes) : read;
    };
    const auto time = [&](const char* option, std::optional<std::uint64_t>& into) {
        read = read ? read_time(line, option, into) : read;
    };
    number("--min", changes.min);
    number("--max", changes.max);
    number("--step", changes.step);
    number("--drain-budget", changes.drain_budget);
    read = read ? read_number(line, "--node-amount", changes.node_amount, limits::demand_amount)
                : read;
    time("--arrive-within", changes.arrive_within_ms);
    time("--max-drain", changes.max_drain_ms);
    time("--up-cooldown", changes.up_cooldown_ms);
    time("--down-cooldown", changes.down_cooldown_ms);
    time("--demand-ttl", changes.demand_ttl_ms);
    return read;
}

}  // namespace muster::cli
