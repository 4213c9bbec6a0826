#include "coordinator/endpoints/advertised.hpp"

#include <arpa/inet.h>
#include <array>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>

namespace muster::coordinator {
namespace {

std::string first_address() {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return "127.0.0.1";
    }
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned{all, freeifaddrs};
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET ||
            (one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) {
            continue;
        }
        std::array<char, INET_ADDRSTRLEN> text{};
        const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
        if (inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr) {
            return text.data();
        }
    }
    return "127.0.0.1";
}

}  // namespace

std::string advertised(std::string_view bound, std::string_view hosts) {
    constexpr std::string_view scheme = "tcp://";
    if (!bound.starts_with(scheme)) {
        return std::string{bound};
    }
    const auto colon = bound.rfind(':');
    const std::string_view address = bound.substr(scheme.size(), colon - scheme.size());
    const bool is_any = address == "0.0.0.0" || address == "*" || address == "[::]";
    if (!is_any && hosts.empty()) {
        return std::string{bound};
    }
    const std::string port{bound.substr(colon)};
    std::string all{scheme};
    for (const char each : hosts.empty() ? first_address() : std::string{hosts}) {
        all += each == ',' ? port + ',' + std::string{scheme} : std::string{each};
    }
    return all + port;
}

}  // namespace muster::coordinator
