#include "cli/subjects/nodes/drain_watch.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

NodeShowReply seen_with(const std::vector<Ordinal>& instances,
                        const std::vector<DrainBlocker>& blockers) {
    NodeShowReply seen;
    seen.drain.running = true;
    seen.drain.blocked_by = blockers;
    for (const Ordinal ordinal : instances) {
        InstanceView& instance = seen.instances.emplace_back();
        instance.id = {"web", ordinal};
    }
    return seen;
}

}  // namespace

// Goal: a person who watches a drain sees moves and blockers, each once.
// Method: queries of a node that two instances leave, and where one is blocked twice by different
// things.
TEST_CASE("a watched drain reports each move and each new blocker once", "[cli][drain]") {
    DrainWatch watch;
    const auto begun = watch.update(seen_with({0, 1, 2}, {{"web.2", "max_surge", ""}}));
    CHECK(begun.left.empty());
    REQUIRE(begun.blockers.size() == 1);
    CHECK(watch.update(seen_with({0, 1, 2}, {{"web.2", "max_surge", ""}})).blockers.empty());
    const auto later = watch.update(seen_with({2}, {{"web.2", "starting", ""}}));
    CHECK(later.left == std::vector<InstanceId>{{"web", 0}, {"web", 1}});
    REQUIRE(later.blockers.size() == 1);
    CHECK(later.blockers.front().code == "starting");
    CHECK_FALSE(later.endless);
    CHECK(watch.update({}).left == std::vector<InstanceId>{{"web", 2}});
}

// Goal: nobody waits for ever without a warning.
// Method: a blocker that only other nodes can end, without a deadline, again, and with one.
TEST_CASE("a drain without a deadline warns once of a blocker that can stay for ever",
          "[cli][drain]") {
    const auto stuck = seen_with({0}, {{"web.0", "label", "no node has such a label"}});
    DrainWatch watch;
    const auto news = watch.update(stuck);
    REQUIRE(news.endless);
    CHECK(news.endless->instance == "web.0");
    CHECK_FALSE(watch.update(stuck).endless);

    auto bounded = stuck;
    bounded.drain.deadline = CivilMs{1};
    CHECK_FALSE(DrainWatch{}.update(bounded).endless);
    CHECK_FALSE(DrainWatch{}.update(seen_with({0}, {{"web.0", "starting", ""}})).endless);
}
