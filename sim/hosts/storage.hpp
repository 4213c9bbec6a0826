#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "common/base/ids.hpp"

namespace muster::sim {

/// The storage of exclusive instances. It keeps the highest token of each instance, and refuses a
/// write with a lower one.
class Storage {
public:
    /// True if the storage accepts a write with this token.
    [[nodiscard]] bool write(const InstanceId& id, std::uint64_t token) {
        std::uint64_t& highest = highest_[id];
        highest = std::max(highest, token);
        return token == highest;
    }

private:
    std::map<InstanceId, std::uint64_t> highest_;
};

}  // namespace muster::sim
