#include "coordinator/providers/local/free_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/base/file_descriptor.hpp"
#include "common/base/fnv.hpp"

namespace muster::local_provider {
namespace {

constexpr std::uint16_t first_port = 20'000;
constexpr std::uint16_t ports = 10'000;

bool is_free(const std::string& host, std::uint16_t port) {
    const FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    return socket.is_open() && inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1 &&
           bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// One of 127.128.0.1 to 127.255.255.254.
std::string loopback_host(std::uint64_t number) {
    const std::uint64_t second = 128 + number % 128;
    const std::uint64_t third = number / 128 % 256;
    const std::uint64_t last = 1 + number / 128 / 256 % 254;
    return "127." + std::to_string(second) + '.' + std::to_string(third) + '.' +
           std::to_string(last);
}

}  // namespace

std::string free_address(std::string_view cluster, std::string_view node,
                         const std::set<std::string>& taken) {
    Fnv sum;
    sum.text(cluster);
    sum.text(node);
    const auto begin = static_cast<std::uint16_t>(sum.digest().high % ports);
    const std::string host = loopback_host(sum.digest().low);
    for (std::uint16_t tried = 0; tried < ports; ++tried) {
        const auto port = static_cast<std::uint16_t>(first_port + (begin + tried) % ports);
        std::string address = host + ':' + std::to_string(port);
        if (!taken.contains(address) && is_free(host, port)) {
            return address;
        }
    }
    return {};
}

}  // namespace muster::local_provider
