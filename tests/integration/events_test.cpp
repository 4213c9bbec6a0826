#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

// The next event of this name whose topic has this prefix; nothing if none comes. The listener
// subscribed to `subscribed` and must receive no other topic.
std::optional<Json> next_event(Client& listener, const std::string& subscribed,
                               const std::string& topic, const std::string& name) {
    while (const auto frames = listener.receive()) {
        if (frames->size() != 2) {
            throw std::runtime_error{"an event has a topic and one JSON frame"};
        }
        auto event = Json::parse(frames->at(1));
        if (frames->front() != event.at("topic").get<std::string>()) {
            throw std::runtime_error{"the topic of an event stands in both frames"};
        }
        if (!frames->front().starts_with(subscribed)) {
            throw std::runtime_error{"an event of " + frames->front() + " reached a listener of " +
                                     subscribed};
        }
        if (frames->front().starts_with(topic) && event.at("name") == name) {
            return event;
        }
    }
    return std::nullopt;
}

}  // namespace

// Goal: any client with read access can follow events.
// Method: subscribe to one kind of event, and cause it after an event of another kind, which must
// not arrive.
TEST_CASE("events reach exactly the clients that subscribed to their topic",
          "[integration][events]") {
    Cluster cluster{{.nodes = {"n1"}, .loses_quickly = true}};
    Client listener{zmq::socket_type::sub, cluster.endpoints().events};
    listener.subscribe("node.");
    cluster.start_agent("n2");
    REQUIRE(cluster.serving(2));
    Client of_tasks{zmq::socket_type::sub, cluster.endpoints().events};
    of_tasks.subscribe("task.");
    REQUIRE(until([&] {
        cluster.apply({cluster.task("web", 1)});
        cluster.ask({{"verb", "task remove"}, {"pattern", "web"}});
        return of_tasks.receive(Clock::now() + std::chrono::milliseconds{20}).has_value();
    }));
    cluster.kill_host("n2");
    const auto lost = next_event(listener, "node.", "node.lost", "n2");
    REQUIRE(lost);
    CHECK(lost->at("epoch") == cluster.status().at("epoch"));
}

// Goal: a client that missed events can get them from the coordinator's ring, but of rounds without
// news only the last. Method: listen, then ask for the events after the first one received, and
// compare.
TEST_CASE("events since a number close a gap", "[integration][events]") {
    Cluster cluster{{.nodes = {"n1"}}};
    Client listener{zmq::socket_type::sub, cluster.endpoints().events};
    listener.subscribe("");
    const auto first_event = [&] {
        cluster.ask({{"verb", "round now"}});
        return listener.receive(Clock::now() + std::chrono::milliseconds{20});
    };
    std::optional<Frames> first;
    REQUIRE(until([&] { return (first = first_event()).has_value(); }));
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    cluster.ask({{"verb", "task remove"}, {"pattern", "web"}});
    const auto is_round = [](const Json& event) { return event.at("topic") == "round.closed"; };
    std::vector<Json> received;
    do {
        const auto frames = listener.receive();
        REQUIRE(frames);
        if (auto event = Json::parse(frames->at(1)); !is_round(event)) {
            received.push_back(std::move(event));
        }
    } while (received.empty() || received.back().at("topic") != "task.removed");

    const auto since = Json::parse(first->at(1)).at("sequence").get<std::uint64_t>();
    const auto answer = cluster.ask({{"verb", "events"}, {"since", since}});
    std::uint64_t last = since;
    std::vector<Json> kept;
    for (const auto& event : answer.at("events")) {
        const auto sequence = event.at("sequence").get<std::uint64_t>();
        CHECK(sequence > last);
        last = sequence;
        if (!is_round(event) && kept.size() < received.size()) {
            kept.push_back(event);
        }
    }
    CHECK(kept == received);
    CHECK(cluster.ask({{"verb", "events"}, {"since", last + 1'000'000}}).at("events").empty());
}

// Goal: the examples in the help can be typed as they are.
// Method: send every example of `help` over REQ, to a cluster with the tasks and nodes that they
// name.
TEST_CASE("every example of help is answered", "[integration][probe]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    const auto help = ask_line(cluster.endpoints().operators, "help");
    REQUIRE(help);
    REQUIRE(help->at("ok") == true);
    const auto example_of = [&](const std::string& verb) {
        for (const auto& entry : help->at("verbs")) {
            if (entry.at("verb") == verb) {
                return entry.at("example").get<std::string>();
            }
        }
        throw std::runtime_error{"help does not know " + verb};
    };
    // The requests that make tasks for the others come first, those that remove them last.
    const std::string grouped = R"({"verb": "task add", "task": {"name": "web-cache", )"
                                R"("argv": ["sleep", "60"], "group": "cache"}})";
    for (const auto& adding : {grouped, example_of("task add"), example_of("pool create")}) {
        const auto added = ask_line(cluster.endpoints().operators, adding);
        REQUIRE(added);
        INFO(added->dump());
        CHECK(added->at("ok") == true);
    }
    // There are no keys, no host waits, and this is not the endpoint for hosts that join.
    const std::map<std::string, std::string> refusals{
        {"node accept", "not_found"},      {"enrol", "denied"},      {"key rotate", "not_found"},
        {"coordinator resign", "refused"}, {"key renew", "refused"}, {"secret set", "refused"},
        {"secret remove", "not_found"}};
    std::size_t count = 0;
    for (const auto& entry : help->at("verbs")) {
        const auto verb = entry.at("verb").get<std::string>();
        if (verb == "task add" || verb == "task remove" || verb == "pool create" ||
            verb == "pool remove") {
            continue;
        }
        const auto example = entry.at("example").get<std::string>();
        const auto answer = ask_line(cluster.operators_socket(), example);
        INFO(example);
        REQUIRE(answer);
        INFO(answer->dump());
        if (verb == "node forgive") {
            // Forgiving is refused for a node in good standing, or succeeds if this slow host
            // missed a poll.
            CHECK((answer->at("ok") == true || answer->at("error").at("code") == "refused"));
        } else if (const auto refused = refusals.find(verb); refused != refusals.end()) {
            CHECK(answer->at("error").at("code") == refused->second);
        } else {
            CHECK(answer->at("ok") == true);
        }
        ++count;
    }
    CHECK(count >= 15);
    for (const std::string& removing :
         {example_of("task remove"), std::string{"task remove web-cache"},
          example_of("pool remove")}) {
        const auto removed = ask_line(cluster.endpoints().operators, removing);
        REQUIRE(removed);
        CHECK(removed->at("ok") == true);
    }
    CHECK(until([&] { return cluster.tasks().empty(); }));
}

// Goal: any kind of ZeroMQ client can be a client of muster.
// Method: the same request over REQ and over DEALER, as JSON, as a line, with and without newline.
TEST_CASE("a request is answered in the envelope it came in", "[integration][probe]") {
    Cluster cluster{{.nodes = {}}};
    for (const auto& endpoint : {cluster.endpoints().operators, cluster.operators_socket()}) {
        for (const std::string request :
             {"{\"verb\": \"ping\"}", "{\"verb\": \"ping\"}\n", "ping", "ping\n"}) {
            Client dealer{zmq::socket_type::dealer, endpoint};
            REQUIRE(dealer.send(request));
            const auto bare = dealer.receive();
            REQUIRE(bare);
            REQUIRE(bare->size() == 1);
            REQUIRE(dealer.send(Frames{"", request}));
            const auto delimited = dealer.receive();
            REQUIRE(delimited);
            REQUIRE(delimited->size() == 2);
            CHECK(delimited->front().empty());
            CHECK(delimited->back() == bare->front());
            const auto line = ask_line(endpoint, request);
            REQUIRE(line);
            CHECK(line->dump() == Json::parse(bare->front()).dump());
        }
    }
}

// Goal: a mistake gets a stable code and a helpful sentence.
// Method: type verbs and fields that do not exist.
TEST_CASE("a mistyped request is answered with a code", "[integration][probe]") {
    Cluster cluster{{.nodes = {}}};
    const auto code_of = [&](const std::string& request) {
        const auto answer = ask_line(cluster.operators_socket(), request);
        REQUIRE(answer);
        INFO(answer->dump());
        CHECK(answer->at("ok") == false);
        CHECK_FALSE(answer->at("error").at("message").get<std::string>().empty());
        return answer->at("error").at("code").get<std::string>();
    };
    CHECK(code_of("statis") == "unknown_verb");
    CHECK(code_of(R"({"verb": "statis"})") == "unknown_verb");
    CHECK(code_of(R"({"verb": "task show"})") == "malformed");
    CHECK(code_of("{") == "malformed");
    CHECK(code_of(R"({"verb": "task show", "name": "../x"})") == "malformed");
    CHECK(code_of("task show nothing") == "not_found");
    CHECK(code_of("wait nothing-at-all 1ms") == "not_found");
}

}  // namespace muster::integration
