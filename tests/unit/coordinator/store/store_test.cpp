#include <algorithm>
#include <csignal>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/store/rows_of_each.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

namespace muster::coordinator {
namespace {

StoredTask task_named(const std::string& name) {
    StoredTask task;
    task.wanted.name = name;
    task.wanted.instances = 3;
    task.wanted.spec.argv = {"/bin/sleep", "1\n\"\xc3\xa4"};
    task.wanted.spec.env = {{"A", "1"}, {"B", ""}};
    task.wanted.spec.grace = 250ms;
    task.generation = Generation{7};
    task.created = Generation{5};
    return task;
}

/// A request made at this time.
StoredRequest request_at(std::uint64_t ms, std::uint64_t low) {
    StoredRequest request;
    request.id = {(ms << 16U) | 0x7000U, low};
    request.reply = Reply{.id = request.id, .result = ChangeReply{Generation{ms}, false, {}}};
    request.request_digest = {ms, low};
    return request;
}

/// Keeps some writes in flight and reports each durable number on `report`.
void write_for_ever(Store& store, int report) {
    constexpr std::uint64_t in_flight = 32;
    std::uint64_t confirmed = 0;
    for (std::uint64_t number = 1;; ++number) {
        store.submit(numbered(number));
        while (number - confirmed >= in_flight && wait_for_news(store)) {
            confirmed = store.take_durable().value_or(confirmed);
            static_cast<void>(write(report, &confirmed, sizeof(confirmed)));
        }
    }
}

}  // namespace

// Goal: the environments of tasks in a store are for its owner, whatever the umask.
// Method: a new store, and one whose files an earlier version left readable.
TEST_CASE("nobody else reads the files of a store", "[store]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    const auto mode_of = [](const std::string& path) {
        struct stat status = {};
        return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0U;
    };
    const mode_t before = umask(022);
    {
        const auto open = open_store(file);
        REQUIRE(open);
        CHECK(mode_of(file) == 0600);
        CHECK(mode_of(file + "-wal") == 0600);
    }
    chmod(file.c_str(), 0644);
    REQUIRE(open_store(file));
    umask(before);
    CHECK(mode_of(file) == 0600);
}

// Goal: durable rows are read back unchanged.
// Method: write a row of each kind, close, open again.
TEST_CASE("a store that is opened again has everything that was written", "[store]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    Meta meta;
    {
        auto open = open_store(file);
        REQUIRE(open);
        meta = open->image.meta;
        CHECK(meta == Meta{first_cluster, Epoch{1}, first_leader, Generation{0}, CivilMs{0}, 12});
        CHECK(open->image.tasks.empty());
        meta.counter = Generation{9};
        meta.request_horizon = CivilMs{1'000};
        open->store->submit(
            {1,
             {meta, task_named("web"), task_named("db"),
              StoredNode{"n1", Incarnation{4}, true, false, true}, request_at(2'000, 1)}});
        open->store->submit(
            {2, {Erase<StoredTask>{"db"}, StoredNode{"n2", Incarnation{1}, false, true}}});
        REQUIRE(wait_durable(*open->store, 2));
    }
    const LeaderId second_leader{5, 6};
    const auto again = open_store(file, second_leader);
    REQUIRE(again);
    meta.epoch = Epoch{2};
    meta.leader = second_leader;
    CHECK(again->image.meta == meta);
    CHECK(again->image.tasks == std::vector{task_named("web")});
    CHECK(again->image.nodes == std::vector{StoredNode{"n1", Incarnation{4}, true, false, true},
                                            StoredNode{"n2", Incarnation{1}, false, true, false}});
    REQUIRE(again->image.requests.size() == 1);
    CHECK(again->image.requests[0].id == request_at(2'000, 1).id);
    CHECK(*again->image.requests[0].reply == *request_at(2'000, 1).reply);
    CHECK(again->image.requests[0].request_digest == request_at(2'000, 1).request_digest);
}

TEST_CASE("decisions of operators about nodes and the cluster are kept", "[store]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    const StoredIntent draining{.name = "n2",
                                .intent = Intent::draining,
                                .admission = Admission::listed,
                                .pool = "fast",
                                .reason = "a disk; 'sda'",
                                .author = "ann@desk",
                                .since = CivilMs{1'000},
                                .deadline = CivilMs{61'000},
                                .force = true,
                                .remove = true};
    const StoredIntent refused{.name = "n3", .admission = Admission::removed};
    {
        const auto open = open_store(file);
        REQUIRE(open);
        open->store->submit({1,
                             {StoredIntent{.name = "n1", .intent = Intent::offline}, refused,
                              StoredSetting{"moves_per_round", "1"}}});
        open->store->submit(
            {2, {draining, Erase<StoredIntent>{"n1"}, StoredSetting{"moves_per_round", "2"}}});
        REQUIRE(wait_durable(*open->store, 2));
    }
    const auto again = open_store(file);
    REQUIRE(again);
    CHECK(again->image.intents == std::vector{draining, refused});
    CHECK(again->image.settings == std::vector{StoredSetting{"moves_per_round", "2"}});
}

TEST_CASE("the freeze of an operator is kept until it is erased", "[store][freeze]") {
    const TemporaryDirectory directory;
    const StoredFreeze freeze{
        .on = true, .reason = "new switches", .author = "ann@desk", .since = CivilMs{17}};
    const auto write = [&](const Write& row) {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        open->store->submit({1, {row}});
        REQUIRE(wait_durable(*open->store, 1));
    };
    const auto kept = [&] { return open_store(store_file(directory))->image.freeze; };
    write(StoredFreeze{.on = true, .reason = "before"});
    write(freeze);
    CHECK(kept() == std::vector{freeze});
    write(Erase<StoredFreeze>{});
    CHECK(kept().empty());
}

TEST_CASE("the record of instances that ended successfully is kept until it is erased", "[store]") {
    const TemporaryDirectory directory;
    StoredEnds job{.name = "job", .generation = Generation{7}, .ordinals = {}};
    for (const Ordinal ordinal : {0U, 63U, 64U, limits::instances_per_task - 1}) {
        job.ordinals.add(ordinal);
    }
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        StoredEnds first{.name = "job", .generation = Generation{6}, .ordinals = {}};
        first.ordinals.add(3);
        StoredEnds other{.name = "other", .generation = Generation{5}, .ordinals = {}};
        other.ordinals.add(1);
        open->store->submit({1, {Shared<StoredEnds>{first}, Shared<StoredEnds>{other}}});
        open->store->submit({2, {Shared<StoredEnds>{job}, Erase<StoredEnds>{"other"}}});
        REQUIRE(wait_durable(*open->store, 2));
    }
    const auto again = open_store(store_file(directory));
    REQUIRE(again);
    CHECK(again->image.ends == std::vector{job});
}

TEST_CASE("secrets are kept as they came, until they are erased", "[store][secrets]") {
    const TemporaryDirectory directory;
    const StoredSecret db{.name = "db",
                          .version = Generation{7},
                          .since = CivilMs{17},
                          .author = "ann@desk",
                          .encrypted = "v1:AAAA"};
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        StoredSecret before = db;
        before.encrypted = "v1:BBBB";
        StoredSecret other = db;
        other.name = "other";
        open->store->submit({1, {Shared<StoredSecret>{before}, Shared<StoredSecret>{other}}});
        open->store->submit({2, {Shared<StoredSecret>{db}, Erase<StoredSecret>{"other"}}});
        REQUIRE(wait_durable(*open->store, 2));
    }
    const auto again = open_store(store_file(directory));
    REQUIRE(again);
    CHECK(again->image.secrets == std::vector{db});
}

TEST_CASE("pools and their nodes are kept as they came, until they are erased", "[store][pools]") {
    const TemporaryDirectory directory;
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        StoredPool before = some_pool();
        before.spec = {};
        StoredPool other = before;
        other.name = "other";
        StoredPoolNode slot{.name = "3-1/1", .pool = "web", .provider = "local"};
        const StoredSeason season{.name = "web"};
        StoredPoolNode requested = some_pool_node();
        requested.state = PoolNodeState::requested;
        open->store->submit(
            {1,
             {Shared<StoredPool>{before}, Shared<StoredPool>{other}, Shared<StoredPoolNode>{slot},
              Shared<StoredPoolNode>{requested}, Shared<StoredSeason>{season},
              Shared<StoredSeason>{StoredSeason{.name = "other"}}}});
        open->store->submit(
            {2,
             {Shared<StoredPool>{some_pool()}, Erase<StoredPool>{"other"},
              Shared<StoredPoolNode>{some_pool_node()}, Erase<StoredPoolNode>{"3-1/1"},
              Shared<StoredSeason>{some_season()}, Erase<StoredSeason>{"other"}}});
        REQUIRE(wait_durable(*open->store, 2));
    }
    const auto again = open_store(store_file(directory));
    REQUIRE(again);
    CHECK(again->image.pools == std::vector{some_pool()});
    CHECK(again->image.pool_nodes == std::vector{some_pool_node()});
    CHECK(again->image.seasons == std::vector{some_season()});
}

TEST_CASE("the directory of a store is closed to others", "[store]") {
    const TemporaryDirectory directory;
    REQUIRE(open_store(store_file(directory)));
    struct stat status {};
    REQUIRE(stat((directory.path() + "/state").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0700U);
}

TEST_CASE("request ids up to the horizon are dropped, later ones kept", "[store]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    {
        const auto open = open_store(file);
        REQUIRE(open);
        open->store->submit(
            {1, {request_at(999, 1), request_at(1'000, ~0ULL), request_at(1'001, 0)}});
        open->store->submit({2, {EraseOldRequests{CivilMs{1'000}}}});
        REQUIRE(wait_durable(*open->store, 2));
    }
    const auto again = open_store(file);
    REQUIRE(again);
    REQUIRE(again->image.requests.size() == 1);
    CHECK(again->image.requests[0].id == request_at(1'001, 0).id);
}

// Goal: a number is confirmed only after all numbers before it.
// Method: submit many at once; check the confirmed numbers, and the last writer of one row.
TEST_CASE("writes become durable in order, many at a time", "[store]") {
    constexpr std::uint64_t last = 2'000;
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    {
        const auto open = open_store(file);
        REQUIRE(open);
        for (std::uint64_t number = 1; number <= last; ++number) {
            open->store->submit({number, {StoredNode{"n1", Incarnation{number}}}});
        }
        std::vector<std::uint64_t> confirmed;
        while ((confirmed.empty() || confirmed.back() < last) && wait_for_news(*open->store)) {
            if (const auto durable = open->store->take_durable()) {
                confirmed.push_back(*durable);
            }
        }
        REQUIRE_FALSE(confirmed.empty());
        CHECK(confirmed.back() == last);
        CHECK(std::is_sorted(confirmed.begin(), confirmed.end()));
        CHECK(confirmed.size() < last / 2);
        CHECK_FALSE(open->store->take_durable());
    }
    const auto again = open_store(file);
    REQUIRE(again);
    CHECK(again->image.nodes == std::vector{StoredNode{"n1", Incarnation{last}}});
}

TEST_CASE("writes that were submitted before the store is closed become durable", "[store]") {
    const TemporaryDirectory directory;
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        open->store->submit(numbered(1));
    }
    const auto again = open_store(store_file(directory));
    REQUIRE(again);
    CHECK(again->image.nodes.size() == 1);
}

// Goal: the disk has all parts of a change or none. Method: all parts but the last are submitted;
// then, in another leadership, all of them.
TEST_CASE("the parts of a change become durable together", "[store]") {
    const TemporaryDirectory directory;
    const auto part = [](std::uint64_t number) {
        Persist persist = numbered(number);
        persist.writes.emplace_back(Continues{});
        return persist;
    };
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        open->store->submit(numbered(1));
        open->store->submit(part(2));
        REQUIRE(wait_durable(*open->store, 1));
        open->store->submit(part(3));
    }
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        REQUIRE(open->image.nodes.size() == 1);
        CHECK(open->image.nodes.front().name == "n1");
        for (const std::uint64_t number : {2U, 3U}) {
            open->store->submit(part(number));
        }
        open->store->submit(numbered(4));
        REQUIRE(wait_durable(*open->store, 4));
    }
    const auto again = open_store(store_file(directory));
    REQUIRE(again);
    CHECK(again->image.nodes.size() == 4);
}

// Goal: kill -9 loses no confirmed write.
// Method: a child writes as fast as it can and reports each confirmed number; kill it in the
// middle.
TEST_CASE("a killed writer leaves every confirmed write", "[store][crash]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    for (int round = 0; round < 5; ++round) {
        int ends[2] = {};
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const auto open = open_store(file);
            if (open) {
                write_for_ever(*open->store, ends[1]);
            }
            _exit(1);
        }
        close(ends[1]);
        std::uint64_t confirmed = 0;
        for (int news = 0; news < 20 * (round + 1); ++news) {
            REQUIRE(read(ends[0], &confirmed, sizeof(confirmed)) == sizeof(confirmed));
        }
        REQUIRE(kill(child, SIGKILL) == 0);
        REQUIRE(waitpid(child, nullptr, 0) == child);
        while (read(ends[0], &confirmed, sizeof(confirmed)) == sizeof(confirmed)) {
        }
        close(ends[0]);

        const auto again = open_store(file);
        REQUIRE(again);
        const auto& nodes = again->image.nodes;
        CHECK(nodes.size() >= confirmed);
        for (std::uint64_t number = 1; number <= confirmed; ++number) {
            const auto wanted = std::get<StoredNode>(numbered(number).writes[0]);
            REQUIRE(std::find(nodes.begin(), nodes.end(), wanted) != nodes.end());
        }
        // The unconfirmed writes are a prefix too: each is written after all before it.
        const auto highest = std::get<StoredNode>(numbered(nodes.size()).writes[0]);
        CHECK(std::find(nodes.begin(), nodes.end(), highest) != nodes.end());
        for (const auto& node : nodes) {
            again->store->submit({raw(node.incarnation), {Erase<StoredNode>{node.name}}});
        }
    }
}

// Goal: two coordinators never write to one file.
// Method: open it twice, in this process and in another; then again when the first is gone.
TEST_CASE("a second opener is refused while the first is alive", "[store]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    {
        const auto first = open_store(file);
        REQUIRE(first);
        const auto second = open_store(file);
        REQUIRE_FALSE(second);
        CHECK(second.error().code == Errc::store_failed);
        CHECK(second.error().detail == "store '" + file + "' is in use by another program");
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            _exit(open_store(file) ? 1 : 0);
        }
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(status == 0);
        first->store->submit(numbered(1));
        CHECK(wait_durable(*first->store, 1));
    }
    const auto later = open_store(file);
    REQUIRE(later);
    CHECK(later->image.meta.epoch == Epoch{2});
    CHECK(later->image.nodes.size() == 1);
}

// Goal: after an accept the same leader continues with the epoch and the cluster that it took over.
// Method: write another epoch and cluster, then something more.
TEST_CASE("a leader that raises its own epoch continues to write", "[store]") {
    const TemporaryDirectory directory;
    const auto open = open_store(store_file(directory));
    REQUIRE(open);
    auto meta = open->image.meta;
    meta.epoch = Epoch{50};
    meta.cluster = {8, 9};
    open->store->submit({1, {meta}});
    REQUIRE(wait_durable(*open->store, 1));
    open->store->submit(numbered(2));
    CHECK(wait_durable(*open->store, 2));
    CHECK_FALSE(open->store->failure());
}

}  // namespace muster::coordinator
