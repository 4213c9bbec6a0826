#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/time.hpp"

namespace muster::net {

/// Counts the handshakes of each address in each second.
class HandshakeRate {
public:
    /// Beyond it an address is not counted. The library cannot do so many handshakes in a second.
    static constexpr std::size_t addresses = 4'096;

    explicit HandshakeRate(std::uint32_t per_second) : per_second_{per_second} {}

    /// False: this address has had its handshakes of this second.
    [[nodiscard]] bool admit(Instant now, std::string_view address);

private:
    std::uint32_t per_second_;
    Instant began_{};
    std::map<std::string, std::uint32_t, std::less<>> made_;  // In this second.
};

}  // namespace muster::net
