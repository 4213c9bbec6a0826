#include "common/net/endpoint.hpp"

#include <algorithm>
#include <arpa/inet.h>

#include "common/base/number.hpp"

namespace muster::net {
namespace {

constexpr std::string_view tcp_prefix = "tcp://";
constexpr std::string_view ipc_prefix = "ipc://";

bool is_port(std::string_view text) {
    if (text == "*") {
        return true;
    }
    const auto port = number_in<std::uint16_t>(text);
    return port && *port >= 1;
}

bool is_loopback(const std::string& host) {
    in_addr address{};
    return host == "[::1]" || (inet_pton(AF_INET, host.c_str(), &address) == 1 &&
                               (ntohl(address.s_addr) >> 24U) == 127U);
}

Result<std::string> local_tcp(std::string_view text) {
    const auto rest = text.substr(tcp_prefix.size());
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos || !is_port(rest.substr(colon + 1))) {
        return fail(Errc::invalid, "endpoint '" + std::string{text} +
                                       "' has no port from 1 to 65535; write tcp://127.0.0.1:PORT");
    }
    auto host = std::string{rest.substr(0, colon)};
    if (host == "localhost") {
        host = "127.0.0.1";  // The library does not look up names to bind.
    }
    if (!is_loopback(host)) {
        return fail(Errc::refused,
                    "endpoint '" + std::string{text} +
                        "' is not on this host: keys do not exist yet, so only loopback "
                        "(tcp://127.0.0.1:PORT, tcp://[::1]:PORT) and ipc are allowed");
    }
    return std::string{tcp_prefix} + host + std::string{rest.substr(colon)};
}

}  // namespace

Result<std::string> local_endpoint(std::string_view text) {
    if (text.starts_with(tcp_prefix)) {
        return local_tcp(text);
    }
    const bool printable = std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (printable && ipc_path(text).starts_with('/')) {
        return std::string{text};
    }
    return fail(Errc::invalid,
                "'" + (printable ? std::string{text} : std::string{"?"}) +
                    "' is not an endpoint; write tcp://127.0.0.1:PORT or ipc:///PATH");
}

Result<std::string> local_peer(std::string_view text) {
    if (text.starts_with(tcp_prefix) && text.ends_with(":*")) {
        return fail(Errc::invalid, "endpoint '" + std::string{text} +
                                       "' names no port to connect to; write tcp://127.0.0.1:PORT");
    }
    return local_endpoint(text);
}

std::string_view ipc_path(std::string_view endpoint) {
    return endpoint.starts_with(ipc_prefix) ? endpoint.substr(ipc_prefix.size())
                                            : std::string_view{};
}

}  // namespace muster::net
