#include "sim/providers/provider_model.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace muster::sim {

using coordinator::CallFailed;
using coordinator::OutsideResult;

namespace {

struct Describe {
    std::string operator()(const coordinator::ListNodes& /*list*/) const { return "list"; }
    std::string operator()(const coordinator::ProvisionNodes& provision) const {
        return fmt::format("provision {} for {}, request {}", provision.count, provision.pool,
                           provision.request);
    }
    std::string operator()(const coordinator::RemoveNode& remove) const {
        return "remove " + remove.id;
    }
    std::string operator()(const coordinator::PredictNeed& predict) const {
        return "predict the need of " + predict.pool;
    }
    std::string operator()(const CallFailed& failed) const { return "failed: " + failed.why; }
    std::string operator()(const coordinator::NodesListed& listed) const {
        return fmt::format("{} nodes", listed.nodes.size());
    }
    std::string operator()(const coordinator::NodesGranted& granted) const {
        return fmt::format("{} granted", granted.count);
    }
    std::string operator()(const coordinator::NodeRemoved& /*removed*/) const { return "removed"; }
    std::string operator()(const coordinator::NeedPredicted& predicted) const {
        return fmt::format("{} predicted", predicted.amount);
    }
};

}  // namespace

std::string describe(const coordinator::OutsideCall& call) {
    return fmt::format("call {}: {}", call.number, std::visit(Describe{}, call.what));
}

std::string describe(const OutsideResult& result) { return std::visit(Describe{}, result); }

void ProviderModel::call(Instant now, std::uint32_t control, std::uint64_t life,
                         const coordinator::OutsideCall& call) {
    calls_.push_back({control, life, call});
    provisions_on_way_ += std::holds_alternative<coordinator::ProvisionNodes>(call.what) ? 1U : 0U;
    const std::uint64_t number = calls_.size() - 1;
    queue_.push(now + way(), ProviderDue{number, ProviderDue::Stage::arrives});
    queue_.push(now + patience, ProviderDue{number, ProviderDue::Stage::given_up});
}

std::optional<ProviderModel::Arrival> ProviderModel::apply(Instant now, const ProviderDue& due) {
    Call& call = calls_.at(due.call);
    if (due.stage == ProviderDue::Stage::arrives) {
        call.answer =
            std::visit([&](const auto& what) { return carry_out(now, what); }, call.made.what);
        queue_.push(now + way(), ProviderDue{due.call, ProviderDue::Stage::answers});
        return std::nullopt;
    }
    if (std::exchange(call.is_over, true)) {
        return std::nullopt;
    }
    return Arrival{call.control,
                   call.life,
                   {call.made.number, due.stage == ProviderDue::Stage::answers
                                          ? *std::move(call.answer)
                                          : CallFailed{"it did not answer in time"}}};
}

OutsideResult ProviderModel::carry_out(Instant /*now*/, const coordinator::ListNodes& /*what*/) {
    if (happens(faults_.no_list)) {
        return CallFailed{"it cannot list"};
    }
    coordinator::NodesListed listed;
    if (happens(faults_.empty_list)) {
        return listed;
    }
    const bool is_short = happens(faults_.short_list);
    for (const MadeNode& node : nodes_) {
        if (node.exists && (!is_short || random_.chance(1, 2))) {
            listed.nodes.push_back(node.listed);
        }
    }
    return listed;
}

OutsideResult ProviderModel::carry_out(Instant now, const coordinator::ProvisionNodes& what) {
    --provisions_on_way_;
    if (const auto before = granted_.find(what.request); before != granted_.end()) {
        return coordinator::NodesGranted{before->second};
    }
    if (happens(faults_.refuses) || existing() + what.count > faults_.most_nodes) {
        return CallFailed{"there is no capacity"};
    }
    std::uint32_t granted = what.count;
    if (happens(faults_.fewer)) {
        granted = static_cast<std::uint32_t>(random_.below(what.count));
    } else if (happens(faults_.more)) {
        ++granted;
    }
    granted_.emplace(what.request, granted);
    for (std::uint32_t node = 0; node < granted; ++node) {
        if (!happens(faults_.never)) {
            make(now, what);
            if (happens(faults_.twice)) {
                make(now, what);
            }
        }
    }
    return coordinator::NodesGranted{granted};
}

void ProviderModel::make(Instant now, const coordinator::ProvisionNodes& what) {
    const std::size_t number = nodes_.size();
    nodes_.push_back({.listed = {.id = fmt::format("i-{}", number),
                                 .node = fmt::format("{}-{}", what.pool, number),
                                 .pool = what.pool,
                                 .request = what.request}});
    const Duration late = happens(faults_.late) ? draw(random_, faults_.late_by) : Duration{};
    queue_.push(now + late, ProvidedNodeDue{number, ProvidedNodeDue::Stage::listed});
}

OutsideResult ProviderModel::carry_out(Instant /*now*/, const coordinator::RemoveNode& what) {
    if (happens(faults_.keeps)) {
        return CallFailed{"it cannot remove"};
    }
    for (MadeNode& node : nodes_) {
        if (node.listed.id == what.id) {
            end(node);
        }
    }
    return coordinator::NodeRemoved{};
}

OutsideResult ProviderModel::carry_out(Instant /*now*/, const coordinator::PredictNeed& what) {
    if (happens(faults_.refuses) || what.recent.empty()) {
        return CallFailed{"it expects nothing"};
    }
    constexpr std::uint64_t more = 4;
    return coordinator::NeedPredicted{random_.below(what.recent.back().need + more)};
}

const MadeNode* ProviderModel::apply(Instant now, const ProvidedNodeDue& due) {
    MadeNode& node = nodes_.at(due.node);
    if (node.is_gone) {
        return nullptr;
    }
    if (due.stage == ProvidedNodeDue::Stage::listed) {
        node.exists = true;
        queue_.push(now + draw(random_, faults_.boot),
                    ProvidedNodeDue{due.node, ProvidedNodeDue::Stage::boots});
        return nullptr;
    }
    node.has_booted = true;
    return &node;
}

void ProviderModel::vanish(const std::string& name) {
    for (MadeNode& node : nodes_) {
        if (node.listed.node == name) {
            end(node);
        }
    }
}

void ProviderModel::end(MadeNode& node) {
    node.exists = false;
    if (!std::exchange(node.is_gone, true)) {
        gone_.push_back(node.listed.node);
    }
}

const MadeNode* ProviderModel::find(const std::string& name) const {
    const auto found = std::ranges::find_if(
        nodes_, [&](const MadeNode& node) { return node.listed.node == name; });
    return found == nodes_.end() ? nullptr : &*found;
}

std::size_t ProviderModel::existing() const {
    return static_cast<std::size_t>(std::ranges::count_if(nodes_, &MadeNode::exists));
}

}  // namespace muster::sim
