#include <string>
#include <utility>

#include "tests/scenarios/support.hpp"

// Exchanged stores: an old one, an empty one, one of another cluster.
namespace muster::sim {
namespace {

struct Changed {
    Cluster cluster{{}};
    coordinator::StoreImage old;

    // Two tasks run; `old` is the store from when there was only one.
    Changed() {
        cluster.want("web", 2);
        require_convergence(cluster, 5s);
        old = cluster.store();
        cluster.want("api", 1);
        cluster.scale("web", 1);
        cluster.scale("web", 3);
        require_convergence(cluster, 5s);
        cluster.crash_coordinator();
    }

    void require_untouched_after(coordinator::StoreImage image) {
        const auto before = cluster.truth().processes();
        cluster.replace_store(std::move(image));
        cluster.restart_coordinator();
        cluster.run(60s);
        CHECK(cluster.coordinator_is_up());
        CHECK(cluster.truth().processes() == before);
        require_no_violations(cluster);
    }
};

TEST_CASE("an old store stops nothing", "[scenario][coordinator][S13]") {
    Changed changed;
    changed.require_untouched_after(changed.old);
}

TEST_CASE("an empty store of the same cluster stops nothing", "[scenario][coordinator][S13]") {
    Changed changed;
    coordinator::StoreImage empty;
    empty.meta.cluster = changed.old.meta.cluster;
    changed.require_untouched_after(empty);
}

TEST_CASE("a new store of another cluster stops nothing", "[scenario][coordinator][S13]") {
    Changed changed;
    Random random{99};
    changed.require_untouched_after(new_store(random));
}

TEST_CASE("a foreign store with later numbers stops nothing", "[scenario][coordinator][S13]") {
    Changed changed;
    Random random{99};
    coordinator::StoreImage foreign = new_store(random);
    foreign.meta.epoch = Epoch{1000};
    foreign.meta.counter = Generation{1000};
    changed.require_untouched_after(foreign);
}

// Goal: a node that knows a later store is left alone, and the others serve.
// Method: only n1 learns of the last change; then restore the earlier store.
TEST_CASE("work avoids a node that knows a later store", "[scenario][coordinator][S13][S25]") {
    Cluster cluster{{}};
    cluster.want("web", 1);
    cluster.run(3s);
    REQUIRE(cluster.running_on("n0") == 1);
    const coordinator::StoreImage old = cluster.store();
    cluster.want("api", 1);
    cluster.run(3s);
    REQUIRE(cluster.running_on("n1") == 1);
    cluster.crash_coordinator();
    cluster.replace_store(old);
    cluster.restart_coordinator();
    cluster.run(25s);
    for (const auto* task : {"t0", "t1", "t2", "t3", "t4"}) {
        cluster.want(task, 1);
    }
    cluster.run(10s);
    CHECK(cluster.running_on("n0") + cluster.running_on("n2") == 6);
    CHECK(cluster.running_on("n1") == 1);
    CHECK(cluster.running("api") == 1);
    require_no_violations(cluster);
}

// Goal: an operator can recover, and then exactly the tasks of the store run. Method: exchange the
// store, and accept it; its numbers belong to other specs.
TEST_CASE("an accepted store leads again", "[scenario][coordinator][S13]") {
    Changed changed;
    SECTION("an old one") { changed.require_untouched_after(changed.old); }
    SECTION("one of another cluster, with a task of the same name and number") {
        coordinator::StoreImage foreign = changed.old;
        foreign.meta.cluster = ClusterId{9, 9};
        foreign.tasks.front().wanted.spec.argv.emplace_back("another");
        changed.require_untouched_after(foreign);
    }
    Cluster& cluster = changed.cluster;
    const auto before = cluster.truth().processes();
    cluster.ask(StoreAcceptRequest{});
    REQUIRE(cluster.run_until([&] { return cluster.running("api") == 0; }, 60s));
    require_convergence(cluster, 60s);
    CHECK(cluster.running("web") == 2);
    for (const auto& [number, process] : cluster.truth().processes()) {
        CHECK_FALSE(before.contains(number));
        CHECK(process.generation == cluster.store().meta.counter);
    }
    require_no_violations(cluster);
}

// Goal: nodes of the previous cluster get no useless orders.
// Method: a new host joins a foreign store and is led; then the store takes over the old hosts.
TEST_CASE("nodes of another cluster than the accepted one are left alone",
          "[scenario][coordinator][S13][S25]") {
    Changed changed;
    Random random{99};
    changed.require_untouched_after(new_store(random));
    Cluster& cluster = changed.cluster;
    cluster.add_host("n3");
    cluster.want("new", 1);
    REQUIRE(cluster.run_until([&] { return cluster.running_on("n3") == 1; }, 30s));
    cluster.ask(StoreAcceptRequest{});
    cluster.run(30s);
    CHECK(cluster.running_on("n3") == 1);
    CHECK(cluster.running("new") == 1);
    CHECK(cluster.running("web") == 0);
    REQUIRE(cluster.store().nodes.size() == 4);
    CHECK(cluster.store().nodes.back().ahead);
    require_no_violations(cluster);
}

}  // namespace
}  // namespace muster::sim
