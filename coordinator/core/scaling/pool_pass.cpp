#include "coordinator/core/scaling/pool_pass.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "common/base/limits.hpp"
#include "coordinator/core/scaling/members.hpp"

namespace muster::coordinator {

namespace {

bool is_over(CivilMs since, std::uint64_t lasts_ms, CivilMs now) {
    return raw(now) >= raw(since) + static_cast<std::int64_t>(lasts_ms);
}

std::string count_of(std::size_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string{what} + (count == 1 ? "" : "s");
}

/// The states of the nodes follow what is known of them.
class Follow {
public:
    Follow(PoolSituation& at, PoolChange& change) : at_{at}, change_{change} {}

    void run() {
        check_listing();
        take_grants();
        if (is_trusted_) {
            adopt_listed();
        }
        for (PoolNode& node : at_.nodes) {
            if (node.is_provided) {
                follow(node);
            }
        }
        std::erase_if(at_.nodes,
                      [&](const PoolNode& node) { return ended_.contains(node.row.name); });
        tell("pool.active", active_);
        tell("pool.removing", removing_);
        tell("pool.vanished", vanished_);
        tell("pool.gone", removed_);
        tell("pool.expired", expired_);
    }

private:
    [[nodiscard]] bool is_listed(const PoolNode& node) const {
        return at_.listing.nodes.contains(node.row.name);
    }
    /// A listing that misses nodes of which the coordinator has not decided that they are lost.
    void check_listing() {
        is_trusted_ = at_.listing.number > 0 && at_.is_listing_current;
        if (!is_trusted_) {
            return;
        }
        std::size_t known = 0;
        std::vector<std::string> missing;
        for (const PoolNode& node : at_.nodes) {
            const bool is_judged = node.is_provided && !node.is_slot() &&
                                   node.row.state != PoolNodeState::removing &&
                                   node.lost_since == CivilMs{};
            known += is_judged ? 1U : 0U;
            if (is_judged && !is_listed(node)) {
                missing.push_back(node.row.name);
            }
        }
        constexpr std::size_t few = 3;
        const bool misses_many =
            !missing.empty() &&
            (missing.size() == known || (missing.size() >= few && missing.size() * 4 >= known));
        if (misses_many && at_.listing.number > at_.accepted_listing) {
            is_trusted_ = false;
            at_.hold_code = "listing_doubtful";
            at_.hold = "the listing of provider '" + at_.pool.spec.provider + "' misses " +
                       std::to_string(missing.size()) + " of " + count_of(known, "node") + " (" +
                       some_of(missing) + "); 'muster pool resume " + at_.pool.name +
                       "' accepts it";
            at_.is_hold_alarm = true;
        } else if (!missing.empty()) {
            change_.alarm =
                "provider '" + at_.pool.spec.provider + "' does not list " + some_of(missing);
        }
    }

    void take_grants() {
        for (const auto& [request, granted] : at_.grants) {
            std::uint32_t left = granted;
            for (const PoolNode& node : at_.nodes) {
                left -= left > 0 && !node.is_slot() && node.row.request == request ? 1U : 0U;
            }
            for (PoolNode& node : at_.nodes) {
                if (!node.is_slot() || node.row.request != request) {
                    continue;
                }
                if (left == 0) {
                    end(node, {});
                    continue;
                }
                --left;
                node.row.granted = true;
                put(node);
            }
        }
    }

    void adopt_listed() {
        std::set<std::string> known;  // Not views: adopting a node may move them all.
        for (const PoolNode& node : at_.nodes) {
            if (node.is_provided) {
                known.insert(node.row.name);
            }
        }
        for (const auto& [name, listed] : at_.listing.nodes) {
            if (listed.pool == at_.pool.name && !known.contains(name)) {
                adopt(listed);
            }
        }
    }
    /// A node that is listed for the first time takes the place of one that was asked for.
    void adopt(const ProvidedNode& listed) {
        PoolNode* const slot = slot_for(listed);
        StoredPoolNode row{.name = listed.node,
                           .pool = at_.pool.name,
                           .provider = at_.pool.spec.provider,
                           .id = listed.id,
                           .request = listed.request,
                           .since = at_.now};
        if (slot != nullptr) {
            row.request = slot->row.request;
            row.since = slot->row.since;
            row.of_request = slot->row.of_request;
            row.granted = true;
            end(*slot, {});
        }
        const auto joined = std::ranges::find_if(at_.nodes, [&](const PoolNode& node) {
            return !node.is_provided && node.row.name == listed.node;
        });
        PoolNode& node = joined == at_.nodes.end() ? at_.nodes.emplace_back() : *joined;
        node.row = std::move(row);
        node.is_provided = true;
        put(node);
    }
    [[nodiscard]] PoolNode* slot_for(const ProvidedNode& listed) {
        PoolNode* oldest = nullptr;
        for (PoolNode& node : at_.nodes) {
            if (!node.is_slot() || ended_.contains(node.row.name)) {
                continue;
            }
            if (node.row.request == listed.request) {
                return &node;
            }
            if (listed.request.empty() &&
                (oldest == nullptr || node.row.since < oldest->row.since)) {
                oldest = &node;
            }
        }
        return oldest;
    }

    void follow(PoolNode& node) {
        if (ended_.contains(node.row.name)) {
            return;
        }
        // The clock was set back. Without a new beginning the state might last for years. Clocks of
        // several coordinators may differ a little.
        constexpr std::uint64_t little_ms = 60'000;
        if (is_over(at_.now, little_ms, node.row.since)) {
            node.row.since = at_.now;
            put(node);
        }
        const bool is_gone = is_trusted_ && !node.is_slot() && !is_listed(node) && !node.answers;
        const bool is_late = is_over(node.row.since, at_.pool.spec.arrive_within_ms, at_.now);
        switch (node.row.state) {
            case PoolNodeState::requested:
                if (node.serves && !node.is_slot()) {
                    enter(node, PoolNodeState::active, active_);
                } else if (is_gone) {
                    end(node, &vanished_);
                } else if (is_late && node.is_slot() && is_trusted_) {
                    end(node, &expired_);
                } else if (is_late && !node.is_slot() && at_.hold_code.empty()) {
                    enter(node, PoolNodeState::removing, removing_);
                }
                return;
            case PoolNodeState::active:
                if (is_gone) {
                    end(node, &vanished_);
                } else if (at_.hold_code.empty() && node.lost_since != CivilMs{} &&
                           is_over(node.lost_since, at_.pool.spec.arrive_within_ms, at_.now)) {
                    enter(node, PoolNodeState::removing, removing_);
                }
                return;
            case PoolNodeState::draining:
                if (is_gone) {
                    end(node, &vanished_);
                } else if (node.is_known && node.is_active) {  // An operator ended the drain.
                    enter(node, PoolNodeState::active, active_);
                } else if (node.is_idle || !node.answers ||
                           is_over(node.row.since, at_.pool.spec.max_drain_ms, at_.now)) {
                    enter(node, PoolNodeState::removing, removing_);
                }
                return;
            case PoolNodeState::removing:
                if (is_gone) {
                    end(node, &removed_);
                }
                return;
        }
    }

    void enter(PoolNode& node, PoolNodeState state, std::vector<std::string>& told) {
        node.row.state = state;
        node.row.since = at_.now;
        node.counts = node.counts && state != PoolNodeState::removing;
        put(node);
        told.push_back(node.row.name);
    }
    void end(const PoolNode& node, std::vector<std::string>* told) {
        ended_.insert(node.row.name);
        std::erase_if(change_.put, [&](const auto& row) { return row.name == node.row.name; });
        change_.erased.push_back(node.row.name);
        if (told != nullptr) {
            told->push_back(node.is_slot() ? "a node of request " + node.row.request
                                           : node.row.name);
        }
        if (!node.is_slot()) {
            change_.gone.push_back(node.row.name);
        }
    }
    void put(const PoolNode& node) {
        std::erase_if(change_.put, [&](const auto& row) { return row.name == node.row.name; });
        change_.put.push_back(node.row);
    }
    void tell(const char* topic, const std::vector<std::string>& names) {
        if (!names.empty()) {
            change_.events.emplace_back(topic, some_of(names));
        }
    }

    PoolSituation& at_;
    PoolChange& change_;
    bool is_trusted_ = false;  // The listing says which nodes there are.
    std::set<std::string, std::less<>> ended_;
    std::vector<std::string> active_, removing_, vanished_, removed_, expired_;
};

/// How many nodes there should be, and which of them go.
class Resizing {
public:
    Resizing(PoolSituation& at, PoolChange& change) : at_{at}, change_{change} {
        for (const PoolNode& node : at_.nodes) {
            const bool is_coming = node.is_provided && node.row.state == PoolNodeState::requested;
            if (node.counts && !is_going(node)) {
                ++has_.nodes;
                ++real_nodes_;
                has_.capacity += node.amount;
                real_ += node.amount;
            } else if (is_coming) {
                ++has_.nodes;
                has_.capacity += at_.of_new_node;
            }
            coming_ += is_coming ? 1U : 0U;
            draining_ += is_draining(node) ? 1U : 0U;
        }
        has_.of_new_node = at_.of_new_node;
    }

    [[nodiscard]] const Holding& has() const { return has_; }
    [[nodiscard]] bool is_any_coming() const { return coming_ > 0; }
    /// Nodes are missing, and may not be asked for now.
    [[nodiscard]] bool lacks() const { return lacks_; }

    /// Drains end again, the last one that began first; what is still missing is asked for.
    void grow(std::uint32_t count) {
        std::vector<PoolNode*> back;
        for (PoolNode& node : at_.nodes) {
            if (is_draining(node) && node.answers && node.is_own_drain) {
                back.push_back(&node);
            }
        }
        std::ranges::sort(back, [](const PoolNode* a, const PoolNode* b) {
            return std::tie(a->row.since, a->row.name) > std::tie(b->row.since, b->row.name);
        });
        for (PoolNode* const node : back) {
            if (count == 0) {
                break;
            }
            node->row.state = PoolNodeState::active;
            node->row.since = at_.now;
            change_.put.push_back(node->row);
            change_.taken_back.push_back(node->row.name);
            has_.capacity += node->amount;
            ++has_.nodes;
            // One that came back may have more than a new one would.
            count = std::min(count - 1, missing());
        }
        lacks_ = count > 0 && !at_.shortage.empty();
        count = lacks_ ? 0 : count;
        for (std::uint32_t at = 1; at <= count; ++at) {
            change_.put.push_back({.name = at_.next_request + "/" + std::to_string(at),
                                   .pool = at_.pool.name,
                                   .provider = at_.pool.spec.provider,
                                   .request = at_.next_request,
                                   .since = at_.now,
                                   .of_request = count});
        }
        change_.decision.up = count + static_cast<std::uint32_t>(change_.taken_back.size());
        if (!change_.taken_back.empty()) {
            change_.events.emplace_back("pool.returned",
                                        some_of(change_.taken_back) + ": drained, needed again");
        }
        if (count > 0) {
            change_.events.emplace_back(
                "pool.requested", count_of(count, "node") + ", request " + at_.next_request + ": " +
                                      std::to_string(at_.wanted) + " wanted, " +
                                      std::to_string(has_.capacity) + " there");
        }
    }

    /// The emptiest nodes go, among equals the newest. Never one whose capacity is needed until
    /// those that were asked for have come.
    void shrink(std::uint32_t count) {
        std::vector<PoolNode*> candidates;
        for (PoolNode& node : at_.nodes) {
            if (node.is_provided && node.row.state == PoolNodeState::active && node.is_active &&
                node.counts) {
                candidates.push_back(&node);
            }
        }
        std::ranges::sort(candidates, [](const PoolNode* a, const PoolNode* b) {
            return std::tuple{a->instances, raw(b->row.since), b->row.name} <
                   std::tuple{b->instances, raw(a->row.since), a->row.name};
        });
        const PoolSpec& spec = at_.pool.spec;
        for (PoolNode* const node : candidates) {
            if (count == 0 || draining_ >= spec.drain_budget || real_nodes_ <= spec.min) {
                break;
            }
            // Those that were asked for may not come, so they make none of the others superfluous.
            const bool is_above_max = real_nodes_ > spec.max;
            if (!is_above_max && real_ < at_.wanted + node->amount) {
                continue;
            }
            node->row.state = PoolNodeState::draining;
            node->row.since = at_.now;
            change_.put.push_back(node->row);
            change_.drained.push_back(node->row.name);
            real_ -= node->amount;
            --real_nodes_;
            --has_.nodes;
            ++draining_;
            --count;
        }
        change_.decision.down = static_cast<std::uint32_t>(change_.drained.size());
        if (!change_.drained.empty()) {
            change_.events.emplace_back(
                "pool.draining", some_of(change_.drained) + ": " + std::to_string(at_.wanted) +
                                     " wanted, " + std::to_string(has_.capacity) + " there");
        }
    }

private:
    static bool is_draining(const PoolNode& node) {
        return node.is_provided && node.row.state == PoolNodeState::draining;
    }
    static bool is_going(const PoolNode& node) {
        return node.is_provided && (node.row.state == PoolNodeState::draining ||
                                    node.row.state == PoolNodeState::removing);
    }
    [[nodiscard]] std::uint32_t missing() const {
        const Amount lacks = at_.wanted > has_.capacity ? at_.wanted - has_.capacity : 0;
        const std::uint32_t min = at_.pool.spec.min;
        const Amount for_min = min > has_.nodes ? min - has_.nodes : 0;
        return static_cast<std::uint32_t>(
            std::min<Amount>(std::max((lacks + at_.of_new_node - 1) / at_.of_new_node, for_min),
                             limits::pool_nodes));
    }

    PoolSituation& at_;
    PoolChange& change_;
    Holding has_;
    Amount real_ = 0;  // Of the nodes that are there.
    std::uint32_t real_nodes_ = 0;
    std::uint32_t draining_ = 0;
    std::uint32_t coming_ = 0;
    bool lacks_ = false;
};

std::string describe(const Resize& resize, const PoolDecision& decision, const PoolSpec& spec) {
    const std::string there = std::to_string(decision.wanted) + " is wanted and " +
                              std::to_string(decision.capacity) + " is there";
    switch (resize.reason) {
        case SizeReason::enough: return there + ": less than a node is too much";
        case SizeReason::need:
            if (spec.provider == "none") {
                return there + ": a provider would " +
                       (resize.up > 0 ? "be asked for " + count_of(resize.up, "node")
                                      : "remove " + count_of(resize.down, "node")) +
                       ", but the pool has none";
            }
            if (decision.up == 0 && decision.down == 0) {
                return there + ": nodes go once those that were asked for have come, at most " +
                       std::to_string(spec.drain_budget) + " at once";
            }
            return there;
        case SizeReason::below_min:
            return there + ", and it has at least " + count_of(spec.min, "node");
        case SizeReason::above_max:
            return there + ", and it has at most " + count_of(spec.max, "node");
        case SizeReason::at_max:
            return there + ", but it has at most " + count_of(spec.max, "node");
        case SizeReason::at_min:
            return there + ", but it has at least " + count_of(spec.min, "node");
        case SizeReason::up_cooldown: return there + ", but it has grown a short time ago";
        case SizeReason::down_cooldown: return there + ", but it has changed a short time ago";
    }
    return there;
}

}  // namespace

std::string_view state_of(const PoolNode& node) {
    if (!node.is_provided) {
        return "fixed";
    }
    switch (node.row.state) {
        case PoolNodeState::requested: return "requested";
        case PoolNodeState::active: return "active";
        case PoolNodeState::draining: return "draining";
        case PoolNodeState::removing: return "removing";
    }
    return "unknown";
}

PoolChange decide(Instant now, PoolSituation at, Sizing& sizing) {
    PoolChange change;
    const bool has_provider = at.pool.spec.provider != "none";
    if (has_provider) {
        Follow{at, change}.run();
    }
    Resizing resizing{at, change};
    PoolDecision& decision = change.decision;
    decision.at = at.now;
    decision.demand = at.demand;
    decision.derived = at.derived;
    decision.wanted = at.wanted;
    decision.capacity = resizing.has().capacity;
    decision.nodes = resizing.has().nodes;
    if (!at.hold_code.empty()) {
        decision.code = at.hold_code;
        decision.detail = at.hold;
        change.alarm = at.is_hold_alarm ? at.hold : change.alarm;
        return change;
    }
    Resize resize = sizing.resize(now, at.wanted, resizing.has());
    const bool must_learn =
        resize.up > 0 && resize.reason == SizeReason::need && !at.is_new_node_known;
    if (must_learn) {
        resize.up = resizing.is_any_coming() ? 0 : 1;
    }
    decision.code = has_provider ? std::string{to_string(resize.reason)} : "fixed";
    if (has_provider && resize.up > 0) {
        resizing.grow(resize.up);
    } else if (has_provider && resize.down > 0) {
        resizing.shrink(resize.down);
    }
    decision.detail = describe(resize, decision, at.pool.spec) +
                      (must_learn ? ": one node shows how much a node has" : "");
    decision.detail = describe(resize, decision, at.pool.spec);
    if (resizing.lacks()) {
        decision.code = "short";
        decision.detail += ", but " + at.shortage + ": it is asked again after a while";
    }
    if (change.alarm.empty()) {
        change.alarm = at.shortage;
    }
    return change;
}

}  // namespace muster::coordinator
