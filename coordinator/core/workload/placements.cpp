#include "coordinator/core/workload/placements.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

constexpr std::size_t unsorted_most = 32;  // Searched one by one, before they are sorted in.

bool may_run(InstanceState state) {
    return state != InstanceState::exited && state != InstanceState::failed;
}

bool before(const Copy& a, const Copy& b) {
    return std::pair{a.ordinal, a.node} < std::pair{b.ordinal, b.node};
}

}  // namespace

std::string_view to_string(Cause cause) {
    switch (cause) {
        case Cause::missing: return "missing";
        case Cause::lost: return "lost";
        case Cause::surplus: return "surplus";
        case Cause::unwanted: return "unwanted";
        case Cause::duplicate: return "duplicate";
        case Cause::rollout: return "rollout";
        case Cause::balance: return "balance";
        case Cause::drain: return "drain";
        case Cause::flaky: return "flaky";
        case Cause::unfit: return "unfit";
        case Cause::retry: return "retry";
        case Cause::every_node: return "every_node";
    }
    return "unknown";
}

bool may_run(const Copy& copy) { return !copy.reported || may_run(copy.state); }

bool has_run(InstanceState state) {
    return state == InstanceState::running || state == InstanceState::exited;
}

// ---- nodes ----

Placements::Placements(const Placements& other, Workload& workload)
    : workload_{workload},
      nodes_{other.nodes_},
      by_name_{other.by_name().begin(), other.by_name().end()},
      names_sorted_{by_name_.size()},
      tasks_{other.tasks_},
      details_{other.details_},
      touched_{other.touched_},
      evacuating_{other.evacuating_},
      flipped_{by_name_},
      offered_{by_name_},
      names_version_{other.names_version_},
      in_flight_{other.in_flight_} {
    for (Node& node : nodes_) {
        node.flipped = node.present;
    }
}

void Placements::add_node(NodeIndex index, std::string_view name) {
    if (raw(index) >= nodes_.size()) {
        nodes_.resize(std::size_t{raw(index)} + 1);
    }
    Node& node = nodes_[raw(index)];
    ensure(!node.present, "a node is added once");
    if (names_gone_) {
        sort_names();  // Its slot may be that of one that went.
    }
    node = Node{};
    node.name = name;
    node.present = true;
    by_name_.push_back(index);
    ++names_version_;
    offered_.push_back(index);
}

void Placements::remove_node(NodeIndex index) {
    set_serving(index, false);
    set_counted(index, false);
    set_evacuating(index, {});
    Node& node = at(index);
    for (const Held& held : node.held) {
        drop(index, held);
    }
    names_gone_ = true;
    ++names_version_;
    offered_.push_back(index);
    node = Node{};
}

std::span<const NodeIndex> Placements::by_name() const {
    if (names_gone_ || names_sorted_ < by_name_.size()) {
        sort_names();
    }
    return by_name_;
}

void Placements::sort_names() const {
    const auto is_before = [&](NodeIndex left, NodeIndex right) {
        return nodes_[raw(left)].name < nodes_[raw(right)].name;
    };
    const auto middle = [&] {
        return by_name_.begin() + static_cast<std::ptrdiff_t>(names_sorted_);
    };
    if (std::exchange(names_gone_, false)) {
        const auto is_gone = [&](NodeIndex node) { return !nodes_[raw(node)].present; };
        const auto gone = std::count_if(by_name_.begin(), middle(), is_gone);
        std::erase_if(by_name_, is_gone);
        names_sorted_ -= static_cast<std::size_t>(gone);
    }
    if (!std::is_sorted(middle(), by_name_.end(), is_before)) {
        std::sort(middle(), by_name_.end(), is_before);
    }
    std::inplace_merge(by_name_.begin(), middle(), by_name_.end(), is_before);
    names_sorted_ = by_name_.size();
}

void Placements::set_serving(NodeIndex node, bool serving) { set(node, &Node::serving, serving); }

void Placements::set_commandable(NodeIndex node, bool commandable) {
    set(node, &Node::commandable, commandable);
}

void Placements::set_counted(NodeIndex index, bool counted) {
    Node& node = at(index);
    if (node.counted == counted) {
        return;
    }
    set(index, &Node::counted, counted);
    if (!counted) {
        settle(index, everything);  // What is only ordered there counts as gone, too.
    }
    for (const Held& held : node.held) {
        if (counted) {
            count(index, held, true);
        } else {
            count_gone(index, held);
        }
    }
}

void Placements::set_evacuating(NodeIndex index, std::optional<Evacuation> why) {
    Node& node = at(index);
    const auto before = std::exchange(node.evacuation, why);
    if (before == why) {
        return;
    }
    evacuating_ += why ? 1U : 0U;
    evacuating_ -= before ? 1U : 0U;
    for (const Held& held : node.held) {
        touch(held.task);
    }
}

void Placements::set(NodeIndex index, bool Node::*fact, bool value) {
    Node& node = at(index);
    const bool took_starts = node.takes_starts();
    if (std::exchange(node.*fact, value) == value) {
        return;
    }
    if (node.takes_starts() != took_starts && !std::exchange(node.flipped, true)) {
        flipped_.push_back(index);
    }
    for (const Held& held : node.held) {
        touch(held.task);
    }
}

void Placements::set_offer(NodeIndex node, const Offer& offer) {
    if (this->offer(node) != offer) {
        at(node).offer = offer == Offer{} ? Boxed<Offer>{} : Boxed{offer};
        offered_.push_back(node);
        for (const Held& held : at(node).held) {
            touch(held.task);
        }
    }
}

const Offer& Placements::offer(NodeIndex node) const {
    static const Offer like_any_other;
    const Node& of = at(node);
    return of.offer ? *of.offer : like_any_other;
}

std::string_view Placements::node_name(NodeIndex node) const { return at(node).name; }
bool Placements::is_serving(NodeIndex node) const { return at(node).takes_starts(); }
bool Placements::is_commandable(NodeIndex node) const { return at(node).commandable; }
std::optional<Evacuation> Placements::evacuation(NodeIndex node) const {
    return at(node).evacuation;
}
bool Placements::is_counted(NodeIndex node) const {
    return raw(node) < nodes_.size() && nodes_[raw(node)].present && nodes_[raw(node)].counted;
}
std::size_t Placements::held(NodeIndex node) const { return at(node).held.size(); }
std::size_t Placements::in_flight(NodeIndex node) const { return at(node).in_flight.size(); }

bool Placements::is_busy(NodeIndex index) const {
    const Node& node = at(index);
    return !node.in_flight.empty() ||
           std::ranges::any_of(node.held, [](const Held& held) { return may_run(held.state); });
}

std::vector<NodeIndex> Placements::take_flipped() {
    for (const NodeIndex node : flipped_) {
        nodes_[raw(node)].flipped = false;
    }
    return std::exchange(flipped_, {});
}

Placements::Node& Placements::at(NodeIndex node) {
    ensure(raw(node) < nodes_.size() && nodes_[raw(node)].present, "the node was added");
    return nodes_[raw(node)];
}

const Placements::Node& Placements::at(NodeIndex node) const {
    ensure(raw(node) < nodes_.size() && nodes_[raw(node)].present, "the node was added");
    return nodes_[raw(node)];
}

// ---- copies by task ----

std::span<const Copy> Placements::copies(TaskIndex task) const {
    if (raw(task) >= tasks_.size()) {
        return {};
    }
    tidy(tasks_[raw(task)]);
    return tasks_[raw(task)].copies;
}

std::vector<TaskIndex> Placements::take_touched() {
    for (const TaskIndex task : touched_) {
        entry(task).touched = false;
    }
    return std::exchange(touched_, {});
}

bool Placements::is_unused(TaskIndex task) const {
    return raw(task) >= tasks_.size() ||
           (tasks_[raw(task)].references == 0 && copies(task).empty());
}

Placements::TaskEntry& Placements::entry(TaskIndex task) {
    if (raw(task) >= tasks_.size()) {
        tasks_.resize(std::max(workload_.bound(), std::size_t{raw(task)} + 1));
    }
    return tasks_[raw(task)];
}

void Placements::tidy(TaskEntry& entry) {
    std::vector<Copy>& copies = entry.copies;
    if (entry.sorted < copies.size()) {
        const auto middle = copies.begin() + entry.sorted;
        std::sort(middle, copies.end(), before);
        std::inplace_merge(copies.begin(), middle, copies.end(), before);
    }
    if (entry.holed) {
        std::erase_if(copies, [](const Copy& copy) { return copy.erased; });
        entry.holed = false;
        if (copies.empty()) {
            copies.shrink_to_fit();
        }
    }
    entry.sorted = static_cast<std::uint32_t>(copies.size());
}

Copy* Placements::find(TaskEntry& entry, Ordinal ordinal, NodeIndex node) {
    std::vector<Copy>& copies = entry.copies;
    if (copies.size() - entry.sorted > unsorted_most) {
        tidy(entry);
    }
    Copy wanted;
    wanted.ordinal = ordinal;
    wanted.node = node;
    const auto middle = copies.begin() + entry.sorted;
    const auto is_it = [&](const Copy& copy) {
        return copy.ordinal == ordinal && copy.node == node && !copy.erased;
    };
    // An erased copy may stand before the one that came after it.
    for (auto found = std::lower_bound(copies.begin(), middle, wanted, before);
         found != middle && found->ordinal == ordinal && found->node == node; ++found) {
        if (is_it(*found)) {
            return &*found;
        }
    }
    const auto found = std::find_if(middle, copies.end(), is_it);
    return found == copies.end() ? nullptr : &*found;
}

const Copy* Placements::find(TaskIndex task, Ordinal ordinal, NodeIndex node) const {
    return raw(task) < tasks_.size() ? find(tasks_[raw(task)], ordinal, node) : nullptr;
}

Copy& Placements::insert(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    TaskEntry& of = entry(task);
    if (of.copies.capacity() == 0) {
        of.copies.reserve(workload_[task].instances);
    }
    Copy copy;
    copy.ordinal = ordinal;
    copy.node = node;
    const bool in_order =
        of.sorted == of.copies.size() && (of.copies.empty() || before(of.copies.back(), copy));
    of.copies.push_back(copy);
    of.sorted += in_order ? 1 : 0;
    return of.copies.back();
}

void Placements::erase(TaskIndex task, Copy& copy) {
    copy.erased = true;
    entry(task).holed = true;
    touch(task);
}

void Placements::touch(TaskIndex task) {
    TaskEntry& of = entry(task);
    if (!of.touched) {
        of.touched = true;
        touched_.push_back(task);
    }
}

}  // namespace muster::coordinator
