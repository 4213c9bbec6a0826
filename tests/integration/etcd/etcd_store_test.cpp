// The store in etcd, against a real server.

#include "coordinator/store/etcd/etcd_store.hpp"

#include <memory>
#include <string>

#include "tests/catch.hpp"

#include "coordinator/store/etcd/etcd_election.hpp"
#include "coordinator/store/etcd/etcd_parts.hpp"
#include "tests/integration/support/etcd_client_of.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::etcd;
using namespace muster::integration;

namespace {

constexpr auto prefix = "/test";

/// A coordinator that shares the store.
struct Member {
    Member(const EtcdServers& servers, std::uint64_t number,
           Duration lease = EtcdServers::long_lease())
        : options{.etcd = {.endpoints = servers.endpoints(), .deadline = paces(200)},
                  .prefix = prefix,
                  .lease = lease,
                  .self = LeaderId{number, number},
                  .name = "host-" + std::to_string(number),
                  .version = "1",
                  .cluster = first_cluster} {}

    void begin() {
        auto begun = EtcdElection::begin(options);
        REQUIRE(begun);
        election = std::move(*begun);
        election->stand({.operators = "tcp://127.0.0.1:1"});
    }
    /// Until it leads. An error: it cannot.
    Result<void> lead() {
        while (true) {
            auto taken = election->take_lead();
            if (!taken) {
                return tl::unexpected{taken.error()};
            }
            if (*taken) {
                with = std::move(**taken);
                return {};
            }
            pollfd item{election->fd(), POLLIN, 0};
            if (poll(&item, 1, 20'000) != 1) {
                return fail(Errc::timeout, "nothing happened");
            }
        }
    }
    void leave() {
        with.store.reset();
        election->resign();
    }
    bool write(Persist persist) {
        const std::uint64_t number = persist.number;
        with.store->submit(std::move(persist));
        return wait_durable(*with.store, number);
    }

    ElectionOptions options;
    std::unique_ptr<EtcdElection> election;
    Lead with;
};

StoredTask long_task(const std::string& name) {
    StoredTask task;
    task.wanted.name = name;
    task.wanted.spec.argv = {"/bin/true"};
    task.generation = task.created = Generation{1};
    for (int at = 0; at < 50; ++at) {
        task.wanted.spec.env["V" + std::to_string(at)] = std::string(400, 'x');
    }
    return task;
}

}  // namespace

TEST_CASE("what one leader wrote, the next one reads, in the next epoch",
          "[integration][etcd][S1]") {
    const EtcdServers servers;
    Member first{servers, 1};
    first.begin();
    REQUIRE(first.lead());
    CHECK(first.with.image.meta.epoch == Epoch{1});
    CHECK(first.with.image.meta.cluster == first_cluster);
    CHECK(first.with.image.meta.leader == LeaderId{1, 1});
    REQUIRE(first.write(numbered(1)));
    REQUIRE(first.write(numbered(2)));
    REQUIRE(first.write({3, {Erase<StoredNode>{"n1"}}}));

    Member second{servers, 2};
    second.begin();
    CHECK_FALSE(second.election->take_lead()->has_value());
    first.leave();
    REQUIRE(second.lead());
    CHECK(second.with.image.meta.epoch == Epoch{2});
    REQUIRE(second.with.image.nodes.size() == 1);
    CHECK(second.with.image.nodes.front().name == "n2");
}

// Goal: a deposed leader writes nothing. Method: end its lease behind its back.
TEST_CASE("a leader whose key is gone writes nothing more, and learns it",
          "[integration][etcd][S4][S5]") {
    const EtcdServers servers;
    Member first{servers, 1};
    first.begin();
    REQUIRE(first.lead());
    REQUIRE(first.write(numbered(1)));
    const auto other = client_of(servers);
    REQUIRE(other->commit(
        {.conditions = {},
         .operations = {Delete{Keys{prefix}.leader(), end_of(Keys{prefix}.leader())}}}));
    CHECK_FALSE(first.write(numbered(2)));
    CHECK(first.with.store->failure()->find("another coordinator leads") != std::string::npos);
    CHECK(until([&] { return first.election->over().has_value(); }));
    Member second{servers, 2};
    second.begin();
    REQUIRE(second.lead());
    CHECK(second.with.image.nodes.size() == 1);
}

// Goal: a change above etcd's bounds takes effect whole. Method: 300 tasks of 20 KB; then the state
// of a leader that died before the change was whole, and of one that died after.
TEST_CASE("a change above the bounds of a transaction is made in parts, and takes effect whole",
          "[integration][etcd][S1]") {
    const EtcdServers servers;
    Member first{servers, 1};
    first.begin();
    REQUIRE(first.lead());
    Meta meta = first.with.image.meta;
    meta.counter = Generation{1};
    Persist large{1, {meta}};
    for (int at = 0; at < 300; ++at) {
        large.writes.emplace_back(Shared<StoredTask>{long_task("t" + std::to_string(at))});
    }
    REQUIRE(first.write(std::move(large)));
    const auto other = client_of(servers);
    const Keys keys{prefix};
    CHECK(other->read(keys.parts(), end_of(keys.parts()))->pairs.empty());
    first.leave();

    const bool is_whole = GENERATE(false, true);
    const std::string directory = keys.parts() + "1-1/";
    Transaction broken_off{
        .conditions = {},
        .operations = {
            Put{directory + piece_name(0), R"([{"delete": ")" + keys.row("tasks", "t0") +
                                               R"(", "end": ")" + end_of(keys.row("tasks", "t0")) +
                                               R"("}])"},
            Put{directory + piece_name(1),
                R"([{"put": ")" + keys.row("settings", "moves_per_round") + piece_name(0) +
                    R"(", "value": "{\"name\": \"starts_per_round\", \"value\": \"7\"}"}])"}}};
    if (is_whole) {
        broken_off.operations.emplace_back(Put{directory + "whole", "2"});
    }
    REQUIRE(other->commit(broken_off)->done);
    for (const std::uint64_t number : {2U, 3U}) {
        Member next{servers, number};
        next.begin();
        const auto led = next.lead();
        INFO((led ? "" : led.error().detail));
        REQUIRE(led);
        CHECK(next.with.image.tasks.size() == (is_whole ? 299 : 300));
        CHECK(next.with.image.settings.size() == (is_whole ? 1 : 0));
        CHECK(other->read(keys.parts(), end_of(keys.parts()))->pairs.empty());
        next.leave();
    }
}

TEST_CASE("a store of another cluster is refused", "[integration][etcd][S13]") {
    const EtcdServers servers;
    Member first{servers, 1};
    first.begin();
    REQUIRE(first.lead());
    first.leave();
    Member foreign{servers, 2};
    foreign.options.cluster = ClusterId{9, 9};
    foreign.begin();
    const auto led = foreign.lead();
    REQUIRE_FALSE(led);
    CHECK(led.error().detail.find("is of the cluster") != std::string::npos);
}

TEST_CASE("a store of a newer version is refused", "[integration][etcd]") {
    const EtcdServers servers;
    const auto other = client_of(servers);
    REQUIRE(other->commit({.conditions = {}, .operations = {Put{Keys{prefix}.schema(), "99"}}}));
    Member member{servers, 1};
    member.begin();
    const auto led = member.lead();
    REQUIRE_FALSE(led);
    CHECK(led.error().detail.find("was written by a newer muster (schema 99") != std::string::npos);
}

TEST_CASE("a leader that dies is followed once its lease has ended", "[integration][etcd][L2]") {
    const EtcdServers servers;
    Member second{servers, 2};
    {
        Member first{servers, 1, EtcdServers::short_lease()};
        first.begin();
        REQUIRE(first.lead());
        REQUIRE(first.write(numbered(1)));
        second.begin();
        CHECK_FALSE(second.election->take_lead()->has_value());
    }  // Without a resignation.
    REQUIRE(second.lead());
    CHECK(second.with.image.nodes.size() == 1);
}

// Goal: whatever somebody wrote into etcd as a part of a change, it is an error and no crash.
TEST_CASE("a damaged part of a change is an error that names it", "[etcd]") {
    const Keys keys{prefix};
    const std::string directory = keys.parts() + "1-1/";
    const auto fault = [&](const std::string& part, const std::string& count) {
        const auto found =
            holdings_of(keys, {.at = {},
                               .pairs = {{.key = directory + "000000", .value = part},
                                         {.key = directory + "whole", .value = count}}});
        return found ? std::string{} : found.error().detail;
    };
    CHECK(fault(R"([{"put": "/test/rows/tasks/a/000000", "value": "{}"}])", "1").empty());
    CHECK_THAT(fault(R"([{"put": "/test/rows/tasks/a/000000", "value": "{}"}])", "2"),
               Catch::Contains(directory + ", a part of a change, which is damaged"));
    for (const auto* const part :
         {"", "{}", "[7]", R"([{"put": "/x"}])", R"([{"put": 1, "value": 2}])",
          R"([{"delete": null, "end": "/y"}])"}) {
        CAPTURE(part);
        CHECK_THAT(fault(part, "1"),
                   Catch::Contains(directory + "000000, a part of a change, which is damaged"));
    }
}
