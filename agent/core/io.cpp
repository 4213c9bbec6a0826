#include "agent/core/io.hpp"

#include <algorithm>
#include <iterator>

namespace muster::agent {

void ProcessOrders::append(ProcessOrders&& more) {
    std::ranges::move(more.releases, std::back_inserter(releases));
    std::ranges::move(more.asks, std::back_inserter(asks));
    std::ranges::move(more.ends, std::back_inserter(ends));
    std::ranges::move(more.renewals, std::back_inserter(renewals));
    std::ranges::move(more.spawns, std::back_inserter(spawns));
}

}  // namespace muster::agent
