// The store in etcd, with one real server on this host: one durable change, like an operator's
// `task add`, and what a coordinator that begins to lead reads. The floor of the change is a put of
// the same bytes by the same client; the two alternate.

#include <algorithm>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/changes.hpp"
#include "common/base/ensure.hpp"
#include "coordinator/store/etcd/etcd_election.hpp"
#include "coordinator/store/etcd/etcd_store.hpp"
#include "tests/integration/support/etcd_servers.hpp"

namespace muster::bench {
namespace {

using namespace coordinator;

constexpr int runs = 5;
constexpr int commits = 100;
constexpr ClusterId cluster{1, 1};
constexpr auto prefix = "/bench";

/// A coordinator that leads, without its core.
class Leader {
public:
    Leader() {
        auto begun = etcd::EtcdElection::begin({.etcd = options(),
                                                .prefix = prefix,
                                                .lease = 60s,
                                                .self = LeaderId{1, 1},
                                                .name = "bench",
                                                .version = MUSTER_VERSION,
                                                .cluster = cluster});
        ensure(begun.has_value(), "an election");
        election_ = std::move(*begun);
        election_->stand({});
        while (true) {
            auto taken = election_->take_lead();
            ensure(taken.has_value(), "a store that can be led");
            if (*taken) {
                lead_ = std::move(**taken);
                break;
            }
            pollfd news{election_->fd(), POLLIN, 0};
            poll(&news, 1, -1);
        }
        auto client = etcd::Client::open(options());
        ensure(client.has_value(), "a client");
        client_ = std::move(*client);
    }
    ~Leader() {
        lead_.store.reset();
        election_->resign();
    }
    Leader(const Leader&) = delete;
    Leader& operator=(const Leader&) = delete;

    [[nodiscard]] Store& store() { return *lead_.store; }
    [[nodiscard]] const Meta& meta() const { return lead_.image.meta; }
    [[nodiscard]] etcd::Client& client() { return *client_; }

    [[nodiscard]] etcd::Tenure tenure() {
        const etcd::Keys keys{prefix};
        const auto key = client_->read(keys.leader());
        ensure(key && key->pairs.size() == 1, "the key of the leader");
        return {.keys = keys, .cluster = cluster, .won = key->pairs.front().created};
    }

private:
    [[nodiscard]] etcd::Options options() const { return {.endpoints = servers_.endpoints()}; }

    integration::EtcdServers servers_;
    std::unique_ptr<etcd::EtcdElection> election_;
    Lead lead_;
    std::unique_ptr<etcd::Client> client_;
};

double put_ms(etcd::Client& client, std::string bytes) {
    const double begin = wall_ms();
    const auto done =
        client.commit({.conditions = {}, .operations = {etcd::Put{"/floor", std::move(bytes)}}});
    ensure(done && done->done, "etcd writes");
    return wall_ms() - begin;
}

Figure store_commit_etcd() {
    Leader leader;
    std::vector<Figure> figures;
    std::uint64_t number = 0;
    for (int run = 0; run < sized(runs, 1); ++run) {
        std::vector<double> ours;
        std::vector<double> floor;
        for (int i = 0; i < sized(commits, 2); ++i) {
            auto persist = change(++number, leader.meta());
            floor.push_back(put_ms(leader.client(), bytes_of(persist)));
            ours.push_back(commit_ms(leader.store(), std::move(persist)));
        }
        figures.push_back(
            {.value = median(ours), .floor = median(floor), .goal = "<= 1.5 x floor"});
    }
    std::sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) {
        return a.value / *a.floor < b.value / *b.floor;
    });
    return figures[figures.size() / 2];
}

/// From nothing to the image of all rows, as a standby that takes over reads them. The floor is the
/// read of the same rows from etcd.
Figure standby_catch_up() {
    Leader leader;
    constexpr std::uint64_t in_a_change = 100;
    std::uint64_t task = 0;
    for (std::uint64_t number = 1; task < sized(10'000U, 200U); ++number) {
        Persist all{number, {}};
        for (std::uint64_t at = 0; at < in_a_change; ++at) {
            all.writes.push_back(change(++task, leader.meta()).writes.front());
        }
        all.writes.push_back(change(task, leader.meta()).writes[1]);  // The counter.
        static_cast<void>(commit_ms(leader.store(), std::move(all)));
    }
    const etcd::Tenure tenure = leader.tenure();
    std::vector<double> floors;
    const double value = median_of(runs, [&] {
        const double begin = wall_ms();
        keep(leader.client().read(std::string{prefix} + "/",
                                  etcd::end_of(std::string{prefix} + "/")));
        const double read = wall_ms();
        floors.push_back(read - begin);
        const auto store = etcd::EtcdStore::open(leader.client(), tenure);
        ensure(store.has_value(), "the store opens");
        const auto image = (*store)->image();
        ensure(image && image->tasks.size() == task, "all tasks are read");
        return wall_ms() - read;
    });
    return {.value = value, .floor = median(floors), .goal = "<= 1000"};
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    muster::bench::Suite suite{argc, argv};
    suite.run("store.commit.etcd", muster::bench::store_commit_etcd);
    suite.run("standby.catch_up.10000", muster::bench::standby_catch_up);
}
