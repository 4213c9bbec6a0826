#include "common/net/host/name_lookup.hpp"

#include <algorithm>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

using namespace muster;

namespace {

using Endpoints = std::vector<std::string>;

Endpoints found(const Endpoints& endpoints) {
    return net::each_address(endpoints, [](const std::string& host) -> Endpoints {
        if (host == "control.example") {
            return {"10.0.0.1", "10.0.0.2", "10.0.0.3"};
        }
        return host == "one.example" ? Endpoints{"10.0.0.9"} : Endpoints{};
    });
}

/// The IPv4 addresses of /etc/hosts, each with its first name.
std::vector<std::pair<std::string, std::string>> names_of_this_host() {
    std::vector<std::pair<std::string, std::string>> names;
    std::ifstream hosts{"/etc/hosts"};
    for (std::string line; std::getline(hosts, line);) {
        std::istringstream words{line.substr(0, line.find('#'))};
        std::string address;
        std::string name;
        if (words >> address >> name && address.find(':') == std::string::npos) {
            names.emplace_back(address, name);
        }
    }
    return names;
}

}  // namespace

// Goal: a name may stand for several coordinators; whatever cannot, stays as the library takes it.
TEST_CASE("a name of several addresses is one endpoint for each", "[net][names]") {
    CHECK(found({"tcp://control.example:7700"}) ==
          Endpoints{"tcp://10.0.0.1:7700", "tcp://10.0.0.2:7700", "tcp://10.0.0.3:7700"});
    CHECK(found({"tcp://10.0.0.2:7700", "tcp://control.example:7700"}) ==
          Endpoints{"tcp://10.0.0.2:7700", "tcp://10.0.0.1:7700", "tcp://10.0.0.3:7700"});
    const Endpoints kept{"tcp://one.example:7700", "tcp://unknown.example:7700",
                         "tcp://127.0.0.1:7700", "tcp://[::1]:7700",
                         "ipc:///run/control.example:7"};
    CHECK(found(kept) == kept);
}

TEST_CASE("addresses need no lookup, and names do", "[net][names]") {
    CHECK(net::has_name("tcp://control.example:7700"));
    CHECK_FALSE(net::has_name("tcp://10.0.0.1:7700"));
    CHECK_FALSE(net::has_name("tcp://[::1]:7700"));
    CHECK_FALSE(net::has_name("ipc:///run/muster/operators"));
}

// Goal: the name service of the host is asked. Method: the names that this host has itself. A bare
// base system has none; numbers and the endpoint of `localhost` need no name service.
TEST_CASE("hosts are found by their names and by their addresses", "[net][names]") {
    for (const auto& [address, name] : names_of_this_host()) {
        CAPTURE(address, name);
        CHECK(std::ranges::count(net::addresses_of(name), address) == 1);
    }
    CHECK(net::addresses_of("127.0.0.1") == Endpoints{"127.0.0.1"});
    CHECK(net::addresses_of("no-such-host.invalid").empty());
}

// Goal: a name service that hangs delays nobody, also at the end. Method: a lookup that ends only
// after its owner.
TEST_CASE("a lookup that hangs is not waited for", "[net][names]") {
    const auto go_on = std::make_shared<std::promise<void>>();
    const auto has_ended = std::make_shared<std::promise<void>>();
    {
        net::AddressLookup lookup{{"tcp://control.example:7700"},
                                  [=, gate = go_on->get_future().share()](const auto&) {
                                      gate.wait();
                                      has_ended->set_value();
                                      return Endpoints{"10.0.0.1", "10.0.0.2"};
                                  }};
        CHECK(lookup.take_within(10ms) == Endpoints{"tcp://control.example:7700"});
        lookup.begin();
        CHECK_FALSE(lookup.take());
    }
    go_on->set_value();
    has_ended->get_future().wait();
}

TEST_CASE("a lookup is taken once, and endpoints without a name at once", "[net][names]") {
    net::AddressLookup lookup{{"tcp://control.example:7700"}, [](const auto&) {
                                  return Endpoints{"10.0.0.1", "10.0.0.2"};
                              }};
    CHECK(lookup.take_within(20s) == Endpoints{"tcp://10.0.0.1:7700", "tcp://10.0.0.2:7700"});
    CHECK_FALSE(lookup.take());
    CHECK(net::AddressLookup{{"tcp://10.0.0.1:7700"}}.take_within(20s) ==
          Endpoints{"tcp://10.0.0.1:7700"});
}
