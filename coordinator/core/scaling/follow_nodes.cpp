#include "coordinator/core/scaling/follow_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/scaling/members.hpp"

namespace muster::coordinator {

namespace {

bool is_over(CivilMs since, std::uint64_t lasts_ms, CivilMs now) {
    return raw(now) >= raw(since) + static_cast<std::int64_t>(lasts_ms);
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
        for (auto& [name, row] : put_) {
            change_.put.push_back(std::move(row));
        }
        name_those_elsewhere();
        tell("pool.active", active_);
        tell("pool.removing", removing_);
        tell("pool.vanished", vanished_);
        tell("pool.gone", removed_);
        tell("pool.expired", expired_);
    }

private:
    [[nodiscard]] bool is_listed(const PoolNode& node) const {
        const auto listed = at_.listing.nodes.find(node.row.name);
        return listed != at_.listing.nodes.end() && listed->second.pool == at_.pool.name;
    }
    /// It was asked for, and has not come in time.
    [[nodiscard]] bool is_overdue(const PoolNode& node) const {
        return node.row.state == PoolNodeState::requested &&
               is_over(node.row.since, at_.pool.spec.arrive_within_ms, at_.now);
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
                                   node.lost_since == CivilMs{} && !is_overdue(node) &&
                                   !at_.accepted.contains(node.row.name);
            known += is_judged ? 1U : 0U;
            if (is_judged && !is_listed(node)) {
                missing.push_back(node.row.name);
            }
        }
        constexpr std::size_t few = 3;
        const bool misses_many =
            !missing.empty() &&
            (missing.size() == known || (missing.size() >= few && missing.size() * 4 >= known));
        if (misses_many) {
            is_trusted_ = false;
            at_.hold_code = "listing_doubtful";
            at_.hold = "the listing of provider '" + at_.pool.spec.provider + "' misses " +
                       std::to_string(missing.size()) + " of " + std::to_string(known) +
                       (known == 1 ? " node" : " nodes") + " (" + some_of(missing) +
                       "); 'muster pool resume " + at_.pool.name + "' accepts it";
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
        for (PoolNode& node : at_.nodes) {
            if (!node.is_provided) {
                joined_.insert(node.row.name);
                continue;
            }
            has_slots_ = has_slots_ || node.is_slot();
            known.insert(node.row.name);
            const auto listed = at_.listing.nodes.find(node.row.name);
            if (is_listed(node) && listed->second.id != node.row.id) {
                node.row.id = listed->second.id;  // Its machine was replaced.
                put(node);
            }
        }
        for (const auto& [name, listed] : at_.listing.nodes) {
            if (listed.pool != at_.pool.name || known.contains(name)) {
                continue;
            }
            if (at_.foreign.contains(name)) {
                foreign_.push_back(name);
            } else if (known.size() < limits::pool_nodes) {
                known.insert(name);
                adopt(listed);
            } else if (change_.alarm.empty()) {
                change_.alarm = "provider '" + at_.pool.spec.provider + "' lists more than " +
                                std::to_string(limits::pool_nodes) + " nodes of the pool";
            }
        }
        if (!foreign_.empty() && change_.alarm.empty()) {
            change_.alarm = "provider '" + at_.pool.spec.provider + "' lists " + some_of(foreign_) +
                            ", which is not of this pool";
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
        const auto joined =
            joined_.contains(listed.node)
                ? std::ranges::find(at_.nodes, listed.node,
                                    [](const PoolNode& node) { return node.row.name; })
                : at_.nodes.end();
        PoolNode& node = joined == at_.nodes.end() ? at_.nodes.emplace_back() : *joined;
        node.row = std::move(row);
        node.is_provided = true;
        put(node);
    }
    [[nodiscard]] PoolNode* slot_for(const ProvidedNode& listed) {
        PoolNode* oldest = nullptr;
        if (!has_slots_) {
            return oldest;
        }
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
        // It joined, and died before it was listed. So it is not awaited any more.
        const bool has_died = node.is_known && raw(node.lost_since) >= raw(node.row.since);
        const bool was_removed = !node.has_record;  // By an operator.
        const bool stays_lost = at_.hold_code.empty() && node.lost_since != CivilMs{} &&
                                is_over(node.lost_since, at_.pool.spec.arrive_within_ms, at_.now);
        switch (node.row.state) {
            case PoolNodeState::requested:
                if ((node.serves || has_died) && !node.is_slot()) {
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
                } else if (was_removed || stays_lost) {
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

    void name_those_elsewhere() {
        const auto node = std::ranges::find_if(at_.nodes, [](const PoolNode& one) {
            return one.is_provided && !one.elsewhere.empty();
        });
        if (node != at_.nodes.end() && change_.alarm.empty()) {
            change_.alarm = "its node " + node->row.name + " serves in pool '" + node->elsewhere +
                            "', as its agent or the list of nodes says";
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
        put_.erase(node.row.name);
        change_.erased.push_back(node.row.name);
        if (told != nullptr) {
            told->push_back(node.is_slot() ? "a node of request " + node.row.request
                                           : node.row.name);
        }
        if (!node.is_slot()) {
            change_.gone.push_back(node.row.name);
        }
    }
    void put(const PoolNode& node) { put_.insert_or_assign(node.row.name, node.row); }
    void tell(const char* topic, const std::vector<std::string>& names) {
        if (!names.empty()) {
            change_.events.emplace_back(topic, some_of(names));
        }
    }

    PoolSituation& at_;
    PoolChange& change_;
    std::set<std::string> joined_;  // By themselves, or before they were listed.
    bool has_slots_ = false;
    bool is_trusted_ = false;  // The listing says which nodes there are.
    std::map<std::string, StoredPoolNode> put_;
    std::set<std::string, std::less<>> ended_;
    std::vector<std::string> active_, removing_, vanished_, removed_, expired_, foreign_;
};

}  // namespace

void follow_nodes(PoolSituation& situation, PoolChange& change) { Follow{situation, change}.run(); }

}  // namespace muster::coordinator
