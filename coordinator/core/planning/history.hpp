#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/limits.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The last orders, for explain. Bounded: the oldest is dropped first.
///
/// Owned by Planning.
class History {
public:
    void add(CivilMs at, const InstanceId& id, std::string_view node, const Order& order) {
        if (kept_.size() == limits::decisions_kept) {
            kept_.pop_front();
        }
        kept_.push_back({at, id, std::string{node}, order.action, order.cause});
    }

    // The latest first, at most `most`.
    [[nodiscard]] std::vector<DecisionView> of_instance(const InstanceId& id,
                                                        std::size_t most) const {
        return latest(most, [&](const Decision& decision) { return decision.id == id; });
    }
    [[nodiscard]] std::vector<DecisionView> of_task(std::string_view task, std::size_t most) const {
        return latest(most, [&](const Decision& decision) { return decision.id.task == task; });
    }
    [[nodiscard]] std::vector<DecisionView> on_node(std::string_view node, std::size_t most) const {
        return latest(most, [&](const Decision& decision) { return decision.node == node; });
    }

private:
    friend struct CoreFields;

    struct Decision {
        CivilMs at{};
        InstanceId id;
        std::string node;
        Order::Action action{};
        Cause cause{};
    };
    [[nodiscard]] std::vector<DecisionView> latest(std::size_t most, const auto& fits) const {
        std::vector<DecisionView> views;
        for (auto decision = kept_.rbegin(); decision != kept_.rend() && views.size() < most;
             ++decision) {
            if (fits(*decision)) {
                views.push_back(
                    {.at = decision->at,
                     .what = decision->action == Order::Action::start ? "start" : "stop",
                     .name = to_string(decision->id),
                     .node = decision->node,
                     .cause = std::string{to_string(decision->cause)}});
            }
        }
        return views;
    }

    std::deque<Decision> kept_;
};

}  // namespace muster::coordinator
