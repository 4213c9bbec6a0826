#include "coordinator/core_options.hpp"

#include <array>
#include <string>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"

namespace muster::coordinator {

namespace {

tl::unexpected<Error> wrong_value(std::string what) { return fail(Errc::invalid, std::move(what)); }

/// The position of the value among the choices.
Result<std::size_t> read_choice(const toml::node& value,
                                std::span<const std::string_view> choices) {
    const auto text = value.value_exact<std::string>();
    std::string valid;
    for (std::size_t at = 0; at < choices.size(); ++at) {
        if (text == choices[at]) {
            return at;
        }
        valid += (at == 0 ? "\"" : ", \"") + std::string{choices[at]} + "\"";
    }
    return wrong_value("must be one of " + valid);
}

Result<void> read_rebalance(const toml::node& value, Rebalance& into) {
    constexpr std::array modes{Rebalance::automatic, Rebalance::on_demand, Rebalance::off};
    constexpr std::array<std::string_view, modes.size()> names{"auto", "on-demand", "off"};
    return read_choice(value, names).map([&](std::size_t at) { into = modes[at]; });
}

Result<void> read_strays(const toml::node& value, bool& stop) {
    constexpr std::array<std::string_view, 2> names{"report", "stop"};
    return read_choice(value, names).map([&](std::size_t at) { stop = at == 1; });
}

Result<void> read_mode(const toml::node& value, bool& listed_only) {
    const auto text = value.value_or(std::string{});
    if (text != "open" && text != "listed") {
        return wrong_value(
            "is \"open\" (every agent may join) or \"listed\" (only names that operators "
            "listed)");
    }
    listed_only = text == "listed";
    return {};
}

Result<void> read_flaky_tasks(const toml::node& value, FlakyTasks& into) {
    constexpr std::array choices{FlakyTasks::keep, FlakyTasks::move};
    constexpr std::array<std::string_view, choices.size()> names{"keep", "move"};
    return read_choice(value, names).map([&](std::size_t at) { into = choices[at]; });
}

constexpr std::array core_cluster_keys{
    CoreKey{"round", [](const auto& v, auto& o) { return read_duration(v, 50ms, 1min, o.round); }},
    CoreKey{"silent_after",
            [](const auto& v, auto& o) { return read_number(v, 2, 99, o.loss.silent_after); }},
    CoreKey{"lost_after",
            [](const auto& v, auto& o) { return read_number(v, 3, 100, o.loss.after); }},
    CoreKey{"recovery_grace",
            [](const auto& v, auto& o) { return read_duration(v, 0s, 1h, o.recovery_grace); }},
    CoreKey{"lease",
            [](const auto& v, auto& o) {
                return read_duration(v, limits::lease_least, limits::lease_most, o.lease);
            }},
    CoreKey{"max_lost", [](const auto& v,
                           auto& o) { return read_duration(v, 1min, 24h * 365, o.loss.max_lost); }},
    CoreKey{
        "departure_grace",
        [](const auto& v, auto& o) { return read_duration(v, 0s, 24h, o.loss.departure_grace); }},
    CoreKey{"loss_rate_percent",
            [](const auto& v, auto& o) { return read_number(v, 1, 100, o.loss.rate_percent); }},
    CoreKey{"max_flaky",
            [](const auto& v, auto& o) { return read_duration(v, 1s, 24h, o.max_flaky); }},
    CoreKey{"loss_burst",
            [](const auto& v, auto& o) { return read_number(v, 1, limits::nodes, o.loss.burst); }},
    CoreKey{"rebalance", [](const auto& v, auto& o) { return read_rebalance(v, o.rebalance); }},
    CoreKey{"move_cooldown",
            [](const auto& v, auto& o) { return read_duration(v, 0s, 24h, o.move_cooldown); }},
    CoreKey{"strays", [](const auto& v, auto& o) { return read_strays(v, o.stop_strays); }},
};

constexpr std::array node_keys{
    CoreKey{"mode", [](const auto& v, auto& o) { return read_mode(v, o.listed_only); }},
    CoreKey{"accept_pending",
            [](const auto& v, auto& o) { return read_truth(v, o.accept_pending); }},
    CoreKey{"flaky_tasks",
            [](const auto& v, auto& o) { return read_flaky_tasks(v, o.flaky_tasks); }},
};

}  // namespace

Result<void> read_duration(const toml::node& value, Duration least, Duration most, Duration& into) {
    const auto text = value.value_exact<std::string>();
    const auto duration =
        text ? parse_duration(*text) : wrong_value("needs a duration such as \"10s\"");
    if (!duration) {
        return tl::unexpected{duration.error()};
    }
    if (*duration < least || *duration > most) {
        return wrong_value("is " + to_string(*duration) + ", but must be from " + to_string(least) +
                           " to " + to_string(most));
    }
    into = *duration;
    return {};
}

Result<void> read_truth(const toml::node& value, bool& into) {
    if (!value.is_boolean()) {
        return wrong_value("is true or false");
    }
    into = value.value_or(false);
    return {};
}

Result<void> read_number(const toml::node& value, std::uint32_t least, std::uint32_t most,
                         std::uint32_t& into) {
    const auto number = value.value_exact<std::int64_t>();
    if (!number || *number < least || *number > most) {
        return wrong_value("must be a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most));
    }
    into = static_cast<std::uint32_t>(*number);
    return {};
}

std::span<const CoreKey> core_keys(std::string_view section) {
    if (section == "cluster") {
        return core_cluster_keys;
    }
    return section == "nodes" ? std::span<const CoreKey>{node_keys} : std::span<const CoreKey>{};
}

Result<void> complete(CoordinatorOptions& options, const toml::table& file,
                      toml::source_region& where) {
    const LossOptions& loss = options.loss;
    if (loss.silent_after >= loss.after) {
        for (const std::string_view key : {"lost_after", "silent_after"}) {
            if (const auto* const value = file["cluster"][key].node()) {
                where = value->source();
            }
        }
        return wrong_value(
            "silent_after is " + std::to_string(loss.silent_after) + " and lost_after is " +
            std::to_string(loss.after) +
            ", but a node is silent before it is lost; set silent_after below lost_after");
    }
    if (!file["cluster"]["recovery_grace"]) {
        options.recovery_grace = usual_recovery_grace(options);
    }
    return {};
}

}  // namespace muster::coordinator
