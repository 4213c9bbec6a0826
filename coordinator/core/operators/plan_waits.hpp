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

/// Operators who ask what a balance would do while something that was changed before is on its way.
/// Each is answered once that has arrived, and at the latest after `limits::plan_wait`.
class PlanWaits {
public:
    struct Wait {
        Ticket ticket{};
        RequestId id;
        PlanRequest request;
        Instant deadline{};
        std::uint64_t after = 0;  ///< The last Persist on its way when it was asked.
    };

    /// False: too many wait.
    [[nodiscard]] bool add(const RequestContext& context, const PlanRequest& request,
                           std::uint64_t after);
    /// One that waits no longer, and leaves. If there are more, they are due at once.
    [[nodiscard]] std::optional<Wait> take_over(const Facts& facts);
    /// Leadership ends: all get this error.
    void answer_all(const Error& error, std::vector<ReplyTo>& replies);

    [[nodiscard]] bool empty() const { return waits_.empty(); }
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    friend struct CoreFields;

    std::vector<Wait> waits_;  // In the order in which they came, and so by deadline.
    bool has_more_ = false;    // Another one waits no longer.
};

/// What of the changes up to this Persist is still on its way: `2 instances are being started`.
/// Empty: nothing. The planner's totals are up to date.
[[nodiscard]] std::string under_way(const Facts& facts, std::uint64_t after);

}  // namespace muster::coordinator
