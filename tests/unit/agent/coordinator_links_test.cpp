// The links of an agent to all coordinators, as their addresses change.

#include "agent/coordinator_links.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "agent/name_watch.hpp"
#include "common/base/random.hpp"
#include "common/net/router.hpp"
#include "tests/unit/common/net/peers.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

/// A socket where a coordinator may be.
struct Place {
    explicit Place(const std::string& wanted) {
        const auto bound = router->bind(wanted);
        REQUIRE(bound);
        endpoint = *bound;
    }
    /// True once something came over a link.
    bool hears(net::Loop& loop, CoordinatorLinks& links) {
        return turn_until(loop, [&] {
            links.look_after(net::boottime_now());
            links.send_to_all("version", "hello");
            net::Envelope from;
            net::Message message;
            return router->receive(from, message) == net::Receipt::message;
        });
    }

    std::unique_ptr<net::Router> router =
        std::make_unique<net::Router>(test_context(), net::Router::Bounds{.message_bytes = 10'000});
    std::string endpoint;
};

}  // namespace

// Goal: an agent whose configuration has one name reaches all coordinators, also after one of them
// moved. Method: sockets on addresses of their own; nobody is behind the name itself.
TEST_CASE("an agent has a link to each address of its coordinators", "[agent_shell][names]") {
    net::Loop loop;
    Random random{1};
    Place first{"tcp://127.0.0.1:*"};
    Place second{"tcp://127.0.0.2:*"};
    CoordinatorLinks links{
        test_context(),        loop, random,
        {"tcp://localhost:1"}, {},   [](Instant, net::Dealer&, std::size_t) { return false; }};
    const bool is_early = GENERATE(true, false);
    if (is_early) {
        links.learn({first.endpoint, second.endpoint});
    }
    REQUIRE(links.connect());
    links.learn({first.endpoint, second.endpoint});
    CHECK(first.hears(loop, links));
    CHECK(second.hears(loop, links));
    CHECK(links.endpoint_of(0) == first.endpoint);
    CHECK(links.endpoint_of(1) == second.endpoint);

    second.router.reset();
    CHECK(turn_until(loop, [&] {
        links.send_to_all("version", "hello");
        links.look_after(net::boottime_now());
        return links.is_down(1);
    }));
    Place third{"tcp://127.0.0.3:*"};
    links.learn({first.endpoint, third.endpoint});
    CHECK(links.endpoint_of(1) == third.endpoint);
    CHECK(third.hears(loop, links));
    CHECK(first.hears(loop, links));
}

// Goal: a name is asked for again and again, and the agent does not wait for the answer.
TEST_CASE("an agent looks up the names of its coordinators again", "[agent_shell][names]") {
    std::vector<std::string> now_there{"10.0.0.1", "10.0.0.2"};
    NameWatch watch{{"tcp://control.example:7700"}, [&](const std::string&) { return now_there; }};
    const auto answer = [&](Instant now) {
        watch.ask(now);
        net::Loop loop;
        loop.watch(watch.fd(), [](Instant) {});
        std::optional<std::vector<std::string>> found;
        CHECK(turn_until(loop, [&] { return (found = watch.take()).has_value(); }));
        return found.value_or(std::vector<std::string>{});
    };
    CHECK(answer(Instant{1s}) ==
          std::vector<std::string>{"tcp://10.0.0.1:7700", "tcp://10.0.0.2:7700"});
    CHECK(watch.next_deadline() == Instant{1s} + NameWatch::interval);
    now_there = {"10.0.0.1", "10.0.0.3"};
    CHECK(answer(watch.next_deadline()) ==
          std::vector<std::string>{"tcp://10.0.0.1:7700", "tcp://10.0.0.3:7700"});

    NameWatch nothing{{"tcp://10.0.0.1:7700"}};
    nothing.ask(Instant{1s});
    CHECK_FALSE(nothing.take());
    CHECK(nothing.next_deadline() == Instant::max());
}
