#include <string>
#include <variant>

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/running_server.hpp"

namespace muster::coordinator {
namespace {

template <class Body>
Body answer_to(Peer& peer, const std::string& line) {
    const Reply reply = json_reply(peer.ask({line}));
    INFO(line);
    REQUIRE(reply.result);
    return std::get<Body>(*reply.result);
}

}  // namespace

// Goal: rows are read back from the store while the coordinator runs, and the check covers them.
// Method: two changes and a refusal over the local socket; then pages of the audit, and the check.
TEST_CASE("audit show and audit verify answer from the store", "[server][audit]") {
    Running running;
    Peer peer{running, running.bound.operators_ipc};
    CHECK(answer_to<AuditReply>(peer, "audit show").rows.empty());
    const auto empty = answer_to<AuditVerifyReply>(peer, "audit verify");
    CHECK(empty == AuditVerifyReply{});
    peer.ask({"task add web 2 sleep 60"});
    peer.ask({"task scale web 5"});
    peer.ask({"task add web 1 sleep 60"});
    const auto all = answer_to<AuditReply>(peer, "audit show");
    REQUIRE(all.rows.size() == 3);
    CHECK(all.rows[0].number == 1);
    CHECK(all.rows[0].actor == "local");
    CHECK(all.rows[0].detail == "web add 0 -> 2");
    CHECK(all.rows[0].epoch == Epoch{1});
    CHECK(all.rows[0].hash.size() == 64);
    CHECK(all.rows[1].action == "task scale");
    CHECK(all.rows[2].result == "exists");
    CHECK(answer_to<AuditReply>(peer, "audit show 1 1").rows == std::vector{all.rows[1]});
    CHECK(answer_to<AuditReply>(peer, "audit show 3").rows.empty());
    const AuditVerifyReply whole{.rows = 3, .first = 1, .last = 3, .fault = "", .keyed = false};
    CHECK(answer_to<AuditVerifyReply>(peer, "audit verify") == whole);
}

// Goal: a check of several pages ends and covers all of them.
// Method: more changes than a page has rows.
TEST_CASE("audit verify reads all pages", "[server][audit]") {
    Running running;
    Peer peer{running, running.bound.operators_ipc};
    peer.ask({"task add web 1 sleep 60"});
    std::uint32_t count = 1;
    for (int batch = 0; batch < 2; ++batch) {
        peer.forget();
        for (int at = 0; at < 600; ++at) {
            peer.send({"task scale web " + std::to_string(++count)});
        }
        REQUIRE(running.until([&] { return peer.received.size() == 600; }));
    }
    peer.forget();
    REQUIRE(count > limits::audit_page);
    const AuditVerifyReply whole{
        .rows = count, .first = 1, .last = count, .fault = "", .keyed = false};
    CHECK(answer_to<AuditVerifyReply>(peer, "audit verify") == whole);
    const auto newest = answer_to<AuditReply>(peer, "audit show 1190 5000");
    REQUIRE(newest.rows.size() == count - 1'190);
    CHECK(newest.rows.back().number == count);
}

}  // namespace muster::coordinator
