// The calls to etcd, against real servers.

#include "coordinator/store/etcd/etcd_client.hpp"

#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "tests/integration/support/etcd_client_of.hpp"
#include "tests/integration/support/etcd_servers.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::etcd;
using namespace muster::integration;

namespace {

std::string value_of(etcd::Client& client, const std::string& key) {
    const auto found = client.read(key);
    REQUIRE(found);
    return found->pairs.empty() ? "none" : found->pairs.front().value;
}

}  // namespace

TEST_CASE("a transaction takes effect whole if its conditions hold, or not at all",
          "[integration][etcd]") {
    const EtcdServers servers;
    const auto client = client_of(servers);
    const auto first = client->commit(
        {.conditions = {IsAbsent{"/a"}}, .operations = {Put{"/a", "1"}, Put{"/b", "2"}}});
    REQUIRE(first);
    REQUIRE(first->done);
    const Transaction again{.conditions = {IsAbsent{"/a"}}, .operations = {Put{"/a", "3"}}};
    CHECK_FALSE(client->commit(again)->done);
    CHECK(value_of(*client, "/a") == "1");
    CHECK(client
              ->commit({.conditions = {WasMade{"/a", first->at}, HasValue{"/b", "2"}},
                        .operations = {Put{"/a", "4"}, Delete{"/b", end_of("/b")}}})
              ->done);
    CHECK(value_of(*client, "/a") == "4");
    CHECK(value_of(*client, "/b") == "none");
    // The key was made by the first transaction, whatever was written since.
    CHECK(client->commit({.conditions = {WasMade{"/a", first->at}}, .operations = {}})->done);
    CHECK_FALSE(client->commit({.conditions = {HasValue{"/a", "1"}}, .operations = {}})->done);
}

// Goal: an answer has all pairs, of one moment. Method: more pairs than one answer of etcd has.
TEST_CASE("a range is read whole, at one revision", "[integration][etcd]") {
    const EtcdServers servers;
    const auto client = client_of(servers);
    for (int batch = 0; batch < 25; ++batch) {
        Transaction transaction;
        for (int at = 0; at < 100; ++at) {
            const std::string key = "/n/" + std::to_string(10'000 + 100 * batch + at);
            transaction.operations.emplace_back(Put{key, key});
        }
        REQUIRE(client->commit(transaction)->done);
    }
    const auto all = client->read("/n/", end_of("/n/"));
    REQUIRE(all);
    REQUIRE(all->pairs.size() == 2'500);
    CHECK(all->pairs.front().key == "/n/10000");
    CHECK(all->pairs.back().key == "/n/12499");

    // Compactions between its pages do not end it.
    std::atomic<bool> has_ended{false};
    std::thread compacts{[&] {
        const auto other = client_of(servers);
        while (!has_ended) {
            const auto put = other->commit({.conditions = {}, .operations = {Put{"/other", "1"}}});
            static_cast<void>(
                servers.control({"compact", std::to_string(static_cast<std::int64_t>(put->at))}));
        }
    }};
    for (int at = 0; at < 50; ++at) {
        const auto again = client->read("/n/", end_of("/n/"));
        CHECK((again && again->pairs.size() == 2'500));
    }
    has_ended = true;
    compacts.join();
}

TEST_CASE("a key of a lease goes with it, and whoever waits for that is told",
          "[integration][etcd]") {
    const EtcdServers servers;
    const auto client = client_of(servers);
    const auto wanted = std::chrono::ceil<std::chrono::seconds>(paces(20));
    const auto lease = client->grant(wanted);
    REQUIRE(lease);
    CHECK(lease->lasts >= wanted);
    const auto put =
        client->commit({.conditions = {}, .operations = {Put{"/leader", "us", lease->id}}});
    REQUIRE(put);
    CHECK(client->renew(lease->id).value() >= wanted);
    SECTION("it ends by itself") {}
    SECTION("it is ended") { REQUIRE(client->revoke(lease->id)); }
    CHECK(client->await_change("/leader", put->at, paces(300)));
    CHECK(value_of(*client, "/leader") == "none");
    const auto late = client->renew(lease->id);
    REQUIRE_FALSE(late);
    CHECK(late.error().code == Errc::not_found);
    const auto nothing = client->await_change("/other", put->at, paces(10));
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().code == Errc::timeout);
}

// Goal: a lost member is not noticed. Method: three members, one of them killed; then two.
TEST_CASE("calls go on with the members that are left, and fail without a majority",
          "[integration][etcd]") {
    EtcdServers servers{3};
    const auto client = client_of(servers, paces(50));
    REQUIRE(client->commit({.conditions = {}, .operations = {Put{"/a", "1"}}})->done);
    servers.kill(0);
    CHECK(value_of(*client, "/a") == "1");
    REQUIRE(client->commit({.conditions = {}, .operations = {Put{"/a", "2"}}})->done);
    servers.kill(1);
    const auto without = client->commit({.conditions = {}, .operations = {Put{"/a", "3"}}});
    REQUIRE_FALSE(without);
    CHECK(without.error().code == Errc::unreachable);
    servers.start(1);
    CHECK(until([&] { return client->read("/a").has_value(); }));
}

// Goal: a user of etcd who may use the prefix only is enough, and no other is. Method: etcd with
// authentication; a user with a role for one prefix; a wrong password, and another prefix.
TEST_CASE("a client proves its user to etcd, and is denied what this user may not do",
          "[integration][etcd]") {
    const EtcdServers servers;
    const std::vector<std::vector<std::string>> steps{
        {"user", "add", "root:r"},
        {"user", "grant-role", "root", "root"},
        {"role", "add", "muster"},
        {"role", "grant-permission", "muster", "--prefix=true", "readwrite", "/muster/"},
        {"user", "add", "m:secret"},
        {"user", "grant-role", "m", "muster"},
        {"auth", "enable"}};
    for (const auto& step : steps) {
        static_cast<void>(servers.control(step));
    }
    const auto as = [&](const std::string& user, const std::string& password) {
        auto client = etcd::Client::open(
            {.endpoints = servers.endpoints(), .user = user, .password = password, .deadline = 5s});
        REQUIRE(client);
        return std::move(*client);
    };
    const auto good = as("m", "secret");
    REQUIRE(good->commit({.conditions = {}, .operations = {Put{"/muster/a", "1"}}}));
    CHECK(value_of(*good, "/muster/a") == "1");
    CHECK(good->commit({.conditions = {}, .operations = {Put{"/other", "1"}}}).error().code ==
          Errc::denied);
    for (const auto& [user, password] : {std::pair{"m", "wrong"}, {"", ""}, {"nobody", "x"}}) {
        CAPTURE(user, password);
        const auto bad = as(user, password)->read("/muster/a");
        REQUIRE_FALSE(bad);
        CHECK(bad.error().code != Errc::unreachable);
        CHECK(bad.error().detail.find(servers.endpoints().front()) != std::string::npos);
    }
}

// Goal: nobody reads along, and neither side takes another for its own. Method: etcd with TLS that
// asks for certificates; a client with the right ones, with none, and with those of a stranger.
TEST_CASE("a client and etcd prove themselves by certificates", "[integration][etcd]") {
    const EtcdServers servers{1, true};
    servers.make_authority("stranger");
    servers.make_certificate("foreign", "stranger");
    const auto reads = [&](const std::string& ca, const std::string& name) {
        auto client =
            etcd::Client::open({.endpoints = servers.endpoints(),
                                .ca_file = ca.empty() ? "" : servers.file(ca + ".pem"),
                                .certificate_file = name.empty() ? "" : servers.file(name + ".pem"),
                                .key_file = name.empty() ? "" : servers.file(name + ".key"),
                                .deadline = 1s});
        REQUIRE(client);
        return (*client)->read("/a").has_value();
    };
    CHECK(reads("ca", "client"));
    CHECK_FALSE(reads("ca", ""));
    CHECK_FALSE(reads("ca", "foreign"));
    CHECK_FALSE(reads("stranger", "client"));
    CHECK_FALSE(reads("", ""));
}

TEST_CASE("an endpoint where no etcd is gives an error that names it", "[integration][etcd]") {
    const auto client = etcd::Client::open({.endpoints = {"127.0.0.1:1"}, .deadline = 500ms});
    REQUIRE(client);
    const auto found = (*client)->read("/a");
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Errc::unreachable);
    CHECK(found.error().detail.find("127.0.0.1:1") != std::string::npos);
    CHECK(etcd::Client::open({.endpoints = {"h:1"}, .ca_file = "/no/such/file"})
              .error()
              .detail.find("/no/such/file") != std::string::npos);
}
