#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "common/base/ids.hpp"

namespace muster::sim {

/// What exclusive instances write to, each to its own: it keeps the highest token that it has seen
/// of an instance, and refuses who comes with a lower one.
class Storage {
public:
    /// Whether it took what a process with this token wrote.
    [[nodiscard]] bool write(const InstanceId& id, std::uint64_t token) {
        std::uint64_t& highest = highest_[id];
        highest = std::max(highest, token);
        return token == highest;
    }

private:
    std::map<InstanceId, std::uint64_t> highest_;
};

}  // namespace muster::sim
