#include "coordinator/options.hpp"

#include <array>
#include <limits>
#include <span>

#include <toml++/toml.h>

#include "common/limits.hpp"
#include "common/net/endpoint.hpp"
#include "common/spec_toml.hpp"

namespace muster {
namespace {

/// One key of a table: how its value is read into the options.
struct Key {
    std::string_view name;
    Result<void> (*read)(const toml::node& value, Options& into);
};

tl::unexpected<Error> wrong(std::string what) { return fail(Errc::invalid, std::move(what)); }

Result<void> read_text(const toml::node& value, std::string& into) {
    const auto text = value.value_exact<std::string>();
    if (!text || text->empty()) {
        return wrong("needs a text in quotes");
    }
    into = *text;
    return {};
}

Result<void> read_endpoint(const toml::node& value, std::string& into) {
    std::string text;
    if (auto read = read_text(value, text); !read) {
        return read;
    }
    const auto endpoint = net::local_endpoint(text);
    if (!endpoint) {
        return tl::unexpected{endpoint.error()};
    }
    into = *endpoint;
    return {};
}

Result<void> read_http(const toml::node& value, std::string& into) {
    std::string text;
    if (auto read = read_text(value, text); !read) {
        return read;
    }
    auto endpoint = http_endpoint(text);
    if (!endpoint) {
        return tl::unexpected{endpoint.error()};
    }
    into = std::move(*endpoint);
    return {};
}

Result<void> read_duration(const toml::node& value, Duration least, Duration most, Duration& into) {
    const auto text = value.value_exact<std::string>();
    const auto duration = text ? parse_duration(*text) : wrong("needs a duration such as \"10s\"");
    if (!duration) {
        return tl::unexpected{duration.error()};
    }
    if (*duration < least || *duration > most) {
        return wrong("is " + to_string(*duration) + ", but must be from " + to_string(least) +
                     " to " + to_string(most));
    }
    into = *duration;
    return {};
}

Result<void> read_number(const toml::node& value, std::uint32_t least, std::uint32_t most,
                         std::uint32_t& into) {
    const auto number = value.value_exact<std::int64_t>();
    if (!number || *number < least || *number > most) {
        return wrong("must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most));
    }
    into = static_cast<std::uint32_t>(*number);
    return {};
}

Result<void> read_level(const toml::node& value, log::Level& into) {
    const auto level = log::parse_level(value.value_or(std::string{}));
    if (!level) {
        return tl::unexpected{level.error()};
    }
    into = *level;
    return {};
}

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
    return wrong("must be one of " + valid);
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

constexpr std::array top_keys{
    Key{"state_dir", [](const auto& v, auto& o) { return read_text(v, o.state_dir); }},
    Key{"run_dir", [](const auto& v, auto& o) { return read_text(v, o.run_dir); }},
    Key{"log_level", [](const auto& v, auto& o) { return read_level(v, o.log_level); }},
    Key{"record", [](const auto& v, auto& o) { return read_text(v, o.record); }},
    Key{"record_mib",
        [](const auto& v, auto& o) { return read_number(v, 16, 1'000'000, o.record_mib); }},
};

constexpr std::array endpoint_keys{
    Key{"agents", [](const auto& v, auto& o) { return read_endpoint(v, o.endpoints.agents); }},
    Key{"operators",
        [](const auto& v, auto& o) { return read_endpoint(v, o.endpoints.operators); }},
    Key{"events", [](const auto& v, auto& o) { return read_endpoint(v, o.endpoints.events); }},
    Key{"http", [](const auto& v, auto& o) { return read_http(v, o.endpoints.http); }},
};

constexpr std::array cluster_keys{
    Key{"agents",
        [](const auto& v, auto& o) { return read_number(v, 1, limits::nodes, o.agents); }},
    Key{"term", [](const auto& v, auto& o) { return read_duration(v, 50ms, 1min, o.core.term); }},
    Key{"lost_after",
        [](const auto& v, auto& o) { return read_number(v, 2, 100, o.core.lost_after); }},
    Key{"recovery_grace",
        [](const auto& v, auto& o) { return read_duration(v, 0s, 1h, o.core.recovery_grace); }},
    Key{"lease",
        [](const auto& v, auto& o) {
            return read_duration(v, limits::lease_least, limits::lease_most, o.core.lease);
        }},
    Key{"max_lost",
        [](const auto& v, auto& o) { return read_duration(v, 1min, 24h * 365, o.core.max_lost); }},
    Key{"goodbye_grace",
        [](const auto& v, auto& o) { return read_duration(v, 0s, 24h, o.core.goodbye_grace); }},
    Key{"loss_rate_percent",
        [](const auto& v, auto& o) { return read_number(v, 1, 100, o.core.loss_rate_percent); }},
    Key{"max_flaky",
        [](const auto& v, auto& o) { return read_duration(v, 1s, 24h, o.core.max_flaky); }},
    Key{"loss_burst",
        [](const auto& v, auto& o) { return read_number(v, 1, limits::nodes, o.core.loss_burst); }},
    Key{"rebalance", [](const auto& v, auto& o) { return read_rebalance(v, o.core.rebalance); }},
    Key{"move_cooldown",
        [](const auto& v, auto& o) { return read_duration(v, 0s, 24h, o.core.move_cooldown); }},
    Key{"strays", [](const auto& v, auto& o) { return read_strays(v, o.core.stop_strays); }},
};

Result<void> read_mode(const toml::node& value, bool& listed_only) {
    const auto text = value.value_or(std::string{});
    if (text != "open" && text != "listed") {
        return wrong(
            "is \"open\" (who may join joins) or \"listed\" (only names that operators "
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

constexpr std::array node_keys{
    Key{"mode", [](const auto& v, auto& o) { return read_mode(v, o.core.listed_only); }},
    Key{"flaky_tasks",
        [](const auto& v, auto& o) { return read_flaky_tasks(v, o.core.flaky_tasks); }},
};

/// A table of the file and the keys it may have.
struct Section {
    std::string_view name;  ///< Empty: the top of the file.
    std::span<const Key> keys;
};

constexpr std::array sections{Section{"", top_keys}, Section{"endpoints", endpoint_keys},
                              Section{"cluster", cluster_keys}, Section{"nodes", node_keys}};

std::string valid_choices(const Section& section) {
    std::string choices;
    for (const auto& key : section.keys) {
        choices += (choices.empty() ? "" : ", ") + std::string{key.name};
    }
    if (section.name.empty()) {
        choices += ", [endpoints], [cluster], [nodes]";
    }
    return choices;
}

std::string place(std::string_view file, const toml::source_region& at) {
    return std::string{file} + ":" + std::to_string(at.begin.line) + ": ";
}

Result<void> read_section(const toml::table& table, const Section& section, std::string_view file,
                          Options& into);

Result<void> read_key(const toml::key& name, const toml::node& value, const Section& section,
                      std::string_view file, Options& into) {
    const auto where = place(file, name.source());
    for (const auto& key : section.keys) {
        if (key.name != name.str()) {
            continue;
        }
        const auto read = key.read(value, into);
        return read ? read : wrong(where + std::string{key.name} + " " + read.error().detail);
    }
    for (const auto& inner : sections) {
        if (section.name.empty() && !inner.name.empty() && inner.name == name.str()) {
            return value.is_table()
                       ? read_section(*value.as_table(), inner, file, into)
                       : wrong(where + std::string{inner.name} + " is a table: write [" +
                               std::string{inner.name} + "] and its keys below");
        }
    }
    return wrong(where + "unknown key '" + std::string{name.str()} +
                 "'; valid here: " + valid_choices(section));
}

Result<void> read_section(const toml::table& table, const Section& section, std::string_view file,
                          Options& into) {
    for (const auto& [name, value] : table) {
        if (auto read = read_key(name, value, section, file, into); !read) {
            return read;
        }
    }
    return {};
}

}  // namespace

Result<std::string> http_endpoint(std::string_view text) {
    if (text == "none") {
        return std::string{};
    }
    if (!text.starts_with("tcp://")) {
        return wrong("'" + std::string{text.substr(0, limits::path_bytes)} +
                     "' is no endpoint for HTTP; write tcp://127.0.0.1:PORT, or none");
    }
    return net::local_endpoint(text);
}

Result<Options> options_from_toml(std::string_view text, std::string_view file) {
    toml::table table;
    try {
        table = toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        return wrong(place(file, error.source()) + std::string{error.description()});
    }
    Options options;
    if (const auto read = read_section(table, sections[0], file, options); !read) {
        return tl::unexpected{read.error()};
    }
    return options;
}

}  // namespace muster
