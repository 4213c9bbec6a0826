#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/agent/core/agent_harness.hpp"

using namespace muster;
using namespace muster::agent;
using namespace muster::agent::testing;

namespace {

const std::string fresh(64, 'a');
using Orders = std::vector<KeyOrder>;

void poll_for_key(Node& node, bool asks = true) { node.poll({}, {}, false, asks); }

}  // namespace

// Goal: no step of a replacement comes before the one that makes it safe.
// Method: the messages of a whole replacement, one by one; each step is given twice, as after a
// lost message.
TEST_CASE("a new key is written, registered, used and kept in this order [A12]", "[keys]") {
    Node node;
    node.join();
    poll_for_key(node);
    poll_for_key(node);
    CHECK(node.key_orders == Orders{KeyOrder::make});
    CHECK(node.count<NewKey>() == 0);  // It is not on disk yet.
    node.input(KeyMade{fresh});
    REQUIRE(node.last<NewKey>());
    CHECK(node.last<NewKey>()->key == fresh);
    CHECK(node.last<NewKey>()->incarnation == node.memory().incarnation);
    poll_for_key(node);
    CHECK(node.count<NewKey>() == 2);  // The first one may be lost.
    CHECK(node.key_orders == Orders{KeyOrder::make});
    node.deliver(KeyRegistered{std::string(64, 'b')});
    CHECK(node.key_orders == Orders{KeyOrder::make});  // That is not this key.
    node.deliver(KeyRegistered{fresh});
    CHECK(node.key_orders == Orders{KeyOrder::make, KeyOrder::use_new});
    node.input(KeyLinked{true});
    node.deliver(Refused{.code = Errc::hello_required, .detail = {}});
    node.welcome();
    poll_for_key(node);
    CHECK(node.count<NewKey>() == 2);
    CHECK(node.key_orders.size() == 2);  // The coordinator has not retired the other one.
    poll_for_key(node, false);
    poll_for_key(node, false);
    CHECK(node.key_orders == Orders{KeyOrder::make, KeyOrder::use_new, KeyOrder::keep});
    node.input(KeyKept{});
    poll_for_key(node, false);
    CHECK(node.key_orders.size() == 3);
    poll_for_key(node);  // The next replacement.
    CHECK(node.key_orders.back() == KeyOrder::make);
    CHECK(node.key_orders.size() == 4);
}

// Goal: a disk that fails ends no replacement.
TEST_CASE("a key that cannot be written is written again when it is asked for", "[keys]") {
    Node node;
    node.join();
    poll_for_key(node);
    node.input(KeyNotWritten{"disk full"});
    CHECK(node.count<NewKey>() == 0);
    poll_for_key(node);
    CHECK(node.key_orders == Orders{KeyOrder::make, KeyOrder::make});
    node.input(KeyMade{fresh});
    node.deliver(KeyRegistered{fresh});
    node.input(KeyLinked{true});
    node.welcome();
    poll_for_key(node, false);
    node.input(KeyNotWritten{"disk full"});
    poll_for_key(node, false);
    CHECK(node.key_orders.back() == KeyOrder::keep);
    CHECK(node.key_orders.size() == 5);
}

// Goal: a life that begins in the middle of a replacement finds the key that is admitted.
// Method: begin with a key that an earlier life made; the coordinator denies one or the other key.
TEST_CASE("an agent with two keys tries the other one if one is denied", "[keys]") {
    Node node{{.made_key = fresh}};
    SECTION("the new one is not registered yet") {
        node.join();
        poll_for_key(node);
        CHECK(node.key_orders.empty());                   // There is one already,
        CHECK(node.last<NewKey>().value().key == fresh);  // which is sent.
    }
    SECTION("the one before is retired") {
        SECTION("says the handshake") { node.input(KeyRefused{}); }
        SECTION("says the coordinator") {
            node.deliver(Refused{.code = Errc::denied, .detail = {}});
        }
        CHECK(node.key_orders == Orders{KeyOrder::use_new});
        node.input(KeyLinked{true});
        node.welcome();
        poll_for_key(node, false);
        CHECK(node.key_orders == Orders{KeyOrder::use_new, KeyOrder::keep});
    }
    SECTION("the new one has expired") {
        node.input(KeyLinked{true});
        node.deliver(Refused{.code = Errc::denied, .detail = {}});
        CHECK(node.key_orders == Orders{KeyOrder::use_present});
        node.input(KeyLinked{false});
        node.welcome();
        poll_for_key(node);
        CHECK(node.last<NewKey>().value().key == fresh);
    }
}

// Goal: a denied agent without a new key does nothing with its keys.
TEST_CASE("an agent with one key does not change it because it is denied", "[keys]") {
    Node node;
    node.input(KeyRefused{});
    node.deliver(Refused{.code = Errc::denied, .detail = {}});
    node.join();
    poll_for_key(node, false);
    CHECK(node.key_orders.empty());
    CHECK(node.count<NewKey>() == 0);
}
