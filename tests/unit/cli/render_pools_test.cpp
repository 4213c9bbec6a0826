// Demand and pools, as people see them.

#include <string>

#include "tests/catch.hpp"

#include "cli/subjects/render.hpp"

using namespace muster;
using namespace muster::cli;

TEST_CASE("demand is shown with who needs it, and for how long it counts", "[cli][pools]") {
    const DemandListReply reply{{{"web", "lb-1", 300, 29'001}, {"web", "lb-2", 7, 0}}};
    CHECK(render(reply, {}, {}) ==
          "POOL  REPORTER  AMOUNT  ENDS IN\n"
          "web   lb-1      300     30 s\n"
          "web   lb-2      7       0 s\n");
    CHECK(render(DemandListReply{}, {}, {}) == "nobody needs any pool\n");
    CHECK(render(DemandReply{}, {}, {}) ==
          "it counts until its time is over; 'muster demand list' shows all\n");
    CHECK(render(DemandReply{.undefined = true}, {}, {}) ==
          "it counts until its time is over; 'muster demand list' shows all\n"
          "the pool has no definition, so nothing changes its size\n");
    CHECK(render(DemandReply{.newest = false}, {}, {}) ==
          "a newer one came before, so nothing changed\n");
}

TEST_CASE("pools are shown with their nodes and their demand", "[cli][pools]") {
    const PoolListReply reply{{{"web", 3, 2, 1, 300, 2}}};
    CHECK(render(reply, {}, {}) ==
          "POOL  NODES  SERVING  DRAINING  DEMAND  REPORTERS\n"
          "web   3      2        1         300     2\n");
    CHECK(render(PoolListReply{}, {}, {}) == "there is no pool\n");
}

TEST_CASE("a forecast has a line of the last hour, and the errors of each predictor",
          "[cli][pools]") {
    PoolForecastReply reply{
        .name = "web", .need = 80, .ahead_ms = 120'000, .predictors = {}, .recent = {}};
    CHECK(render(reply, {}, {}) ==
          "pool 'web' needs 80; nothing is predicted yet, because it has just come to be needed\n");
    reply.active = "ml";
    reply.predictors = {{"ml", 0, 0, 0, 0, 0, "it has not answered yet"}};
    CHECK(render(reply, {}, {}) ==
          "pool 'web' needs 80; there is no sample of it yet\n\n"
          "PREDICTOR  EXPECTS  SHORT  MEAN SHORT  MEAN OVER  COUNT\n"
          "ml *       -        0 %    0           0          0\n"
          "ml: it has not answered yet\n\n"
          "expected is what is needed in 120 s; short and over are by how much earlier "
          "expectations were off, of which count is how many; * decides\n");
    reply.predictors = {{"trend", 120, 4, 1, 6, 2}, {"peak", 80, 0, 0, 0, 0}};
    for (std::uint64_t need = 0; need <= 80; need += 10) {
        reply.recent.push_back({CivilMs{static_cast<std::int64_t>(need)}, need});
    }
    CHECK(render(reply, {}, {}) ==
          "pool 'web' needs 80; its last hour:\n"
          "▁▁▂▃▄▅▆▇█  0 to 80\n\n"
          "PREDICTOR  EXPECTS  SHORT  MEAN SHORT  MEAN OVER  COUNT\n"
          "trend      120      25 %   2           6          4\n"
          "peak       80       0 %    0           0          0\n\n"
          "expected is what is needed in 120 s; short and over are by how much earlier "
          "expectations were off, of which count is how many; * decides\n");
}
