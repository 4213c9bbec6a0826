#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/share.hpp"
#include "tests/unit/coordinator/core/workload/placements_fixture.hpp"

namespace muster::coordinator::placements_test {
namespace {

/// The model keeps reports and orders in plain maps.
struct Model {
    using Places = std::vector<std::pair<Ordinal, NodeIndex>>;

    void report(NodeIndex node) {
        std::vector<InstanceReport> reports;
        for (const auto& [id, report] : reported[node]) {
            reports.push_back(report);
        }
        two.placements.replace(node, reports);
    }
    void report_more(NodeIndex node, const std::string& task, Random& random) {
        for (int i = 0; i < 20; ++i) {
            const auto ordinal = static_cast<Ordinal>(random.below(120));
            reported[node][{task, ordinal}] = instance(task, ordinal);
        }
        report(node);
    }
    void report_delta(NodeIndex node, const InstanceId& id) {
        if (reported[node].erase(id) > 0) {
            two.placements.change(node, {}, std::vector{id});
            return;
        }
        const auto added = instance(id.task, id.ordinal, InstanceState::backoff);
        reported[node][id] = added;
        two.placements.change(node, std::vector{added}, {});
    }
    void lose_or_find(NodeIndex node) {
        if (lost.erase(node) == 0) {
            lost.insert(node);
            ordered[node].clear();
        }
        two.placements.set_counted(node, !lost.contains(node));
    }
    void order(NodeIndex node, const InstanceId& id) {
        if (!lost.contains(node)) {
            two.placements.orders().launched(two.start(id.task, id.ordinal, node),
                                             Sequence{++sequences[node]});
            ordered[node].insert(id);
        }
    }
    void resolve_orders(NodeIndex node) {
        two.placements.orders().resolve(node, Sequence{sequences[node]});
        ordered[node].clear();
    }
    void do_something(Random& random) {
        const NodeIndex node{static_cast<std::uint32_t>(random.below(2))};
        const InstanceId id{"t" + std::to_string(random.below(3)),
                            static_cast<Ordinal>(random.below(120))};
        switch (random.below(7)) {
            case 0:
            case 1: report_more(node, id.task, random); break;
            case 2:
                std::erase_if(reported[node], [&](const auto&) { return random.chance(1, 3); });
                report(node);
                break;
            case 3: report_delta(node, id); break;
            case 4: lose_or_find(node); break;
            case 5: order(node, id); break;
            default: resolve_orders(node);
        }
    }

    Places expected(const std::string& task) {
        std::set<std::pair<Ordinal, NodeIndex>> places;
        for (const NodeIndex node : {n0, n1}) {
            for (const auto& [id, report] : reported[node]) {
                if (id.task == task && !lost.contains(node)) {
                    places.insert({id.ordinal, node});
                }
            }
            for (const InstanceId& id : ordered[node]) {
                if (id.task == task) {
                    places.insert({id.ordinal, node});
                }
            }
        }
        return {places.begin(), places.end()};
    }
    [[nodiscard]] Places found(const std::string& task) const {
        Places places;
        if (const auto index = two.workload.find(task)) {
            for (const Copy& copy : two.placements.copies().of(*index)) {
                places.emplace_back(copy.ordinal, copy.node);
            }
        }
        return places;
    }

    Two two;
    std::map<NodeIndex, std::map<InstanceId, InstanceReport>> reported;
    std::map<NodeIndex, std::set<InstanceId>> ordered;
    std::set<NodeIndex> lost;
    std::map<NodeIndex, std::uint64_t> sequences;
};

}  // namespace

// Goal: after any reports, losses and orders, both indices agree.
// Method: random steps compared with a plain model of maps.
TEST_CASE("the indices by node and by task agree with a plain model", "[placements]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 1 + share_of(100)));
    CAPTURE(seed);
    Random random{seed};
    Model model;
    for (int step = 0; step < 200; ++step) {
        model.do_something(random);
        for (const NodeIndex node : {n0, n1}) {
            CHECK(model.two.placements.reported().count(node) == model.reported[node].size());
        }
        for (const std::string task : {"t0", "t1", "t2"}) {
            REQUIRE(model.found(task) == model.expected(task));
        }
    }
}

}  // namespace muster::coordinator::placements_test
