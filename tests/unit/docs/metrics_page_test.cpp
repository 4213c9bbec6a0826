// The page of the metrics, from a coordinator's own output.

#include <set>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/running_server.hpp"
#include "tests/unit/docs/page.hpp"

namespace muster::coordinator {

// Goal: the page has exactly the metrics that exist.
// Method: all metrics of a coordinator with an unplaced instance, which has the most.
TEST_CASE("the page of the metrics has every metric", "[docs][server]") {
    Running running;
    Peer peer{running, running.bound.operators};
    REQUIRE(json_reply(peer.ask({"task add web 1 true"})).result);
    std::set<std::string> samples;
    std::set<std::string> durations;
    REQUIRE(running.until([&] {
        const auto asked = json_reply(peer.ask({"stats"}));
        const auto& stats = std::get<StatsReply>(*asked.result);
        for (const Sample& sample : stats.samples) {
            samples.insert(sample.name);
        }
        for (const Durations& duration : stats.durations) {
            durations.insert(duration.name);
        }
        return samples.contains("muster_unplaced");
    }));
    docs::check_names("reference/metrics.md", "metrics", samples);
    docs::check_names("reference/metrics.md", "durations", durations);
}

}  // namespace muster::coordinator
