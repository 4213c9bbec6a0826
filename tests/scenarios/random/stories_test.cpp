#include <cstdint>
#include <string>

#include "sim/faults/chaos.hpp"
#include "tests/scenarios/support.hpp"

// Ordinary changes of a cluster, each over many seeds with a random subset of all random faults:
// messages lost, duplicated, late and slow, disks and spawns that fail, clients that ask again.
namespace muster::sim {
namespace {

/// Every host has room for everything, so the number of running instances is known.
ClusterOptions faults_of_equal_hosts(std::uint64_t seed) {
    ClusterOptions options = random_options(seed, 4, FaultSet::drawn(seed));
    options.offers = false;
    options.coordinator.listed_only = false;  // Unknown nodes can join.
    return options;
}

/// Four nodes with two tasks, in whatever state they are when the story begins.
struct Story {
    Cluster cluster;

    explicit Story(std::uint64_t seed) : cluster{faults_of_equal_hosts(seed)} {
        await_answer(cluster.want("web", 3));
        await_answer(cluster.want("api", 2));
        cluster.run(8s);
    }
    /// Until the answer, the client asks again, and its request can arrive after a later one of
    /// another client.
    void await_answer(std::size_t question) {
        REQUIRE(cluster.run_until([&] { return cluster.answer(question).has_value(); }, 300s));
    }
    void end() {
        cluster.run(10s);
        cluster.heal_all();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
    void require_running(std::size_t web, std::size_t api) const {
        REQUIRE(cluster.running("web") == web);
        REQUIRE(cluster.running("api") == api);
    }
};

template <class Play>
void play_for_all_seeds(Play play) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        Story story{seed};
        play(story);
    }
}

TEST_CASE("a node that joins takes its share of the work, whatever else happens",
          "[scenario][story][join]") {
    play_for_all_seeds([](Story& story) {
        story.cluster.add_host("n4");
        story.end();
        story.require_running(3, 2);
        CHECK(story.cluster.running_on("n4") == 1);
    });
}

TEST_CASE("the work of a node that is lost runs elsewhere, whatever else happens",
          "[scenario][story][lose]") {
    play_for_all_seeds([](Story& story) {
        story.cluster.scrap_host("n1");
        story.end();
        story.require_running(3, 2);
        CHECK(story.cluster.running_on("n1") == 0);
    });
}

TEST_CASE("a node that returns gets work again and runs nothing twice, whatever else happens",
          "[scenario][story][return]") {
    play_for_all_seeds([](Story& story) {
        story.cluster.partition("n1");
        story.cluster.run(15s);
        story.cluster.heal("n1");
        story.end();
        story.require_running(3, 2);
        CHECK(story.cluster.running_on("n1") > 0);
    });
}

TEST_CASE("a task that is added runs, whatever else happens", "[scenario][story][add]") {
    play_for_all_seeds([](Story& story) {
        story.cluster.want("db", 4);
        story.end();
        story.require_running(3, 2);
        CHECK(story.cluster.running("db") == 4);
    });
}

TEST_CASE("a task that is removed ends everywhere, whatever else happens",
          "[scenario][story][remove]") {
    play_for_all_seeds([](Story& story) {
        story.cluster.remove("web");
        story.end();
        story.require_running(0, 2);
    });
}

TEST_CASE("a task that is scaled has as many instances, whatever else happens",
          "[scenario][story][scale]") {
    play_for_all_seeds([](Story& story) {
        story.await_answer(story.cluster.scale("web", 1));
        story.await_answer(story.cluster.scale("api", 4));
        story.cluster.run(5s);
        story.cluster.scale("web", 4);
        story.cluster.scale("api", 0);
        story.end();
        story.require_running(4, 0);
    });
}

TEST_CASE("a spec that is changed replaces every process, whatever else happens",
          "[scenario][story][rollout]") {
    play_for_all_seeds([](Story& story) {
        const auto before = story.cluster.truth().processes();
        TaskSpec changed = serving();
        changed.argv.emplace_back("another");
        story.cluster.want("web", 3, changed);
        story.cluster.restart("api");
        story.end();
        story.require_running(3, 2);
        for (const auto& [number, process] : story.cluster.truth().processes()) {
            CHECK_FALSE(before.contains(number));
        }
    });
}

TEST_CASE("a coordinator that is killed and restarted continues, whatever else happens",
          "[scenario][story][coordinator]") {
    play_for_all_seeds([](Story& story) {
        story.cluster.want("db", 1);
        story.cluster.crash_coordinator();
        story.cluster.scale("web", 2);
        story.cluster.run(3s);
        story.cluster.restart_coordinator();
        story.end();
        story.require_running(2, 2);
        CHECK(story.cluster.running("db") == 1);
    });
}

}  // namespace
}  // namespace muster::sim
