#include "coordinator/http/pages.hpp"

#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/http/browser.hpp"
#include "tests/unit/coordinator/running_server.hpp"

// The coordinator's HTTP pages.
namespace muster::coordinator {
namespace {

std::string page_of(Running& running, const std::string& path) {
    Browser browser{running.bound.http};
    browser.send("GET " + path + " HTTP/1.1\r\n\r\n");
    REQUIRE(running.until([&] { return browser.is_closed(); }));
    return browser.received();
}

}  // namespace

// Goal: an HTTP probe learns whether to wait, to send work, or to restart the daemon.
// Method: ask a coordinator that leads, over its own socket.
TEST_CASE("HTTP says that the coordinator is alive, and whether it is ready", "[server][http]") {
    Running running;
    CHECK_THAT(page_of(running, "/healthz"),
               Catch::StartsWith("HTTP/1.1 200 OK\r\n") && Catch::EndsWith("\r\n\r\nok\n"));
    CHECK_THAT(page_of(running, "/readyz"),
               Catch::StartsWith("HTTP/1.1 200 ") && Catch::EndsWith("ready\n"));
    CHECK_THAT(page_of(running, "/"),
               Catch::StartsWith("HTTP/1.1 404 ") && Catch::Contains("/metrics"));
}

TEST_CASE("HTTP serves the metrics of the core and of the shell", "[server][http]") {
    Running running;
    REQUIRE(running.until([&] {
        return page_of(running, "/metrics").find("muster_rounds_total 0\n") == std::string::npos;
    }));
    const auto page = page_of(running, "/metrics");
    CHECK_THAT(page, Catch::StartsWith("HTTP/1.1 200 OK\r\n") &&
                         Catch::Contains("Content-Type: text/plain; version=0.0.4"));
    for (const char* const line :
         {"\nmuster_nodes 0\n", "\nmuster_converged 1\n", "\nprocess_open_fds ",
          "\nmuster_round_part_seconds_count{part=\"plan\"} ",
          "\nmuster_store_write_seconds_count ",
          "\nmuster_message_errors_total{kind=\"operator_undecodable\"} 0\n"}) {
        CHECK_THAT(page, Catch::Contains(line));
    }
    Peer peer{running, running.bound.operators};
    const auto asked = json_reply(peer.ask({"stats"}));
    const auto& stats = std::get<StatsReply>(*asked.result);
    CHECK(stats.samples.size() > 30);
    CHECK(stats.durations.size() == 4);
}

TEST_CASE("a coordinator that recovers, or no longer leads, is not ready and says why", "[http]") {
    StatusReply status;
    status.phase = "recovering";
    status.alarms = {"recovering: the first report of 1 known node is awaited"};
    const auto recovering = readiness_page(ReplyBody{status});
    CHECK(recovering.status == 503);
    CHECK_THAT(recovering.body, Catch::Contains("1 known node"));
    const auto over = readiness_page(fail(Errc::not_leader, "the store failed"));
    CHECK(over.status == 503);
    CHECK(over.body == "the store failed\n");
    CHECK(health_page("the store failed").status == 503);
}

}  // namespace muster::coordinator
