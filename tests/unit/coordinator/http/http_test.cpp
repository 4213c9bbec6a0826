#include "coordinator/http/http.hpp"

#include <memory>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/host/clock.hpp"
#include "tests/few_files.hpp"
#include "tests/unit/coordinator/http/browser.hpp"

namespace muster::coordinator {
namespace {

/// A server driven by the test, with a page of any size at `/SIZE`.
struct Web {
    Web() {
        const auto bound = http.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        endpoint = *bound;
    }

    static HttpAnswer page(std::string_view path) {
        if (path == "/missing") {
            return {.status = 404, .body = "none\n"};
        }
        return {.body = std::string(std::stoul(std::string{path.substr(1)}), 'x')};
    }

    template <class Holds>
    [[nodiscard]] bool until(Holds holds) {
        const auto deadline = net::boottime_now() + 20s;
        while (!holds() && net::boottime_now() < deadline) {
            loop.turn(net::boottime_now() + 5ms);
        }
        return holds();
    }

    net::Loop loop;
    HttpServer http{loop, [](Instant, std::string_view path) { return page(path); }};
    std::string endpoint;
};

std::string answer_to(Web& web, Browser& browser, std::string_view bytes) {
    browser.send(bytes);
    REQUIRE(web.until([&] { return browser.is_closed(); }));
    return browser.received();
}

std::string answer_to(Web& web, std::string_view bytes) {
    Browser browser{web.endpoint};
    return answer_to(web, browser, bytes);
}

}  // namespace

TEST_CASE("a page is answered whole, and the connection is closed", "[http]") {
    Web web;
    CHECK(answer_to(web, "GET /3?name=a%20b HTTP/1.1\r\nHost: localhost\r\n\r\n") ==
          "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"
          "Cache-Control: no-store\r\nConnection: close\r\n\r\nxxx");
    CHECK_THAT(answer_to(web, "HEAD /3 HTTP/1.0\r\n\r\n"),
               Catch::StartsWith("HTTP/1.1 200 OK\r\n") &&
                   Catch::Contains("Content-Length: 3\r\n") && Catch::EndsWith("close\r\n\r\n"));
    CHECK_THAT(answer_to(web, "GET /missing HTTP/1.1\r\n\r\n"),
               Catch::StartsWith("HTTP/1.1 404 Not Found\r\n") && Catch::EndsWith("none\n"));
}

// Goal: a client that sends an invalid request learns it from the status and a sentence.
// Method: one error for each connection.
TEST_CASE("an invalid HTTP request is answered with the correct form", "[http]") {
    Web web;
    const auto expect = [&](const std::string& bytes, const std::string& status,
                            const std::string& sentence) {
        INFO(bytes.substr(0, 80));
        CHECK_THAT(answer_to(web, bytes),
                   Catch::StartsWith("HTTP/1.1 " + status + " ") && Catch::Contains(sentence));
    };
    expect("POST /1 HTTP/1.1\r\nContent-Length: 9\r\n\r\n123456789", "405", "Allow: GET, HEAD\r\n");
    expect("GET /1 HTTP/2.0\r\n\r\n", "505", "only HTTP/1.1");
    expect("GET /1\r\n\r\n", "400", "METHOD /PATH HTTP/1.1");
    expect("nothing at all\r\n\r\n", "400", "only HTTP/1.1");
    expect("GET 1 HTTP/1.1\r\n\r\n", "400", "begin with /");
    expect("GET /\x1b[2J HTTP/1.1\r\n\r\n", "400", "the first line");
    expect("\r\n\r\n", "400", "the first line");
    expect("GET /1 HTTP/1.1\r\nx: " + std::string(HttpServer::request_bytes, 'y'), "431", "8 KiB");
}

// Goal: a client that asks for page after page does not block the loop.
// Method: more clients ask at once than one turn serves; count the pages of each turn.
TEST_CASE("each turn of the loop makes one page", "[http]") {
    net::Loop loop;
    int pages = 0;
    HttpServer http{loop, [&pages](Instant, std::string_view) {
                        ++pages;
                        return HttpAnswer{.body = "page"};
                    }};
    const auto endpoint = http.bind("tcp://127.0.0.1:*");
    REQUIRE(endpoint);
    std::vector<std::unique_ptr<Browser>> browsers;
    for (int i = 0; i < 20; ++i) {
        browsers.push_back(std::make_unique<Browser>(*endpoint));
        browsers.back()->send("GET /page HTTP/1.1\r\n\r\n");
    }
    const auto deadline = net::boottime_now() + 20s;
    for (int before = 0; pages < 20 && net::boottime_now() < deadline; before = pages) {
        loop.turn(net::boottime_now() + 5ms);
        CHECK(pages <= before + 1);
    }
    CHECK(pages == 20);
}

TEST_CASE("a request in several pieces is one request", "[http]") {
    Web web;
    Browser browser{web.endpoint};
    for (const char c : std::string{"GET /2 HTTP/1.1\r\n\r"}) {
        browser.send({&c, 1});
        web.loop.turn(net::boottime_now());
    }
    CHECK_THAT(answer_to(web, browser, "\n"), Catch::EndsWith("\r\n\r\nxx"));
}

// Goal: a client that does not read delays no other.
// Method: ask for more than the kernel buffers, do not read, and let another one ask.
TEST_CASE("a slow reader delays no other and gets everything", "[http]") {
    Web web;
    Browser slow{web.endpoint};
    slow.send("GET /9000000 HTTP/1.1\r\n\r\n");
    CHECK_THAT(answer_to(web, "GET /1 HTTP/1.1\r\n\r\n"), Catch::EndsWith("\r\n\r\nx"));
    REQUIRE(web.until([&] { return slow.is_closed(50'000); }));
    CHECK_THAT(slow.received(), Catch::Contains("Content-Length: 9000000\r\n"));
    CHECK(slow.received().size() > 9'000'000);
}

TEST_CASE(
    "a client that sends nothing is closed after its timeout, or when another needs its place",
    "[http]") {
    Web web;
    std::vector<std::unique_ptr<Browser>> silent;
    for (std::size_t i = 0; i < HttpServer::most_connections; ++i) {
        silent.push_back(std::make_unique<Browser>(web.endpoint));
        web.loop.turn(net::boottime_now());
    }
    CHECK_THAT(answer_to(web, "GET /1 HTTP/1.1\r\n\r\n"), Catch::EndsWith("\r\n\r\nx"));
    CHECK(web.until([&] { return silent.front()->is_closed(); }));
    CHECK_FALSE(silent.back()->is_closed());

    const Instant due = web.http.next_deadline();
    CHECK(due <= net::boottime_now() + HttpServer::patience);
    web.http.close_overdue(net::boottime_now() + HttpServer::patience);
    CHECK(silent.back()->is_closed());
    CHECK(web.http.next_deadline() == Instant::max());
}

// Goal: without a free descriptor no client is accepted, and the loop does not spin.
// Method: use all descriptors, check the deadline, free them.
TEST_CASE("HTTP pauses when no file descriptor is left, and continues when there are some again",
          "[http]") {
    Web web;
    Browser waiting{web.endpoint};
    waiting.send("GET /1 HTTP/1.1\r\n\r\n");
    Instant due{};
    Instant turned{};
    Instant before{};
    {
        const FewFiles none;
        web.loop.turn(net::boottime_now() + 5s);
        due = web.http.next_deadline();
        before = net::boottime_now();
        turned = web.loop.turn(before + 20ms);
    }
    CHECK(due < Instant::max());
    CHECK(turned >= before + 20ms);
    web.http.close_overdue(web.http.next_deadline());
    REQUIRE(web.until([&] { return waiting.is_closed(); }));
    CHECK_THAT(waiting.received(), Catch::EndsWith("\r\n\r\nx"));
}

TEST_CASE("HTTP is bound on this host only, and a port in use is named", "[http]") {
    Web web;
    net::Loop loop;
    HttpServer other{loop, [](Instant, std::string_view) { return HttpAnswer{}; }};
    const auto fault = [&](std::string_view endpoint) {
        const auto bound = other.bind(endpoint);
        REQUIRE_FALSE(bound);
        return bound.error().detail;
    };
    CHECK_THAT(fault(web.endpoint),
               Catch::Contains(web.endpoint) && Catch::Contains("already in use"));
    CHECK_THAT(fault("tcp://0.0.0.0:1"), Catch::Contains("HTTP has no keys"));
    CHECK_THAT(fault("ipc:///tmp/x.sock"), Catch::Contains("tcp://ADDRESS:PORT"));
    CHECK(other.bind("tcp://[::1]:*"));
}

}  // namespace muster::coordinator
