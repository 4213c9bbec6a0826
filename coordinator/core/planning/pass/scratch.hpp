#pragma once

#include "common/base/ids.hpp"
#include "coordinator/core/planning/index/homes.hpp"
#include "coordinator/core/planning/pass/reading.hpp"

namespace muster::coordinator {

/// Of the one task that is looked at, its reading and counts by node; kept only because they are
/// large.
struct Scratch {
    Reading reading;
    Tally<NodeIndex> copies;   ///< Where copies are, or are to be by orders of this pass.
    Tally<NodeIndex> at_home;  ///< Where instances are at home.
    Tally<NodeIndex> staying;  ///< Where copies are that stay.
};

}  // namespace muster::coordinator
