#include "common/net/endpoint.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <optional>

#include "common/base/number.hpp"

namespace muster::net {
namespace {

constexpr std::string_view tcp_prefix = "tcp://";
constexpr std::string_view ipc_prefix = "ipc://";
constexpr std::size_t host_bytes = 253;  // Of a name in DNS.

enum class Use { bind, connect };

struct TcpEndpoint {
    std::string host;
    std::string port;
};

/// Splits at the last colon. Nothing: the text is not tcp, or has no colon.
std::optional<TcpEndpoint> split(std::string_view text) {
    if (!text.starts_with(tcp_prefix)) {
        return std::nullopt;
    }
    const auto rest = text.substr(tcp_prefix.size());
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    return TcpEndpoint{std::string{rest.substr(0, colon)}, std::string{rest.substr(colon + 1)}};
}

bool is_port(std::string_view text) {
    const auto port = number_in<std::uint16_t>(text);
    return port && *port >= 1;
}

std::optional<std::uint32_t> ipv4(const std::string& host) {
    in_addr address{};
    return inet_pton(AF_INET, host.c_str(), &address) == 1
               ? std::optional{std::uint32_t{ntohl(address.s_addr)}}
               : std::nullopt;
}

std::optional<std::array<std::uint8_t, 16>> ipv6(const std::string& host) {
    std::array<std::uint8_t, 16> address{};
    const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    return is_bracketed &&
                   inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), address.data()) == 1
               ? std::optional{address}
               : std::nullopt;
}

bool is_loopback(const std::string& host) {
    const auto address = ipv4(host);
    return host == "localhost" || host == "[::1]" || (address && *address >> 24U == 127U);
}

/// Every address of the host: a place to bind, but not to connect.
bool is_every_address(const std::string& host) {
    return host == "*" || ipv4(host) == 0U || ipv6(host) == std::array<std::uint8_t, 16>{};
}

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Names with a letter last, so that a wrong IPv4 address is not looked up.
bool is_name(std::string_view host) {
    return !host.empty() && host.size() <= host_bytes && is_letter_or_digit(host.front()) &&
           is_letter_or_digit(host.back()) &&
           (host.back() < '0' || host.back() > '9' ||
            host.find_first_not_of("0123456789.") < host.size()) &&
           std::ranges::all_of(
               host, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '.'; });
}

Result<std::string> tcp(std::string_view text, TcpEndpoint parts, Use use) {
    const std::string named = "endpoint '" + std::string{text} + "'";
    const bool is_address = ipv4(parts.host) || ipv6(parts.host) || parts.host == "localhost";
    if (use == Use::bind && !is_address && parts.host != "*") {
        return fail(Errc::invalid, named +
                                       " names no address of this host; write tcp://ADDRESS:PORT, "
                                       "where * is every address");
    }
    if (use == Use::connect && is_every_address(parts.host)) {
        return fail(Errc::invalid, named +
                                       " means every address, so nothing can connect to it; write "
                                       "tcp://HOST:PORT");
    }
    if (use == Use::connect && !is_address && !is_name(parts.host)) {
        return fail(Errc::invalid, named + " names no host; write tcp://HOST:PORT");
    }
    if (parts.host == "localhost") {
        parts.host = "127.0.0.1";  // The library does not look up names to bind.
    }
    return std::string{tcp_prefix} + parts.host + ":" + parts.port;
}

Result<std::string> checked(std::string_view text, Use use) {
    const bool is_printable = std::ranges::none_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (is_printable && ipc_path(text).starts_with('/')) {
        return std::string{text};
    }
    if (!is_printable || !text.starts_with(tcp_prefix)) {
        return fail(Errc::invalid, "'" + (is_printable ? std::string{text} : std::string{"?"}) +
                                       "' is not an endpoint; write tcp://127.0.0.1:PORT or "
                                       "ipc:///PATH");
    }
    auto parts = split(text);
    if (parts && parts->port == "*" && use == Use::connect) {
        return fail(Errc::invalid, "endpoint '" + std::string{text} +
                                       "' names no port to connect to; write tcp://HOST:PORT");
    }
    if (!parts || (parts->port != "*" && !is_port(parts->port))) {
        return fail(Errc::invalid, "endpoint '" + std::string{text} +
                                       "' has no port from 1 to 65535; write tcp://127.0.0.1:PORT");
    }
    return tcp(text, *std::move(parts), use);
}

}  // namespace

Result<std::string> endpoint_to_bind(std::string_view text) { return checked(text, Use::bind); }

Result<std::string> endpoint_to_connect(std::string_view text) {
    return checked(text, Use::connect);
}

std::vector<std::string> endpoints_in(std::string_view text) {
    std::vector<std::string> all;
    // The path of an ipc endpoint may have commas, too.
    const auto separator = [&] { return std::min(text.find(",tcp://"), text.find(",ipc://")); };
    for (auto end = separator(); end != std::string_view::npos; end = separator()) {
        all.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    all.emplace_back(text);
    return all;
}

Result<std::string> endpoints_to_connect(std::string_view text) {
    std::string all;
    for (const std::string& one : endpoints_in(text)) {
        auto endpoint = endpoint_to_connect(one);
        if (!endpoint) {
            return endpoint;
        }
        all += (all.empty() ? "" : ",") + *endpoint;
    }
    return all;
}

bool is_on_this_host(std::string_view endpoint) {
    const auto parts = split(endpoint);
    return parts ? is_loopback(parts->host) : !ipc_path(endpoint).empty();
}

std::string_view ipc_path(std::string_view endpoint) {
    return endpoint.starts_with(ipc_prefix) ? endpoint.substr(ipc_prefix.size())
                                            : std::string_view{};
}

}  // namespace muster::net
