#include <algorithm>
#include <string>

#include "tests/scenarios/support.hpp"

// Hosts and operators who prove keys, and those who use keys and names of others.
namespace muster::sim {
namespace {

ClusterOptions with_keys(std::uint64_t seed = 1, std::uint32_t nodes = 4) {
    ClusterOptions options{.seed = seed, .nodes = nodes};
    options.coordinator.keys = true;
    return options;
}

bool await(Cluster& cluster, std::size_t question) {
    REQUIRE(cluster.run_until([&] { return cluster.answer(question).has_value(); }, 30s));
    return cluster.answer(question)->result.has_value();
}

Errc code_of(Cluster& cluster, std::size_t question) {
    REQUIRE_FALSE(await(cluster, question));
    return cluster.answer(question)->result.error().code;
}

std::size_t running_beside(const Cluster& cluster, const std::string& task, HostIndex away) {
    const auto copies = cluster.truth().of(task);
    return static_cast<std::size_t>(std::ranges::count_if(
        copies, [&](const Process* process) { return process->host != away; }));
}

/// How often its agent was refused or its node left, as the trace says.
std::size_t times_in(const Cluster& cluster, const std::string& part) {
    const std::string text = cluster.world().trace.text();
    std::size_t times = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

}  // namespace

// Goal: a revoked host is out, and its work runs elsewhere, as if it had left (S19, S9).
// Method: an admin revokes the key of a host that runs copies. Then the admin removes the key, and
// the host enrols again.
TEST_CASE("the copies of a node whose key is revoked are started elsewhere without a freeze",
          "[scenario][keys][S19]") {
    Cluster cluster{with_keys()};
    cluster.want("web", 3);
    require_convergence(cluster, 20s);
    const HostIndex revoked = cluster.find("n1");
    REQUIRE(cluster.truth().on(revoked).size() == 1);
    REQUIRE(await(cluster, cluster.revoke("n1")));
    CHECK(cluster.run_until([&] { return running_beside(cluster, "web", revoked) == 3; }, 60s));
    CHECK(cluster.trace().contains("c1 > n1 its key is not admitted any more -> left"));
    CHECK(cluster.trace().contains("c1 > n1 refused, denied"));
    CHECK_FALSE(cluster.trace().contains("c1 freeze"));
    cluster.run(60s);
    CHECK(running_beside(cluster, "web", revoked) == 3);
    // A revoked name gets no other key before it is removed.
    cluster.set_key("n1", key_of_host("n1", 1));
    CHECK(code_of(cluster, cluster.admit("n1")) == Errc::refused);
    cluster.admit_anew("n1");
    CHECK(cluster.run_until([&] { return cluster.trace().contains("-> returned"); }, 60s));
    require_convergence(cluster, 60s);
    cluster.heal_all();
    CHECK(cluster.converges());
    require_no_violations(cluster);
}

// Goal: nothing that comes after the end of a key is obeyed, also between two readings of the
// clock, and the next leader does not know the key either (S19).
// Method: keys end at many moments of a round; once a leader begins just before, once just after.
TEST_CASE("a key that expires in the middle of a round reports nothing more",
          "[scenario][keys][S19]") {
    for (std::uint64_t seed = 1; seed <= share_of(40); ++seed) {
        CAPTURE(seed);
        Cluster cluster{with_keys(seed)};
        cluster.want("web", 3);
        require_convergence(cluster, 20s);
        cluster.set_key("n1", key_of_host("n1", 1));
        REQUIRE(await(cluster, cluster.admit("n1", 9s + std::chrono::milliseconds{seed * 97})));
        const Instant over = cluster.now() + 9s + std::chrono::milliseconds{seed * 97};
        const HostIndex second = cluster.find("n1");
        if (seed % 4 == 1) {
            cluster.run(8s);
            cluster.crash_coordinator();
            cluster.restart_coordinator();
        }
        cluster.run(over - cluster.now() + 6s);
        CHECK_FALSE(cluster.is_key_admitted(second));
        CHECK(cluster.trace().contains("c1 > n1 refused, denied"));
        const std::size_t denied = times_in(cluster, "c1 > n1 refused, denied");
        if (seed % 4 == 2) {
            cluster.crash_coordinator();
            cluster.restart_coordinator();
            cluster.run(20s);
            CHECK(times_in(cluster, "c1 > n1 refused, denied") > denied);
        }
        CHECK(cluster.run_until([&] { return running_beside(cluster, "web", second) == 3; }, 90s));
        REQUIRE(await(cluster, cluster.admit("n1")));
        require_convergence(cluster, 60s);
        require_no_violations(cluster);
    }
}

// Goal: a rotation costs nothing: no missed poll, no suspicion, no moved copy.
// Method: each host gets a second key while its first is valid, and takes it; the first key is out
// once a third one comes.
TEST_CASE("a fleet whose keys are rotated misses no poll", "[scenario][keys]") {
    ClusterOptions options = with_keys();
    options.reconnect = {10ms, 10ms};
    Cluster cluster{options};
    cluster.want("web", 4);
    require_convergence(cluster, 20s);
    const auto before = cluster.truth().processes();
    for (std::uint64_t time = 1; time <= 3; ++time) {
        for (const std::string& label : cluster.labels()) {
            const PublicKey next = key_of_host(label, time);
            REQUIRE(
                await(cluster, cluster.ask(KeyAddRequest{
                                   .name = label, .role = Role::agent, .key = to_string(next)})));
            cluster.run(300ms);
            cluster.set_key(label, next);
            cluster.run(1700ms);
            CHECK(cluster.status()->silent == 0);
        }
    }
    cluster.run(20s);
    CHECK(cluster.suspicions() == 0);
    CHECK_FALSE(cluster.trace().contains("denied"));
    CHECK_FALSE(cluster.trace().contains("silent"));
    CHECK(cluster.truth().processes().size() == before.size());
    for (const auto& [number, process] : before) {
        CHECK(cluster.truth().running(process.id, process.host) == 1);
    }
    require_no_violations(cluster);
}

// Goal: nobody speaks for another node, be it there, away, or not known yet (S18, S19).
// Method: an enrolled host says hello with the names of others; a stranger does so before the
// owner of the name has come; a copied directory is used under the name of another.
TEST_CASE("a host that says hello with the name of another is denied and changes nothing",
          "[scenario][keys][S18][S19]") {
    Cluster cluster{with_keys()};
    cluster.want("web", 4);
    require_convergence(cluster, 20s);
    cluster.add_stranger("m0");
    for (int time = 0; time < 20; ++time) {
        cluster.steal_name("n3", "n0");
        cluster.steal_name("m0", "n1");
        cluster.steal_name("n3", "n9");  // Nobody has it yet.
        cluster.run(700ms);
    }
    CHECK(times_in(cluster, "c1 > n3 refused, denied") >= 20);
    CHECK(cluster.trace().contains("c1 > m0 refused, denied"));
    CHECK_FALSE(cluster.trace().contains("c1 > n9"));
    CHECK_FALSE(cluster.trace().contains("c1 > m0 version"));
    cluster.set_key("m0", cluster.host("n2").key());
    cluster.run(20s);
    CHECK(cluster.status()->nodes == 4);
    CHECK(cluster.converged());
    require_no_violations(cluster);
}

// Goal: the polls of a node are not counted for another whose name and key its host used (S11).
// Method: a host takes the key of another, and its name with it. The other key is revoked before
// the host's own node was polled often enough to be lost by these polls.
TEST_CASE("a host that used the name and key of another is lost by its own polls",
          "[scenario][keys][S11]") {
    ClusterOptions options = with_keys();
    options.coordinator.loss.after = 10;
    Cluster cluster{options};
    cluster.want("web", 2);
    cluster.run(3s);
    cluster.partition("n2");
    cluster.set_key("n1", cluster.host("n2").key());
    cluster.run(2s);
    cluster.steal_name("n1", "n2");
    cluster.run(1500ms);
    CHECK(cluster.trace().contains("c1 > n2 incarnation 101 -> restarted"));
    REQUIRE(await(cluster, cluster.revoke("n2")));
    CHECK(cluster.run_until(
        [&] { return cluster.trace().contains("c1 > n1 silent for 10 polls -> lost"); }, 30s));
    require_no_violations(cluster);
}

// Goal: a copied directory is noticed, and does not take the node away while it answers (A6).
// Method: another machine has the name, key and nothing else of a host that works.
TEST_CASE("a cloned directory does not take the name of a host that answers",
          "[scenario][keys][S18]") {
    Cluster cluster{with_keys()};
    cluster.want("web", 4);
    require_convergence(cluster, 20s);
    const auto before = cluster.truth().processes();
    cluster.clone_host("n2");
    cluster.run(2min);
    CHECK(cluster.status()->nodes == 4);
    CHECK(cluster.truth().on(cluster.find("n2'")).empty());
    for (const auto& [number, process] : before) {
        CHECK(cluster.truth().running(process.id, process.host) == 1);
    }
    require_no_violations(cluster);
}

// Goal: who may do what is decided by the key, and each denied request is in the audit (S19, S22).
// Method: a limited operator, an observer, a stranger and a revoked operator ask for changes.
TEST_CASE("a limited operator changes its tasks only, and a revoked one nothing",
          "[scenario][keys][S19][S22]") {
    Cluster cluster{with_keys()};
    const coordinator::Caller olga = operator_with_key("olga");
    const coordinator::Caller otto = operator_with_key("otto");
    REQUIRE(await(cluster, cluster.ask(KeyAddRequest{.name = "olga",
                                                     .role = Role::operator_,
                                                     .key = to_string(olga.key),
                                                     .tasks = {"web*"}})));
    REQUIRE(
        await(cluster, cluster.ask(KeyAddRequest{
                           .name = "otto", .role = Role::observer, .key = to_string(otto.key)})));
    cluster.want("db", 2);
    const auto apply = [](const std::string& task) {
        return ApplyRequest{.tasks = {WantedTask{task, 2, serving()}}};
    };
    CHECK(await(cluster, cluster.ask(apply("web"), olga)));
    CHECK(code_of(cluster, cluster.ask(apply("api"), olga)) == Errc::denied);
    CHECK(code_of(cluster, cluster.ask(TaskRemoveRequest{"db"}, olga)) == Errc::denied);
    CHECK(code_of(cluster, cluster.ask(TaskRestartRequest{"*"}, olga)) == Errc::denied);
    CHECK(code_of(cluster, cluster.ask(LimitSetRequest{"starts_per_round", 1}, olga)) ==
          Errc::denied);
    CHECK(code_of(cluster, cluster.ask(KeyRevokeRequest{"n0", {}}, olga)) == Errc::denied);
    CHECK(code_of(cluster, cluster.ask(apply("web"), otto)) == Errc::denied);
    CHECK(await(cluster, cluster.ask(StatusRequest{}, otto)));
    CHECK(code_of(cluster, cluster.ask(StatusRequest{}, operator_with_key("eve"))) == Errc::denied);
    require_convergence(cluster, 20s);
    REQUIRE(await(cluster, cluster.revoke("olga")));
    CHECK(code_of(cluster, cluster.ask(TaskScaleRequest{"web", 0}, olga)) == Errc::denied);
    CHECK(code_of(cluster, cluster.ask(StatusRequest{}, olga)) == Errc::denied);
    cluster.run(5s);
    CHECK(cluster.running("web") == 2);
    CHECK(cluster.running("db") == 2);
    CHECK(cluster.store().audit.front().number >= 12);
    require_no_violations(cluster);
}

}  // namespace muster::sim
