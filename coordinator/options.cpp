#include "coordinator/options.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <vector>

#include <toml++/toml.h>

#include "common/base/limits.hpp"
#include "common/config/renamed_keys.hpp"
#include "common/net/endpoint.hpp"
#include "common/text/letter.hpp"
#include "coordinator/core_options.hpp"

namespace muster::coordinator {
namespace {

/// One key of a table: how its value is read into the options.
struct Key {
    std::string_view name;
    Result<void> (*read)(const toml::node& value, Options& into);
};

tl::unexpected<Error> wrong(std::string_view what) { return fail(Errc::invalid, printable(what)); }

Result<std::string> text_in(const toml::node& value) {
    auto text = value.value_exact<std::string>();
    if (!text || text->empty()) {
        return wrong("needs a text in quotes");
    }
    return *std::move(text);
}

template <class T>
Result<void> put(Result<T> read, T& into) {
    return std::move(read).map([&](T&& value) { into = std::move(value); });
}

Result<void> read_text(const toml::node& value, std::string& into) {
    return put(text_in(value), into);
}

Result<void> read_endpoint(const toml::node& value, std::string& into) {
    return put(text_in(value).and_then(net::local_endpoint), into);
}

Result<void> read_http(const toml::node& value, std::string& into) {
    return put(text_in(value).and_then(http_endpoint), into);
}

Result<void> read_level(const toml::node& value, log::Level& into) {
    return put(log::parse_level(value.value_or(std::string{})), into);
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
};

/// A table of the file and the keys it may have, beside those of the core.
struct Section {
    std::string_view name;  ///< Empty: the top of the file.
    std::span<const Key> keys;
};

constexpr std::array sections{Section{"", top_keys}, Section{"endpoints", endpoint_keys},
                              Section{"cluster", cluster_keys}, Section{"nodes", {}}};

std::string valid_choices(const Section& section) {
    std::vector<std::string_view> names;
    std::ranges::transform(section.keys, std::back_inserter(names), &Key::name);
    std::ranges::transform(core_keys(section.name), std::back_inserter(names), &CoreKey::name);
    return joined(names, ", ") + (section.name.empty() ? ", [endpoints], [cluster], [nodes]" : "");
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
    for (const auto& key : core_keys(section.name)) {
        if (key.name == name.str()) {
            const auto read = key.read(value, into.core);
            return read ? read : wrong(where + std::string{key.name} + " " + read.error().detail);
        }
    }
    for (const auto& inner : sections) {
        if (section.name.empty() && !inner.name.empty() && inner.name == name.str()) {
            return value.is_table()
                       ? read_section(*value.as_table(), inner, file, into)
                       : wrong(where + std::string{inner.name} + " is a table: write [" +
                               std::string{inner.name} + "] and its keys below");
        }
    }
    if (const auto present = present_name(name.str()); !present.empty()) {
        return wrong(where + std::string{name.str()} + " is now called " + std::string{present} +
                     "; rename the key");
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
                     "' is not an endpoint for HTTP; write tcp://127.0.0.1:PORT, or none");
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

}  // namespace muster::coordinator
