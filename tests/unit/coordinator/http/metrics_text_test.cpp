#include "coordinator/http/metrics_text.hpp"

#include "tests/catch.hpp"

namespace muster::coordinator {

TEST_CASE("metrics are in the text form of Prometheus", "[metrics]") {
    StatsReply stats;
    stats.samples = {{"muster_nodes", {}, 3},
                     {"muster_nodes_by_health", {{"health", "healthy"}}, 2},
                     {"muster_nodes_by_health", {{"health", "lost"}}, 1},
                     {"muster_polls_total", {}, 70}};
    stats.durations = {{"muster_round", {}, {{500, 2}, {1'000'000, 1}, {0, 1}}, 2'500'700},
                       {"muster_round_part", {{"part", "plan"}}, {{500, 1}, {0, 0}}, 20}};
    CHECK(metrics_text(stats) == R"(# TYPE muster_nodes gauge
muster_nodes 3
# TYPE muster_nodes_by_health gauge
muster_nodes_by_health{health="healthy"} 2
muster_nodes_by_health{health="lost"} 1
# TYPE muster_polls_total counter
muster_polls_total 70
# TYPE muster_round_seconds histogram
muster_round_seconds_bucket{le="0.0005"} 2
muster_round_seconds_bucket{le="1"} 3
muster_round_seconds_bucket{le="+Inf"} 4
muster_round_seconds_sum 2.5007
muster_round_seconds_count 4
# TYPE muster_round_part_seconds histogram
muster_round_part_seconds_bucket{part="plan",le="0.0005"} 1
muster_round_part_seconds_bucket{part="plan",le="+Inf"} 1
muster_round_part_seconds_sum{part="plan"} 0.00002
muster_round_part_seconds_count{part="plan"} 1
)");
}

TEST_CASE("a label's value cannot escape from its line", "[metrics]") {
    StatsReply stats;
    stats.samples = {{"muster_x", {{"reason", "a\"b\\c\nd"}}, 1}};
    CHECK(metrics_text(stats) == "# TYPE muster_x gauge\nmuster_x{reason=\"a\\\"b\\\\c\\nd\"} 1\n");
}

}  // namespace muster::coordinator
