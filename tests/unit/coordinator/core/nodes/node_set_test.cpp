#include "coordinator/core/nodes/node_set.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "coordinator/core/planning/index/loads.hpp"

namespace muster::coordinator::test {
namespace {

std::set<Rank> members(const NodeSet& set) {
    std::set<Rank> found;
    for (Rank at = set.next(0); at != no_rank; at = set.next(at + 1)) {
        found.insert(at);
    }
    return found;
}

Rank next_of(const std::set<Rank>& set, Rank from) {
    const auto found = set.lower_bound(from);
    return found == set.end() ? no_rank : *found;
}

struct Both {
    NodeSet set;
    std::set<Rank> plain;

    void change(Random& random, std::uint32_t nodes) {
        const auto at = static_cast<Rank>(random.below(nodes));
        if (random.chance(2, 3)) {
            set.set(at);
            plain.insert(at);
        } else {
            set.reset(at);
            plain.erase(at);
        }
    }
};

}  // namespace

// Goal: the bit set is a set. Method: the same random changes to a std::set.
TEST_CASE("a node set holds the same as a std::set", "[planner]") {
    for (const std::uint32_t nodes : {1U, 63U, 64U, 65U, 4'096U, 4'097U, 20'000U}) {
        Random random{nodes};
        Both one{NodeSet{nodes}, {}};
        Both other{NodeSet{nodes}, {}};
        Both third{NodeSet{nodes}, {}};
        for (int i = 0; i < 400; ++i) {
            one.change(random, nodes);
            other.change(random, std::min(nodes, 200U));
            third.change(random, std::min(nodes, 100U));
        }
        CHECK(members(one.set) == one.plain);
        CHECK(one.set.count() == one.plain.size());
        const std::array<const NodeSet*, 2> others{&other.set, &third.set};
        for (int i = 0; i < 50; ++i) {
            const auto from = static_cast<Rank>(random.below(nodes));
            CHECK(one.set.test(from) == one.plain.contains(from));
            CHECK(one.set.next(from) == next_of(one.plain, from));
            Rank in_all = next_of(one.plain, from);
            while (in_all != no_rank &&
                   !(other.plain.contains(in_all) && third.plain.contains(in_all))) {
                in_all = next_of(one.plain, in_all + 1);
            }
            CHECK(one.set.next(from, others) == in_all);
        }
    }
}

// Goal: serving nodes are found by load, then name, after any history.
// Method: random changes, compared with a newly sorted list each time.
TEST_CASE("loads give the same order as sorting the serving nodes", "[planner]") {
    Random random{11};
    Loads loads;
    std::map<std::uint32_t, std::uint32_t> load;  // By node, in name order.
    std::set<std::uint32_t> known;
    std::set<std::uint32_t> serving;
    for (int step = 0; step < 3'000; ++step) {
        const auto node = static_cast<std::uint32_t>(random.below(70));
        const NodeIndex index{node};
        if (random.chance(1, 20)) {
            if (!known.erase(node)) {
                known.insert(node);
            }
            serving.erase(node);
            std::vector<NodeIndex> by_name;
            by_name.reserve(known.size());
            for (const std::uint32_t each : known) {
                by_name.push_back(NodeIndex{each});
            }
            loads.set_nodes(by_name);
        } else if (known.contains(node) && random.chance(1, 4)) {
            const bool serves = random.chance(2, 3);
            loads.set_serving(index, serves);
            serves ? void(serving.insert(node)) : void(serving.erase(node));
        } else if (load[node] > 0 && random.chance(1, 3)) {
            --load[node];
            loads.remove(index);
        } else {
            ++load[node];
            loads.add(index);
        }
        std::set<std::pair<std::uint32_t, std::uint32_t>> sorted;
        std::uint64_t sum = 0;
        for (const std::uint32_t each : serving) {
            sorted.emplace(load[each], each);
            sum += load[each];
        }
        REQUIRE(loads.serving() == serving.size());
        REQUIRE(loads.sum() == sum);
        if (!sorted.empty()) {
            REQUIRE(loads.least() == sorted.begin()->first);
            REQUIRE(loads.most() == sorted.rbegin()->first);
        }
        Loads::Cursor cursor;
        for (const auto& [of_load, each] : sorted) {
            const auto found = loads.next(cursor, [](NodeIndex) { return true; });
            REQUIRE(found == std::optional{NodeIndex{each}});
        }
        REQUIRE(!loads.next(cursor, [](NodeIndex) { return true; }));
    }
}

}  // namespace muster::coordinator::test
