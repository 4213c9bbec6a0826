// The time from an operator's request to a process that the coordinator knows to run: the real
// programs, three agents on loopback. A change does not wait for the next round.

#include <string>
#include <utility>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "tests/integration/support/cluster.hpp"

using namespace muster;

namespace {

constexpr int runs = 25;

/// Applies one task and waits for it, over an existing connection.
double ms_to_running(const integration::RealCluster& cluster, integration::Client& client,
                     const std::string& name) {
    const integration::Json apply{{"verb", "apply"},
                                  {"request_id", integration::new_request_id()},
                                  {"tasks", {cluster.task(name, 1)}}};
    const integration::Json wait{{"verb", "wait"}, {"pattern", name}};
    const auto ask = [&](const integration::Json& request) {
        client.send(request.dump());
        const auto answer = client.receive();
        ensure(answer && integration::Json::parse(answer->back()).at("ok").get<bool>(),
               "the coordinator does what it is asked");
    };
    const double begin = bench::wall_ms();
    ask(apply);
    ask(wait);
    return bench::wall_ms() - begin;
}

double median_ms_to_running() {
    // The default round.
    const integration::RealCluster cluster{{.round = std::chrono::seconds{1}}};
    integration::Client client{zmq::socket_type::dealer, cluster.endpoints().operators};
    int run = 0;
    return bench::median_of(
        runs, [&] { return ms_to_running(cluster, client, "task-" + std::to_string(run++)); });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Suite suite{argc, argv};
    suite.run("apply.to_running",
              [] { return bench::Figure{.value = median_ms_to_running(), .floor = {}}; });
}
