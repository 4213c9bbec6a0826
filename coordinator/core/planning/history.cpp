#include "coordinator/core/planning/history.hpp"

namespace muster::coordinator {

void History::add(CivilMs at, const InstanceId& id, std::string_view node, const Order& order) {
    if (kept_.size() == limits::decisions_kept) {
        kept_.pop_front();
    }
    kept_.push_back({at, id, std::string{node}, order.action, order.cause});
}

template <class Fits>
std::vector<DecisionView> History::latest(std::size_t most, const Fits& fits) const {
    std::vector<DecisionView> views;
    for (auto decision = kept_.rbegin(); decision != kept_.rend() && views.size() < most;
         ++decision) {
        if (fits(*decision)) {
            views.push_back({.at = decision->at,
                             .what = decision->action == Order::Action::start ? "start" : "stop",
                             .name = to_string(decision->id),
                             .node = decision->node,
                             .cause = std::string{to_string(decision->cause)}});
        }
    }
    return views;
}

std::vector<DecisionView> History::of_instance(const InstanceId& id, std::size_t most) const {
    return latest(most, [&](const Decision& decision) { return decision.id == id; });
}

std::vector<DecisionView> History::of_task(std::string_view task, std::size_t most) const {
    return latest(most, [&](const Decision& decision) { return decision.id.task == task; });
}

std::vector<DecisionView> History::on_node(std::string_view node, std::size_t most) const {
    return latest(most, [&](const Decision& decision) { return decision.node == node; });
}

}  // namespace muster::coordinator
