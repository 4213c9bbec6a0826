#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "coordinator/core/coordinator.hpp"
#include "tests/integration/support/client.hpp"
#include "tests/integration/support/cluster.hpp"

// Capacity pools:
//
// pools.adverts.1000x100: the CPU time of a coordinator for one second of 1,000 reporters, each of
//     which says once what it needs of 100 defined pools, with other amounts each time. It has no
//     nodes. Real process and sockets. The floor is the same with requests of the same size that
//     name no pool.
// pools.decide.10000x100: one decision about each of 100 pools with 10,000 nodes that serve.
// pools.demand_to_call: from a demand that a node is missing for until its provider is called.
// pools.local_process.0_to_20: from a demand until 20 real agents serve, all made by the provider.
namespace muster::bench {
namespace {

using integration::Json;

std::uint32_t pool_count() { return sized(100U, 3U); }
std::string pool_name(std::uint32_t number) { return "pool-" + std::to_string(number); }

Json create(const std::string& name, const std::string& provider, std::uint32_t max) {
    return {{"verb", "pool create"},
            {"request_id", integration::new_request_id()},
            {"name", name},
            {"provider", provider},
            {"unit", "slots"},
            {"node_amount", 10},
            {"max", max}};
}
Json demand(const std::string& pool, std::uint64_t amount) {
    return {{"verb", "demand set"},
            {"reporter", "lb-1"},
            {"ttl_ms", 30'000},
            {"needs", {{{"pool", pool}, {"amount", amount}}}}};
}
void ask(const integration::RealCluster& cluster, const Json& request) {
    const Json reply = cluster.ask(request);
    ensure(reply.at("ok") == true, "the coordinator accepts it");
}

// ---- adverts ----

/// CPU time of a process so far, in ms.
double cpu_ms_of_process(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    std::string word;
    std::uint64_t ticks = 0;
    constexpr int user_ticks = 14;
    for (int field = 1; field <= user_ticks + 1 && file >> word; ++field) {
        ticks += field >= user_ticks ? std::stoull(word) : 0;
    }
    return 1'000.0 * static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string advert(std::uint32_t reporter, std::uint64_t sequence, bool names_pools) {
    DemandSetRequest request{.reporter = "reporter-" + std::to_string(reporter),
                             .life = 1,
                             .sequence = sequence,
                             .ttl_ms = 10'000,
                             .needs = {}};
    for (std::uint32_t pool = 0; names_pools && pool < pool_count(); ++pool) {
        request.needs.push_back({pool_name(pool), 1 + (sequence + pool + reporter) % 7});
    }
    std::string bytes;
    codec::encode(Request{{}, std::move(request)}, bytes);
    return bytes;
}

/// The CPU time of the coordinator for one second of adverts.
double adverts_ms(bool names_pools) {
    integration::RealCluster cluster{{.nodes = {}}};
    for (std::uint32_t pool = 0; pool < pool_count(); ++pool) {
        ask(cluster, create(pool_name(pool), "none", 100));
    }
    integration::Client client{zmq::socket_type::dealer, cluster.endpoints().operators};
    const integration::Deadline at_once = integration::Clock::now();
    const std::uint32_t reporters = sized(1'000U, 10U);
    const int seconds = sized(10, 1);
    std::uint32_t answers = 0;
    const double before = cpu_ms_of_process(cluster.coordinator().pid());
    for (int second = 0; second < seconds; ++second) {
        const double end = wall_ms() + sized(1'000.0, 100.0);
        for (std::uint32_t reporter = 0; reporter < reporters; ++reporter) {
            const std::string message =
                advert(reporter, static_cast<std::uint64_t>(second) + 1, names_pools);
            client.send(integration::Frames{std::string{codec::version_frame()}, message});
            answers += client.receive(at_once) ? 1U : 0U;
        }
        while (answers < reporters * static_cast<std::uint32_t>(second + 1)) {
            answers += client.receive() ? 1U : 0U;
        }
        usleep(static_cast<useconds_t>(std::max(0.0, end - wall_ms()) * 1'000));
    }
    return (cpu_ms_of_process(cluster.coordinator().pid()) - before) / seconds;
}

Figure adverts() {
    Figure figure;
    figure.value = adverts_ms(true);
    figure.unit = "ms of CPU a second";
    figure.floor = adverts_ms(false);
    figure.goal = "50";
    return figure;
}

// ---- decisions ----

/// Pools with nodes that serve, each of which has more demand than one node.
class Fleet {
public:
    explicit Fleet(std::uint32_t nodes) : core_{now_, {}, image()} {
        on_input(coordinator::CivilTime{CivilMs{1'000'000}});
        for (std::uint32_t node = 0; node < nodes; ++node) {
            Hello hello;
            hello.name = "n" + std::to_string(node);
            hello.life = {3, node + 1};
            hello.incarnation = Incarnation{2};
            hello.offer.pool = pool_name(node % pool_count());
            hello.offer.capacity.slots = 10;
            on_input(coordinator::FromAgent{coordinator::Session{node + 1}, std::move(hello)});
        }
        rounds(5);
    }

    void rounds(int count) {
        for (const Instant end = now_ + count * 1s; now_ < end;) {
            now_ = core_.next_deadline();
            on_input(coordinator::Wake{});
        }
    }
    /// The longest step of a round: it decides about all pools.
    [[nodiscard]] double longest_step() {
        longest_ = 0;
        rounds(1);
        return longest_;
    }

private:
    static coordinator::StoreImage image() {
        coordinator::StoreImage image;
        image.meta = {.cluster = {1, 1}, .epoch = Epoch{2}, .leader = {2, 2}, .schema = 11};
        for (std::uint32_t pool = 0; pool < pool_count(); ++pool) {
            coordinator::StoredPool row{.name = pool_name(pool)};
            row.spec.unit = PoolUnit::slots;
            image.pools.push_back(std::move(row));
        }
        std::ranges::sort(image.pools, {}, &coordinator::StoredPool::name);
        return image;
    }
    void on_input(const coordinator::Input& input) {
        const double begin = cpu_ms();
        coordinator::Output output = core_.step(now_, input);
        longest_ = std::max(longest_, cpu_ms() - begin);
        for (const coordinator::PollTo& poll : output.polls) {
            Report report;
            report.epoch = poll.poll.epoch;
            report.round = poll.poll.round;
            report.incarnation = Incarnation{2};
            static_cast<void>(core_.step(now_, coordinator::FromAgent{poll.session, report}));
        }
        if (!output.persist.empty()) {
            on_input(coordinator::Persisted{output.persist.back().number});
        }
    }

    Instant now_{1h};
    coordinator::Coordinator core_;
    double longest_ = 0;
};

Figure decide() {
    const std::uint32_t nodes = sized(10'000U, 30U);
    Fleet with{nodes};
    Figure figure;
    figure.value = median_of(5, [&] { return with.longest_step(); });
    figure.goal = "10";
    return figure;
}

// ---- a provider ----

/// A cluster with a provider that writes a byte to a pipe when it is called for nodes.
Figure demand_to_call() {
    const integration::Directory directory;
    const std::string pipe = directory.path() + "/calls";
    const std::string program = directory.path() + "/provider";
    ensure(mkfifo(pipe.c_str(), 0600) == 0, "a pipe can be made");
    integration::write_text(program,
                            "#!/bin/sh\ncase $1 in\n"
                            "list) echo '{\"nodes\": []}';;\n"
                            "provision) echo x >" +
                                pipe +
                                "; echo \"{\\\"granted\\\": $2}\";;\n"
                                "remove) echo '{}';;\nesac\n");
    ensure(chmod(program.c_str(), 0700) == 0, "it can be made a program");
    integration::RealCluster cluster{
        {.nodes = {}, .config = "\n[providers.p]\ncommand = [\"" + program + "\"]\n"}};
    ask(cluster, create("web", "p", 1'000));
    ask(cluster, demand("web", 1));
    std::ifstream calls{pipe};
    std::string line;
    std::getline(calls, line);  // The first listing is over.
    std::uint64_t amount = 10;
    Figure figure;
    figure.value = median_of(30, [&] {
        usleep(200'000);  // Demand comes seldom: a pool is looked at again after 100 ms.
        amount += 10;
        const double begin = wall_ms();
        ask(cluster, demand("web", amount));
        calls.clear();
        while (!std::getline(calls, line)) {
            calls.clear();
        }
        return wall_ms() - begin;
    });
    figure.goal = "10";
    return figure;
}

Figure local_process() {
    const std::uint32_t nodes = sized(20U, 2U);
    integration::RealCluster cluster{
        {.nodes = {},
         .round = std::chrono::seconds{1},
         .config = "\n[providers.p]\nkind = \"local-process\"\narguments = [\"--slots\", \"10\"]\n",
         .keys = true}};
    ask(cluster, create("web", "p", nodes));
    const double begin = wall_ms();
    ask(cluster, demand("web", nodes * 10));
    ensure(cluster.serving(nodes), "all nodes serve");
    Figure figure;
    figure.value = wall_ms() - begin;
    figure.goal = "5000";
    const double down = wall_ms();
    ask(cluster, demand("web", 0));
    ensure(integration::until([&] {
               return cluster.ask({{"verb", "pool show"}, {"name", "web"}}).at("nodes").empty();
           }),
           "all nodes go");
    figure.more.emplace_back("back_to_0_ms", wall_ms() - down);
    figure.more.emplace_back(
        "processes_left",
        static_cast<double>(
            integration::find_processes("none", cluster.directory() + "/state/coordinator/pools")
                .size()));
    return figure;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Suite suite{argc, argv};
    suite.run("pools.adverts.1000x100", adverts);
    suite.run("pools.decide.10000x100", decide);
    suite.run("pools.demand_to_call", demand_to_call);
    suite.run("pools.local_process.0_to_20", local_process);
}
