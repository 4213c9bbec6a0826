#include <string>
#include <vector>

#include "coordinator/core/workload/order_proofs.hpp"
#include "sim/faults/forged_message.hpp"
#include "tests/scenarios/checkers/checker_stories.hpp"
#include "tests/scenarios/support.hpp"

// Messages that cannot be read, and messages that no honest agent sends.
namespace muster::sim {
namespace {

// Goal: corrupted messages harm nothing for long. Method: corrupt a tenth of all messages in both
// directions; then stop.
TEST_CASE("corrupted messages are refused or count as lost", "[scenario][faults][S20]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .corrupt = 100}};
        cluster.want("web", 3);
        cluster.run(30s);
        CHECK(cluster.trace().contains("> c1 mangled: "));
        CHECK((cluster.trace().contains("c1 > n0 mangled") ||
               cluster.trace().contains("c1 > n1 mangled")));
        cluster.heal_all();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// Goal: a lying host harms only itself (S18). Method: one host of four sends arbitrary messages for
// minutes; instances on the others keep running.
TEST_CASE("a byzantine host harms no other", "[scenario][faults][S18]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 4}};
        cluster.want("web", 4);
        cluster.want("api", 4);
        require_convergence(cluster, 10s);
        std::vector<Process> honest;
        for (const auto& [number, process] : cluster.truth().processes()) {
            if (process.host != HostIndex{3}) {
                honest.push_back(process);
            }
        }
        REQUIRE(honest.size() == 6);
        Random random{seed};
        for (int report_falsely = 0; report_falsely < 300; ++report_falsely) {
            cluster.forge_from("n3", forged_message(random, cluster.host("n3"), cluster.store()));
            cluster.run(std::chrono::milliseconds{random.below(1'000)});
        }
        for (const Process& process : honest) {
            CHECK(cluster.truth().running(process.id, process.host) == 1);
        }
        for (const std::string name : {"n0", "n1", "n2"}) {
            CHECK_FALSE(cluster.trace().contains("c1 > " + name + " silent"));
        }
        cluster.scrap_host("n3");
        require_convergence(cluster, 30s);
        require_no_violations(cluster);
    }
}

// Goal: a host's false report stops no process of another host (S18). Method: a host without orders
// reports in each answer that it runs everything, and has done so for the longest time.
TEST_CASE("a host that claims instances of others stops none of them", "[scenario][faults][S18]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 3}};
        cluster.want("web", 3);
        cluster.want("api", 3);
        require_convergence(cluster, 10s);
        const auto before = cluster.truth().processes();
        cluster.add_host("n3");
        cluster.set_falsification("n3", ReportFalsification::claims);
        cluster.run(2min);
        for (const auto& [number, process] : before) {
            CHECK(cluster.truth().running(process.id, process.host) == 1);
        }
        CHECK(cluster.trace().contains("was never ordered there"));
        CHECK(cluster.serves_beside_byzantine_hosts());
        cluster.scrap_host("n3");
        require_convergence(cluster, 30s);
        require_no_violations(cluster);
    }
}

// Goal: the same under the next leader, which knows no orders but by their proofs (S18). Method:
// the host is of the store, so the recovering leader awaits its first report and would believe it.
// It shows no proof, forged ones, and those of other hosts.
TEST_CASE("a host that claims instances of others stops none of them under the next leader",
          "[scenario][faults][S18]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 4}};
        cluster.run(3s);  // Proofs are required of what is wanted from now on.
        cluster.want("web", 4);
        cluster.want("apis", 4);
        require_convergence(cluster, 10s);
        std::vector<Process> honest;
        for (const auto& [number, process] : cluster.truth().processes()) {
            if (process.host != HostIndex{3}) {
                honest.push_back(process);
            }
        }
        REQUIRE(honest.size() == 6);
        cluster.crash_coordinator();
        cluster.set_falsification("n3", ReportFalsification::claims);
        cluster.restart_coordinator();
        cluster.run(2min);
        for (const Process& process : honest) {
            CHECK(cluster.truth().running(process.id, process.host) == 1);
        }
        CHECK(cluster.trace().contains("c1 instance.stray"));
        CHECK(cluster.serves_beside_byzantine_hosts());
        cluster.scrap_host("n3");
        require_convergence(cluster, 30s);
        require_no_violations(cluster);
    }
}

// Goal: a proof is of one generation (S18). Method: the host was ordered to run the instances; they
// are moved elsewhere and get a new generation. Then it claims them with its old proofs.
TEST_CASE("a host that repeats its old proofs stops nothing under the next leader",
          "[scenario][faults][S18]") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 3}};
        cluster.run(3s);
        cluster.ask(NodeOfflineRequest{"n[0-1]", {}});
        cluster.run(1s);
        const std::vector<std::string> tasks{"web", "api", "app"};  // It shows its own proofs.
        for (const std::string& task : tasks) {
            cluster.want(task, 1);
        }
        cluster.run(10s);
        REQUIRE(cluster.truth().on(HostIndex{2}).size() == 3);
        cluster.ask(NodeOnlineRequest{"n[0-1]"});
        cluster.ask(NodeDrainRequest{"n2"});
        cluster.run(60s);
        REQUIRE(cluster.truth().on(HostIndex{2}).empty());
        for (const std::string& task : tasks) {
            cluster.restart(task);
        }
        require_convergence(cluster, 60s);
        std::vector<Process> honest;
        for (const auto& [number, process] : cluster.truth().processes()) {
            REQUIRE(process.host != HostIndex{2});
            honest.push_back(process);
        }
        cluster.crash_coordinator();
        cluster.set_falsification("n2", ReportFalsification::claims);
        cluster.restart_coordinator();
        cluster.run(2min);
        for (const Process& process : honest) {
            CHECK(cluster.truth().running(process.id, process.host) == 1);
        }
        require_no_violations(cluster);
    }
}

// Goal: no instance waits for a host that acknowledges and does not run it (L1). Method: the host
// omits its ordered instances from its reports, always or in turns; then more is wanted, and
// another host dies.
TEST_CASE("a host that swallows instances keeps none from running", "[scenario][faults][L1]") {
    const ReportFalsification manner =
        GENERATE(ReportFalsification::swallows, ReportFalsification::by_turns);
    CAPTURE(to_string(manner));
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 4}};
        cluster.run(5s);
        cluster.set_falsification("n3", manner);
        cluster.want("web", 3);
        cluster.want("api", 3);
        CHECK(cluster.serves_beside_byzantine_hosts());
        cluster.kill_host("n0");
        cluster.run(10s);
        CHECK(cluster.serves_beside_byzantine_hosts());
        CHECK(cluster.trace().contains("c1 instance.vanished"));
        cluster.scrap_host("n3");
        cluster.boot_host("n0");
        require_convergence(cluster, 60s);
        require_no_violations(cluster);
    }
}

/// web.0 was ordered on n0 in this leadership; n1 is byzantine.
struct ByzantineStory {
    Checkers checkers;
    coordinator::StoreImage image = image_with(1);
    agent::AgentMemory disk = memory_of(Epoch{1});
    const std::string byzantine = "n1";

    ByzantineStory() {
        checkers.on(origin, StoreReplaced{image});
        checkers.on(origin, LeadershipBegan{image, 0s, 3});
        welcome();
        start(n0);
    }
    void welcome() {
        checkers.on(origin, WelcomeIssued{n0, "n0", Incarnation{1}});
        checkers.on(origin, WelcomeIssued{n1, byzantine, Incarnation{1}});
    }
    /// Another leader of the same epoch, whose store has n1.
    void lead_again() {
        coordinator::StoredNode node;
        node.name = byzantine;
        image.nodes.push_back(node);
        checkers.on(origin, LeadershipBegan{image, 0s, 3});
        welcome();
    }
    void require_proofs() {
        image.settings.push_back({std::string{coordinator::ProofRule::setting},
                                  coordinator::proof_rule_text(coordinator::ProofRule{})});
    }
    void start(HostIndex host) {
        const Batch batch = start_of(web0);
        checkers.on(origin, BatchIssued{host, batch, image, disk});
    }
    void report_falsely() {
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = Epoch{1};
        report.incarnation = Incarnation{1};
        report.to = Revision{7};
        InstanceReport instance;
        instance.id = web0;
        instance.generation = Generation{5};
        instance.state = InstanceState::running;
        report.instances = {instance};
        const AgentMessage message = report;
        checkers.on(origin, ByzantineReport{n1, byzantine});
        checkers.on(origin, AgentMessageReceived{n1, message});
    }
    void emit_event(const std::string& topic, const std::string& name) {
        Event event;
        event.topic = topic;
        event.name = name;
        checkers.on(origin, EventPublished{event});
    }
    void stop() {
        const Batch batch = stop_of(web0, Sequence{2});
        checkers.on(origin, BatchIssued{n0, batch, image, disk});
    }
};

}  // namespace

TEST_CASE("a lie that changes another node breaks S18", "[checkers][S18]") {
    ByzantineStory story;
    story.report_falsely();
    SECTION("the byzantine node alone") { story.emit_event("node.faulty", "n1"); }
    SECTION("at the end of a round") {
        story.emit_event("node.unready", "n0");
        story.emit_event("round.closed", "1");
    }
    SECTION("nothing") {}
    SECTION("another") {
        story.emit_event("node.unready", "n0");
        story.checkers.on(origin, ByzantineReportHandled{});
        CHECK(properties(story.checkers) == Found{"S18"});
        return;
    }
    story.checkers.on(origin, ByzantineReportHandled{});
    story.emit_event("node.unready", "n0");
    CHECK(properties(story.checkers) == Found{});
}

TEST_CASE("a copy that is stopped for one that is only claimed breaks S18", "[checkers][S18]") {
    ByzantineStory story;
    SECTION("the claimed copy was ordered, too") {
        story.start(n1);
        static_cast<void>(properties(story.checkers));  // One too many: not under test.
        story.report_falsely();
        story.checkers.on(origin, ByzantineReportHandled{});
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("it never was") {
        story.report_falsely();
        story.checkers.on(origin, ByzantineReportHandled{});
        story.stop();
        CHECK(properties(story.checkers) == Found{"S18"});
    }
    SECTION("its leader learned of it first, during recovery") {
        story.lead_again();
        story.report_falsely();
        story.checkers.on(origin, ByzantineReportHandled{});
        story.start(n0);
        static_cast<void>(properties(story.checkers));
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("its leader learned of it first, but proofs are required") {
        story.require_proofs();
        story.lead_again();
        story.report_falsely();
        story.checkers.on(origin, ByzantineReportHandled{});
        story.stop();
        CHECK(properties(story.checkers) == Found{"S18"});
    }
    SECTION("proofs are required, and an earlier leader ordered it") {
        story.require_proofs();
        story.start(n1);
        static_cast<void>(properties(story.checkers));
        story.lead_again();
        story.report_falsely();
        story.checkers.on(origin, ByzantineReportHandled{});
        story.stop();
        CHECK(properties(story.checkers) == Found{});
    }
    SECTION("its leader learned of it after recovery") {
        story.lead_again();
        story.emit_event("recovery.ended", "");
        story.report_falsely();
        story.checkers.on(origin, ByzantineReportHandled{});
        story.start(n0);
        static_cast<void>(properties(story.checkers));
        story.stop();
        CHECK(properties(story.checkers) == Found{"S18"});
    }
}

}  // namespace muster::sim
