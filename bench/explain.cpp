#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "coordinator/core/coordinator.hpp"

// explain.instance: why an instance is on its node, with the verdict about every node, in a cluster
// in which everything runs. The answer is computed, not encoded.
namespace muster::bench {
namespace {

constexpr std::uint32_t instances_of_task = 100;

std::uint32_t nodes() { return sized(10'000U, 100U); }
std::uint32_t tasks() { return sized(10'000U, 10U); }
std::uint32_t instances() { return tasks() * instances_of_task; }

/// `n000042`: names sort like numbers.
std::string padded(char letter, std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return letter + std::string(6 - digits.size(), '0') + digits;
}

coordinator::StoreImage wanted_image() {
    coordinator::StoreImage image;
    image.meta.cluster = {1, 1};
    image.meta.leader = {2, 2};
    image.meta.epoch = Epoch{2};
    image.meta.counter = Generation{1};
    coordinator::StoredTask task;
    task.wanted.spec.argv = {"/usr/bin/service"};
    task.wanted.instances = instances_of_task;
    task.generation = task.created = Generation{1};
    for (std::uint32_t number = 0; number < tasks(); ++number) {
        task.wanted.name = padded('t', number);
        image.tasks.push_back(task);
    }
    return image;
}

/// A leader and the agents of a fleet, which ran the wanted tasks before the leader began.
class Cluster {
public:
    Cluster() : running_(nodes()) {
        for (std::uint32_t number = 0; number < instances(); ++number) {
            InstanceReport report;
            report.id = {padded('t', number / instances_of_task), number % instances_of_task};
            report.generation = Generation{1};
            report.state = InstanceState::running;
            // On each node tasks are in the order of their names, and each task is on many nodes.
            running_[(number * 101ULL) % nodes()].push_back(std::move(report));
        }
        for (std::uint32_t node = 0; node < nodes(); ++node) {
            Hello hello;
            hello.name = padded('n', node);
            hello.life = {3, node + 1ULL};
            hello.incarnation = Incarnation{1};
            on_input(coordinator::FromAgent{coordinator::Session{node}, std::move(hello)});
        }
        for (int i = 0; i < 3; ++i) {  // All nodes report, and every open question is decided.
            now_ = core_.next_deadline();
            on_input(coordinator::Wake{});
        }
    }

    [[nodiscard]] Reply ask(CoreRequestBody body) {
        coordinator::Output output = core_.step(
            now_, coordinator::FromOperator{coordinator::Ticket{1},
                                            CoreRequest{.id = {}, .body = std::move(body)}});
        ensure(output.replies.size() == 1, "a read is answered at once");
        return *output.replies.front().reply;
    }

private:
    void on_input(const coordinator::Input& input) {
        coordinator::Output output = core_.step(now_, input);
        while (!output.persist.empty() || !output.polls.empty()) {
            std::vector<coordinator::Input> next;
            if (!output.persist.empty()) {
                next.emplace_back(coordinator::Persisted{output.persist.back().number});
            }
            for (const coordinator::PollTo& poll : output.polls) {
                next.emplace_back(answer_to(poll));
            }
            output = {};
            for (const coordinator::Input& one : next) {
                coordinator::Output more = core_.step(now_, one);
                for (coordinator::Persist& persist : more.persist) {
                    output.persist.push_back(std::move(persist));
                }
                output.polls.insert(output.polls.end(), more.polls.begin(), more.polls.end());
            }
        }
    }

    [[nodiscard]] coordinator::FromAgent answer_to(const coordinator::PollTo& to) const {
        Report report;
        report.epoch = to.poll.epoch;
        report.round = to.poll.round;
        report.incarnation = to.poll.incarnation;
        report.from = report.to = Revision{1};
        report.kind = to.poll.seen == report.to ? ReportKind::same : ReportKind::snapshot;
        if (report.kind == ReportKind::snapshot) {
            report.instances = running_[raw(to.session)];
        }
        return {to.session, std::move(report)};
    }

    std::vector<std::vector<InstanceReport>> running_;  // By node, numbered like its session.
    Instant now_{1h};
    coordinator::Coordinator core_{now_, {}, wanted_image()};
};

Figure explain_instance() {
    Cluster cluster;
    const Reply status = cluster.ask(StatusRequest{});
    ensure(std::get<StatusReply>(*status.result).running == instances(), "everything runs");
    std::uint32_t next = 0;
    Figure figure;
    figure.value = median_of(9, [&] {
        const std::string name = padded('t', 997 * ++next % tasks()) + ".3";
        Reply reply;
        const double cost = cpu_ms_of([&] {
            reply = cluster.ask(ExplainRequest{.subject = Subject::instance, .name = name});
        });
        ensure(reply.result.has_value(), "an instance that runs can be explained");
        return cost;
    });
    return figure;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Suite suite{argc, argv};
    suite.run("explain.instance.10000x1000000", explain_instance);
    return 0;
}
