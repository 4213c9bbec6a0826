#include "coordinator/providers/contract.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"

namespace muster::coordinator {
namespace {

using Texts = std::vector<std::string>;

const ClusterId cluster{1, 2};

OutsideCall listing() { return {1, "cloud", ListNodes{}}; }
OutsideCall provision(std::uint32_t count) {
    return {2, "cloud", ProvisionNodes{"web", "7-12", count}};
}
OutsideCall removal() { return {3, "cloud", RemoveNode{"web", "i-1"}}; }
OutsideCall prediction() {
    return {4, "ml", PredictNeed{"web", {{CivilMs{60'000}, 3}, {CivilMs{70'000}, 5}}}};
}

OutsideResult printed(const OutsideCall& call, const std::string& output) {
    return result_of(call, {.output = output});
}

std::string fault(const OutsideResult& result) {
    REQUIRE(std::holds_alternative<CallFailed>(result));
    return std::get<CallFailed>(result).why;
}

std::string node(const std::string& inner) { return R"({"nodes": [{)" + inner + "}]}"; }

}  // namespace

// Goal: a program can be written from the page alone.
// Method: the words and the input of each kind of call.
TEST_CASE("a program gets the call as words, and its details as one JSON object", "[providers]") {
    CHECK(arguments_of(listing()) == Texts{"list"});
    CHECK(arguments_of(provision(3)) == Texts{"provision", "3"});
    CHECK(arguments_of(removal()) == Texts{"remove", "i-1"});
    CHECK(arguments_of(prediction()) == Texts{"predict"});

    const std::string of = R"({"cluster":"00000000000000010000000000000002")";
    CHECK(input_of(cluster, listing()) == of + "}\n");
    CHECK(input_of(cluster, provision(3)) ==
          of + R"(,"pool":"web","request":"7-12","count":3})" + '\n');
    CHECK(input_of(cluster, removal()) == of + R"(,"pool":"web","id":"i-1"})" + '\n');
    CHECK(input_of(cluster, prediction()) ==
          of + R"(,"pool":"web","recent":[{"at":60000,"need":3},{"at":70000,"need":5}]})" + '\n');
}

TEST_CASE("each kind of call has its answer", "[providers]") {
    CHECK(
        printed(listing(),
                R"({"nodes": [{"id": "i-1", "pool": "web"},
                     {"id": "VM/7", "node": "web-2", "pool": "web", "request": "7-12"}]})") ==
        OutsideResult{NodesListed{{{"i-1", "i-1", "web", ""}, {"VM/7", "web-2", "web", "7-12"}}}});
    CHECK(printed(listing(), R"({"nodes": []})") == OutsideResult{NodesListed{}});
    CHECK(printed(provision(3), "{\"granted\": 3}\n") == OutsideResult{NodesGranted{3}});
    CHECK(printed(provision(3), R"({"granted": 0})") == OutsideResult{NodesGranted{0}});
    CHECK(printed(removal(), "{}") == OutsideResult{NodeRemoved{}});
    CHECK(printed(prediction(), R"({"amount": 400})") == OutsideResult{NeedPredicted{400}});
    CHECK(printed(prediction(), R"({"amount": 1000000000})") ==
          OutsideResult{NeedPredicted{most_amount}});
}

// Goal: whoever wrote the program finds the mistake by the sentence.
// Method: one mistake in each answer; the sentence has the name, the mistake and what is right.
TEST_CASE("an answer with a mistake is an error that says what is right", "[providers]") {
    struct Case {
        OutsideCall call;
        std::string output;
        std::string why;
    };
    const std::string long_name(limits::name_bytes + 1, 'x');
    const Case cases[] = {
        {provision(3), "", "it printed nothing"},
        {provision(3), " \n", "it printed nothing"},
        {provision(3), "granted 3", "not JSON"},
        {provision(3), "[3]", "not an object"},
        {provision(3), R"({"granted": 3} {"granted": 3})", "not JSON"},
        {provision(3), std::string("{\"granted\": 3}\0x", 16), "not JSON"},
        {provision(3), "{\"granted\": 3, \"\xff\": 1}", "not JSON"},
        {provision(3), R"({"granted": 3, "granted": 2})", "the same key twice"},
        {provision(3), "{}", "granted is missing"},
        {provision(3), R"({"grant": 3})", "unknown key 'grant'; the keys are granted"},
        {provision(3), R"({"granted": "3"})", "granted is not a whole number"},
        {provision(3), R"({"granted": -1})", "granted is not a whole number"},
        {provision(3), R"({"granted": 1.5})", "granted is not a whole number"},
        {provision(3), R"({"granted": 4})", "granted is 4; at most 3"},
        {provision(3), R"({"granted": 18446744073709551616})", "granted is not a whole number"},
        {provision(3), R"({"granted": 1e999})", "too large"},
        {provision(3), std::string(200'000, '['), "nests deeper"},
        {provision(3), std::string(limits::program_output_bytes + 1, ' '), "it printed nothing"},
        {provision(3), "x" + std::string(limits::program_output_bytes, ' '), "bytes; at most"},
        {removal(), R"({"removed": true})", "unknown key 'removed'; the keys are none"},
        {prediction(), R"({"amount": 1000000001})", "amount is 1000000001; at most"},
        {prediction(), R"({"amount": null})", "amount is not a whole number"},
        {listing(), "{}", "nodes is missing"},
        {listing(), R"({"nodes": {}})", "nodes is not an array"},
        {listing(), R"({"nodes": [3]})", "nodes[0]: it is not an object"},
        {listing(), node(R"("pool": "web")"), "nodes[0]: id is missing"},
        {listing(), node(R"("id": "i-1")"), "nodes[0]: pool is missing"},
        {listing(), node(R"("id": 1, "pool": "web")"), "id is not a text"},
        {listing(), node(R"("id": "--all", "node": "a", "pool": "web")"), "id is '--all'"},
        {listing(), node(R"("id": "", "node": "a", "pool": "web")"), "id is ''"},
        {listing(), node(R"("id": "a b", "node": "a", "pool": "web")"), "id is 'a b'"},
        {listing(), node(R"("id": ")" + std::string(129, 'x') + R"(", "node": "a", "pool": "w")"),
         "id has 129 bytes; at most 128"},
        {listing(), node(R"("id": "VM", "pool": "web")"), "id is 'VM', but a name"},
        {listing(), node(R"("id": "i", "pool": "Web pool")"), "pool is 'Web pool', but a name"},
        {listing(), node(R"("id": "i", "pool": ")" + long_name + '"'), "pool has 64 bytes"},
        {listing(), node(R"("id": "i", "node": "a/b", "pool": "web")"), "node is 'a/b'"},
        {listing(), node(R"("id": "i", "pool": "web", "request": "")"), "request is ''"},
        {listing(), node(R"("id": "i", "pool": "web", "Node": "x")"),
         "unknown key 'Node'; the keys are id, node, pool, request"},
        {listing(),
         R"({"nodes": [{"id": "i", "pool": "a"}, {"id": "i", "node": "j", "pool": "a"}]})",
         "two nodes have the id 'i'"},
        {listing(),
         R"({"nodes": [{"id": "i", "pool": "a"}, {"id": "j", "node": "i", "pool": "a"}]})",
         "two nodes have the node 'i'"},
    };
    for (const auto& [call, output, why] : cases) {
        CAPTURE(output.substr(0, 200));
        const auto is = fault(printed(call, output));
        CHECK_THAT(is, Catch::Contains(why) && Catch::Contains("what is right is"));
        CHECK_THAT(is, Catch::StartsWith(call.to == "ml" ? "predictor ml: " : "provider cloud: "));
        CHECK(is.size() < limits::sentence_bytes);
    }
    CHECK_THAT(fault(printed(provision(3), "")), Catch::EndsWith(R"({"granted": 3}, or less)"));
}

TEST_CASE("a list with more nodes than a coordinator knows is an error", "[providers]") {
    std::string many = R"({"nodes": [0)";
    for (std::size_t count = 0; count < limits::nodes; ++count) {
        many += ",0";
    }
    CHECK_THAT(fault(printed(listing(), many + "]}")),
               Catch::Contains("nodes has 200001 elements; at most 200000"));
}

// Goal: an operator reads why a provider did not do its work.
// Method: ends that are no success.
TEST_CASE("the reason of a failure is the last line of the standard error", "[providers]") {
    const auto failed = [](ProgramEnd end) { return fault(result_of(provision(3), end)); };
    CHECK(failed({.exit_code = 3, .output = R"({"granted": 3})", .errors = "a\nno quota\n \n\n"}) ==
          "provider cloud: provision 3 failed (exit status 3) with: no quota");
    CHECK_THAT(failed({.exit_code = 1}), Catch::Contains("(exit status 1) without a reason"));
    CHECK_THAT(failed({.exit_code = 1, .errors = " \n"}), Catch::Contains("without a reason"));
    CHECK(failed({.exit_code = -1, .exit_signal = 9, .errors = "x"}) ==
          "provider cloud: provision 3 was ended by signal 9 with: x");
    CHECK_THAT(failed({.exit_code = 1, .errors = "\x1b[31mred\x01"}),
               Catch::EndsWith("with: ?[31mred?"));
    CHECK(failed({.exit_code = 1, .errors = std::string(10'000, 'x')}).size() < 250);
}

}  // namespace muster::coordinator
