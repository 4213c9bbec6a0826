#include "coordinator/options.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <vector>

#include <toml++/toml.h>

#include "common/base/limits.hpp"
#include "common/base/number.hpp"
#include "common/config/toml_fields.hpp"
#include "common/net/endpoint.hpp"
#include "common/spec/quantity.hpp"
#include "common/text/utf8.hpp"
#include "coordinator/core_options.hpp"
#include "coordinator/provider_keys.hpp"

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
    return put(text_in(value).and_then(net::endpoint_to_bind), into);
}

Result<void> read_http(const toml::node& value, std::string& into) {
    return put(text_in(value).and_then(http_endpoint), into);
}

Result<void> read_level(const toml::node& value, log::Level& into) {
    return put(log::parse_level(value.value_or(std::string{})), into);
}

/// A size with its unit, or a number of MiB.
Result<void> read_mebibytes(const toml::node& value, std::uint32_t least, std::uint32_t most,
                            std::uint32_t& into) {
    if (!value.is_string()) {
        return read_number(value, least, most, into);
    }
    const auto size = parse_size(value.value_or(std::string{}));
    if (!size) {
        return tl::unexpected{size.error()};
    }
    const std::uint64_t whole = *size >> 20U;
    if (whole < least || whole > most) {
        return wrong("is " + size_text(*size) + ", but must be from " +
                     size_text(std::uint64_t{least} << 20U) + " to " +
                     size_text(std::uint64_t{most} << 20U));
    }
    into = static_cast<std::uint32_t>(whole);
    return {};
}

constexpr std::array top_keys{
    Key{"state_dir", [](const auto& v, auto& o) { return read_text(v, o.state_dir); }},
    Key{"run_dir", [](const auto& v, auto& o) { return read_text(v, o.run_dir); }},
    Key{"log_level", [](const auto& v, auto& o) { return read_level(v, o.log_level); }},
    Key{"insecure_loopback",
        [](const auto& v, auto& o) { return read_truth(v, o.insecure_loopback); }},
    Key{"record", [](const auto& v, auto& o) { return read_text(v, o.record); }},
    Key{"record_mib",
        [](const auto& v, auto& o) { return read_mebibytes(v, 16, 1'000'000, o.record_mib); }},
};

constexpr std::array endpoint_keys{
    Key{"agents", [](const auto& v, auto& o) { return read_endpoint(v, o.endpoints.agents); }},
    Key{"operators",
        [](const auto& v, auto& o) { return read_endpoint(v, o.endpoints.operators); }},
    Key{"events", [](const auto& v, auto& o) { return read_endpoint(v, o.endpoints.events); }},
    Key{"enrolment",
        [](const auto& v, auto& o) { return read_endpoint(v, o.endpoints.enrolment); }},
    Key{"advertise", [](const auto& v, auto& o) { return read_text(v, o.endpoints.advertise); }},
    Key{"http", [](const auto& v, auto& o) { return read_http(v, o.endpoints.http); }},
};

constexpr std::array cluster_keys{
    Key{"agents",
        [](const auto& v, auto& o) { return read_number(v, 1, limits::nodes, o.agents); }},
};

/// Such as `10.0.0.1:2379`.
Result<void> read_hosts(const toml::node& value, std::vector<std::string>& into) {
    std::vector<std::string> hosts;
    const auto* const list = value.as_array();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
        const auto text = (*list)[at].value_or(std::string{});
        const auto colon = text.rfind(':');
        if (text.find("://") != std::string::npos) {
            return wrong("has " + in_quotes(text) +
                         ", but wants HOST:PORT alone; `ca` says that TLS is used");
        }
        if (colon == 0 || colon == std::string::npos ||
            !number_in<std::uint16_t>(std::string_view{text}.substr(colon + 1))) {
            return wrong("has " + in_quotes(text) + ", which is not HOST:PORT");
        }
        hosts.push_back(text);
    }
    if (hosts.empty()) {
        return wrong("needs a list of HOST:PORT in quotes");
    }
    into = std::move(hosts);
    return {};
}

Result<void> read_prefix(const toml::node& value, std::string& into) {
    return put(text_in(value).and_then([](std::string text) -> Result<std::string> {
        if (!text.starts_with('/') || text.ends_with('/')) {
            return wrong("is " + in_quotes(text) + "; it begins with / and does not end with it");
        }
        return text;
    }),
               into);
}

constexpr std::array etcd_keys{
    Key{"endpoints", [](const auto& v, auto& o) { return read_hosts(v, o.etcd.endpoints); }},
    Key{"prefix", [](const auto& v, auto& o) { return read_prefix(v, o.etcd.prefix); }},
    Key{"lease", [](const auto& v, auto& o) { return read_duration(v, 2s, 1min, o.etcd.lease); }},
    Key{"ca", [](const auto& v, auto& o) { return read_text(v, o.etcd.ca); }},
    Key{"certificate", [](const auto& v, auto& o) { return read_text(v, o.etcd.certificate); }},
    Key{"key", [](const auto& v, auto& o) { return read_text(v, o.etcd.key); }},
    Key{"user", [](const auto& v, auto& o) { return read_text(v, o.etcd.user); }},
    Key{"password_file", [](const auto& v, auto& o) { return read_text(v, o.etcd.password_file); }},
};

/// A table of the file and the keys it may have, besides those of the core.
struct Section {
    std::string_view name;  ///< Empty: the top of the file.
    std::span<const Key> keys;
};

constexpr std::array sections{Section{"", top_keys}, Section{"endpoints", endpoint_keys},
                              Section{"cluster", cluster_keys}, Section{"nodes", {}},
                              Section{"etcd", etcd_keys}};

std::vector<std::string_view> known_keys(const Section& section) {
    std::vector<std::string_view> names;
    std::ranges::transform(section.keys, std::back_inserter(names), &Key::name);
    std::ranges::transform(core_keys(section.name), std::back_inserter(names), &CoreKey::name);
    if (section.name.empty()) {
        std::ranges::transform(std::span{sections}.subspan(1), std::back_inserter(names),
                               &Section::name);
        names.insert(names.end(), {"providers", "predictors"});  // Tables of tables.
    }
    return names;
}

Result<void> read_key(std::string_view name, const toml::node& value, const Section& section,
                      Options& into) {
    for (const auto& key : section.keys) {
        if (key.name == name) {
            return key.read(value, into);
        }
    }
    for (const auto& key : core_keys(section.name)) {
        if (key.name == name) {
            return key.read(value, into.core);
        }
    }
    return {};  // It is a table, or was refused.
}

void read_section(TomlFields& fields, const toml::table& table, const Section& section,
                  Options& into) {
    fields.known_keys(
        table, known_keys(section),
        section.name.empty() ? "the configuration" : '[' + std::string{section.name} + ']');
    for (const auto& [name, value] : table) {
        if (const auto read = read_key(name.str(), value, section, into); !read) {
            fields.fail_at(name.source(), std::string{name.str()} + " " + read.error().detail);
        }
    }
}

Options read_file(TomlFields& fields, const toml::table& table) {
    Options options;
    read_section(fields, table, sections.front(), options);
    for (const auto& inner : std::span{sections}.subspan(1)) {
        if (const auto* const found = fields.table(table, inner.name)) {
            read_section(fields, *found, inner, options);
        }
    }
    read_outside(fields, table, options.outside, options.core);
    toml::source_region where;
    if (const auto done = complete(options.core, table, where); !done) {
        fields.fail_at(where, done.error().detail);
    }
    return options;
}

}  // namespace

std::string beside(std::string_view endpoint, std::uint16_t higher) {
    const auto colon = endpoint.rfind(':');
    const auto port = number_in<std::uint16_t>(endpoint.substr(colon + 1));
    return std::string{endpoint.substr(0, colon + 1)} +
           (port ? std::to_string(*port + higher) : "*");
}

Endpoints completed(Endpoints endpoints) {
    const bool has_ports = net::ipc_path(endpoints.operators).empty();
    if (endpoints.events.empty()) {
        endpoints.events = beside(has_ports ? endpoints.operators : Endpoints{}.operators, 1);
    }
    if (endpoints.enrolment.empty() && net::ipc_path(endpoints.agents).empty()) {
        endpoints.enrolment = beside(endpoints.agents, 3);
    }
    return endpoints;
}

Result<std::string> http_endpoint(std::string_view text) {
    if (text == "none") {
        return std::string{};
    }
    if (!text.starts_with("tcp://")) {
        return wrong("'" + std::string{text.substr(0, limits::path_bytes)} +
                     "' is not an endpoint for HTTP; write tcp://127.0.0.1:PORT, or none");
    }
    auto endpoint = net::endpoint_to_bind(text);
    if (endpoint && !net::is_on_this_host(*endpoint)) {
        return wrong("endpoint '" + *endpoint +
                     "' is not on this host: HTTP has no keys, so only loopback "
                     "(tcp://127.0.0.1:PORT, tcp://[::1]:PORT) is allowed");
    }
    return endpoint;
}

Result<Options> options_from_toml(std::string_view text, std::string_view file) {
    return read_toml(text, file, read_file);
}

}  // namespace muster::coordinator
