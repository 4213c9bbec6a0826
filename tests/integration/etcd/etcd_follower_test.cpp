// The copy of a store in etcd that a coordinator keeps which stands by, against a real server.

#include "coordinator/store/etcd/etcd_follower.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/store/etcd/etcd_rows.hpp"
#include "tests/integration/support/etcd_client_of.hpp"
#include "tests/integration/support/etcd_servers.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

using namespace coordinator;
namespace etcd = coordinator::etcd;

const etcd::Keys follower_keys{"/follower"};
constexpr ClusterId cluster_id{3, 3};

/// A leader that only writes nodes.
class Writer {
public:
    explicit Writer(const EtcdServers& servers) : client_{client_of(servers)} {
        auto opened = Mirror::open("etcd", cluster_id);
        REQUIRE(opened);
        mirror_ = std::move(*opened);
    }
    void write(const Write& write) {
        auto change = mirror_->apply(write);
        REQUIRE(change);
        rows_.add(**change);
        commit(rows_.take());
    }
    void commit(std::vector<etcd::Operation> operations) {
        operations.emplace_back(
            etcd::Put{.key = follower_keys.commit(), .value = std::to_string(++commits_)});
        const auto done = client_->commit({.conditions = {}, .operations = operations});
        REQUIRE(done);
        last = done->at;
    }
    etcd::Revision last{};

private:
    std::unique_ptr<etcd::Client> client_;
    std::unique_ptr<Mirror> mirror_;
    etcd::RowWriter rows_{follower_keys};
    int commits_ = 0;
};

StoredNode node(const std::string& name) {
    StoredNode row;
    row.name = name;
    return row;
}

std::vector<std::string> names_in(const StoreImage& image) {
    std::vector<std::string> names;
    for (const auto& row : image.nodes) {
        names.push_back(row.name);
    }
    std::ranges::sort(names);
    return names;
}

/// True once the copy has these nodes.
bool has(etcd::EtcdFollower& follower, const std::vector<std::string>& names) {
    return until([&] {
        const auto image = follower.take_image();
        return image && names_in(*image) == names;
    });
}

}  // namespace

TEST_CASE("a copy of a store in etcd follows rows that are put and erased", "[integration][etcd]") {
    const EtcdServers servers;
    Writer writer{servers};
    writer.write(node("n1"));
    etcd::EtcdFollower follower{client_of(servers), follower_keys, cluster_id, [] {}};
    CHECK(has(follower, {"n1"}));
    writer.write(node("n2"));
    CHECK(has(follower, {"n1", "n2"}));
    CHECK(until([&] { return follower.applied() == writer.last; }));
    writer.write(Erase<StoredNode>{"n1"});
    CHECK(has(follower, {"n2"}));
    CHECK_FALSE(follower.take_image());
}

// Method: a leader writes a change in parts, which takes effect before its rows are there.
TEST_CASE("a copy of a store in etcd takes a change in parts over as a whole",
          "[integration][etcd]") {
    const EtcdServers servers;
    Writer writer{servers};
    writer.write(node("n1"));
    etcd::EtcdFollower follower{client_of(servers), follower_keys, cluster_id, [] {}};
    CHECK(has(follower, {"n1"}));
    const std::string row = follower_keys.row("nodes", "n1");
    const std::string directory = follower_keys.parts() + "1-1/";
    const Json part{{{"delete", row}, {"end", etcd::end_of(row)}}};
    writer.commit({etcd::Put{.key = directory + etcd::piece_name(0), .value = part.dump()}});
    CHECK(until([&] { return follower.applied() == writer.last; }));
    CHECK_FALSE(follower.take_image());
    writer.commit({etcd::Put{.key = directory + "whole", .value = "1"}});
    CHECK(has(follower, {}));
}

// Method: another server in the place of the first, with fewer changes than the copy has seen.
TEST_CASE("a copy of a store in etcd that became an older one is read again",
          "[integration][etcd][S25]") {
    EtcdServers servers;
    {
        Writer writer{servers};
        for (const auto* name : {"n1", "n2", "n3"}) {
            writer.write(node(name));
        }
    }
    etcd::EtcdFollower follower{client_of(servers), follower_keys, cluster_id, [] {}};
    CHECK(has(follower, {"n1", "n2", "n3"}));
    servers.kill(0);
    servers.lose_data();
    servers.start(0);
    REQUIRE(until([&] { return servers.answers(0); }));
    Writer{servers}.write(node("other"));
    follower.read_again();
    CHECK(has(follower, {"other"}));
}

}  // namespace muster::integration
