#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// Requests for a plan of the balance that wait until earlier changes have taken effect. Each is
/// answered after at most `limits::plan_wait`.
class PlanWaits {
public:
    struct Wait {
        Ticket ticket{};
        RequestId id;
        PlanRequest request;
        Instant deadline{};
        std::uint64_t after = 0;  ///< The last pending Persist at the time of the request.
        Caller by{};
    };

    /// False: too many wait.
    [[nodiscard]] bool add(const RequestContext& context, const PlanRequest& request,
                           std::uint64_t after);
    /// Takes out a wait that is over. If there are more, they are due at once.
    [[nodiscard]] std::optional<Wait> take_finished(const Facts& facts);
    /// The leadership ends: all get this error.
    void answer_all(const Error& error, std::vector<ReplyTo>& replies);

    [[nodiscard]] bool empty() const { return waits_.empty(); }
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    friend struct CoreFields;

    std::vector<Wait> waits_;  // In the order of arrival, and so of deadlines.
    bool has_more_ = false;    // Another wait is over.
};

/// Describes the changes up to this Persist that are still in progress: `2 instances are being
/// started`. Empty: none is.
/// Empty if nothing is. The planner's totals must be up to date.
[[nodiscard]] std::string under_way(const Facts& facts, std::uint64_t after);

}  // namespace muster::coordinator
