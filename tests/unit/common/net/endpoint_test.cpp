#include "common/net/endpoint.hpp"

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/router.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/unit/common/net/peers.hpp"

namespace muster {
namespace {

mode_t mode_of(const std::string& path) {
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777U;
}

}  // namespace

// Goal: a typing error in an endpoint is found before it is used.
// Method: endpoints of every kind with the expected result.
TEST_CASE("a socket binds addresses of this host and ipc files", "[net][endpoint]") {
    for (const auto* good :
         {"tcp://127.0.0.1:7700", "tcp://127.9.8.7:1", "tcp://[::1]:65535", "tcp://127.0.0.1:*",
          "tcp://0.0.0.0:7700", "tcp://*:7700", "tcp://*:*", "tcp://192.0.2.1:7700",
          "tcp://[::]:7700", "tcp://[2001:db8::1]:7700", "ipc:///run/muster/operators.sock"}) {
        CAPTURE(good);
        CHECK(net::endpoint_to_bind(good) == std::string{good});
    }
    CHECK(net::endpoint_to_bind("tcp://localhost:7700") == std::string{"tcp://127.0.0.1:7700"});
    for (const auto* wrong : {"",
                              "7700",
                              "127.0.0.1:7700",
                              "tcp://127.0.0.1",
                              "tcp://127.0.0.1:0",
                              "tcp://127.0.0.1:65536",
                              "tcp://127.0.0.1:7a",
                              "ipc://relative",
                              "ipc://",
                              "pgm://127.0.0.1:7700",
                              "inproc://x",
                              "ipc:///a\nb",
                              "tcp://eth0:7700",
                              "tcp://:7700",
                              "tcp://web-7.example.org:7700",
                              "tcp://[::1:7700",
                              "tcp://::1:7700",
                              "tcp://256.0.0.1:1",
                              "tcp://[127.0.0.1]:1",
                              "tcp://127.0.0.1 :1",
                              "tcp://127.0.0.1;10.0.0.1:7700"}) {
        CAPTURE(wrong);
        const auto refused = net::endpoint_to_bind(wrong);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::invalid);
    }
}

TEST_CASE("a socket connects to a host with a port", "[net][endpoint]") {
    for (const auto* good : {"tcp://127.0.0.1:7700", "tcp://192.0.2.1:7700", "tcp://[::1]:7700",
                             "tcp://[2001:db8::1]:7700", "tcp://web-7.example.org:7700",
                             "tcp://c1:7700", "tcp://3com.example:1", "ipc:///run/a:*"}) {
        CAPTURE(good);
        CHECK(net::endpoint_to_connect(good) == std::string{good});
    }
    CHECK(net::endpoint_to_connect("tcp://localhost:7700") == std::string{"tcp://127.0.0.1:7700"});
    const auto refusal = [](std::string_view text) {
        const auto refused = net::endpoint_to_connect(text);
        return refused ? "accepted as " + *refused : refused.error().detail;
    };
    CHECK_THAT(refusal("tcp://127.0.0.1:*"), Catch::Contains("names no port to connect to"));
    for (const auto* every : {"tcp://*:7700", "tcp://0.0.0.0:7700", "tcp://[::]:7700",
                              "tcp://[0:0:0:0:0:0:0:0]:7700"}) {
        CHECK_THAT(refusal(every),
                   Catch::Contains(every) && Catch::Contains("means every address"));
    }
    for (const auto* wrong :
         {"tcp://:7700", "tcp://a_b:7700", "tcp://a b:7700", "tcp://-a:7700", "tcp://a.:7700",
          "tcp://10.0.0:7700", "tcp://300.1.1.1:7700", "tcp://eth0;c1:7700", "tcp://c1/:7700"}) {
        CHECK_THAT(refusal(wrong), Catch::Contains(wrong) && Catch::Contains("names no host"));
    }
    CHECK_THAT(refusal("tcp://" + std::string(254, 'a') + ":7700"),
               Catch::Contains("names no host"));
}

TEST_CASE("the endpoints of several coordinators have commas between them", "[net][endpoint]") {
    CHECK(net::endpoints_in("tcp://a:1") == std::vector<std::string>{"tcp://a:1"});
    CHECK(net::endpoints_in("tcp://a:1,tcp://b:2") ==
          std::vector<std::string>{"tcp://a:1", "tcp://b:2"});
    CHECK(net::endpoints_in("ipc:///a,b,ipc:///c") ==
          std::vector<std::string>{"ipc:///a,b", "ipc:///c"});
    CHECK(net::endpoints_to_connect("tcp://localhost:1,ipc:///x") ==
          net::endpoint_to_connect("tcp://localhost:1").value() + ",ipc:///x");
    for (const auto* const wrong : {"", ",", "tcp://a:1,", "tcp://a:1,tcp://b"}) {
        CAPTURE(wrong);
        CHECK_FALSE(net::endpoints_to_connect(wrong));
    }
}

TEST_CASE("loopback addresses and ipc files are on this host", "[net][endpoint]") {
    for (const auto* here : {"tcp://127.0.0.1:7700", "tcp://127.9.8.7:*", "tcp://[::1]:7700",
                             "tcp://localhost:7700", "ipc:///run/a"}) {
        CAPTURE(here);
        CHECK(net::is_on_this_host(here));
    }
    for (const auto* elsewhere :
         {"tcp://0.0.0.0:7700", "tcp://*:7700", "tcp://[::]:7700", "tcp://128.0.0.1:7700",
          "tcp://192.0.2.1:7700", "tcp://c1:7700", "tcp://[::ffff:127.0.0.1]:7700",
          "tcp://127.0.0.1.example.org:7700", "7700", ""}) {
        CAPTURE(elsewhere);
        CHECK_FALSE(net::is_on_this_host(elsewhere));
    }
}

// Goal: only the user who runs muster can connect over ipc.
// Method: bind in a missing directory, and check the modes.
TEST_CASE("an ipc socket is 0600 in a directory 0700", "[net][endpoint]") {
    const TemporaryDirectory directory;
    const auto file = directory.path() + "/run/operators.sock";
    net::Router router{test_context(), {.message_bytes = 1'000}};
    REQUIRE(router.bind("ipc://" + file));
    CHECK(mode_of(file) == 0600);
    CHECK(mode_of(directory.path() + "/run") == 0700);
    router.close();
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("an ipc socket in a directory open to others is refused", "[net][endpoint]") {
    const TemporaryDirectory directory;
    REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
    net::Router router{test_context(), {.message_bytes = 1'000}};
    const auto bound = router.bind("ipc://" + directory.path() + "/operators.sock");
    REQUIRE_FALSE(bound);
    CHECK_THAT(bound.error().detail, Catch::Contains("0700"));
    CHECK(mode_of(directory.path()) == 0755);
}

// Goal: a second daemon reports the endpoint in use, and does not disturb the first.
// Method: bind the same endpoint twice, over tcp and over ipc.
TEST_CASE("an endpoint in use is refused with its name", "[net][endpoint]") {
    const TemporaryDirectory directory;
    for (const auto& wanted :
         {std::string{"tcp://127.0.0.1:*"}, "ipc://" + directory.path() + "/operators.sock"}) {
        net::Router first{test_context(), {.message_bytes = 1'000}};
        const auto bound = first.bind(wanted);
        REQUIRE(bound);
        CHECK_THAT(*bound, !Catch::Contains("*"));
        net::Router second{test_context(), {.message_bytes = 1'000}};
        const auto refused = second.bind(*bound);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().detail == *bound + " is in use by another process");
    }
}

}  // namespace muster
