#include "coordinator/providers/local/free_address.hpp"

#include <arpa/inet.h>
#include <functional>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/base/file_descriptor.hpp"
#include "common/base/fnv.hpp"

namespace muster::local_provider {
namespace {

constexpr std::uint16_t first_port = 20'000;
constexpr std::uint16_t ports = 10'000;

bool is_free(std::uint16_t port) {
    const FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return socket.is_open() &&
           bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::string free_address(std::string_view name, const std::set<std::string>& taken) {
    Fnv sum;
    sum.text(name);
    const auto begin = static_cast<std::uint16_t>(sum.digest().high % ports);
    for (std::uint16_t tried = 0; tried < ports; ++tried) {
        const auto port = static_cast<std::uint16_t>(first_port + (begin + tried) % ports);
        std::string address = "127.0.0.1:" + std::to_string(port);
        if (!taken.contains(address) && is_free(port)) {
            return address;
        }
    }
    return {};
}

}  // namespace muster::local_provider
