#pragma once

#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/pools/demand.hpp"

namespace muster::coordinator {

/// What reporters say they need of pools. Nothing of it is stored.
class DemandHandler {
public:
    DemandHandler(Changes changes, Demand& demand) : changes_{changes}, demand_{demand} {}

    void handle(const RequestContext& context, const DemandSetRequest& request);

private:
    [[nodiscard]] Result<DemandReply> take(const RequestContext& context,
                                           const DemandSetRequest& request);

    Changes changes_;
    Demand& demand_;
};

}  // namespace muster::coordinator
