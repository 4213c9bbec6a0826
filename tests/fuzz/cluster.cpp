#include "sim/model/cluster.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/random.hpp"
#include "sim/faults/chaos.hpp"
#include "sim/faults/forged_message.hpp"
#include "sim/model/generators.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"

// A simulated cluster with all its checkers. Bytes choose the actions, the pauses between them, and
// which messages are corrupted, late, duplicated or false.
namespace muster::fuzz {
namespace {

using sim::Cluster;
using sim::Side;

constexpr std::size_t most_simulated_hosts = 6;
constexpr Duration most_simulated = 1min;
constexpr std::array simulated_tasks{"db", "web"};

sim::ClusterOptions options_of(Bytes& bytes) {
    sim::FaultSet faults;
    const auto chosen = bytes.byte();
    const std::array chance{sim::Fault::loss,        sim::Fault::drop,
                            sim::Fault::late,        sim::Fault::corrupt,
                            sim::Fault::client_loss, sim::Fault::write_fails,
                            sim::Fault::spawn_fails, sim::Fault::slow};
    for (std::size_t fault = 0; fault < chance.size(); ++fault) {
        if ((chosen >> fault & 1U) != 0) {
            faults = faults.with(chance.at(fault));
        }
    }
    auto options = sim::random_options(bytes.number(2), 2 + bytes.byte() % 3U, faults);
    options.corrupt *= 8;  // To count each of them.
    return options;
}

class ClusterUnderFuzz {
public:
    explicit ClusterUnderFuzz(Bytes& bytes) : cluster_{options_of(bytes)} {}

    void act(Bytes& bytes) {
        const auto labels = cluster_.labels();
        const auto action = bytes.byte();
        const std::string& label = labels.at(bytes.byte() % labels.size());
        if (action < 64) {
            cluster_.run(std::chrono::milliseconds{std::uint64_t{action} * action * 4});
        } else if (action < 128) {
            operate(action % 16U, label, bytes);
        } else if (action < 176) {
            inject_host_fault(action % 16U, label, bytes);
        } else if (action < 208) {
            inject_wire_fault(action % 8U, label, bytes);
        } else if (action < 224) {
            inject_coordinator_fault(action % 4U, bytes);
        } else {
            cluster_.mend(label);
        }
    }

    [[nodiscard]] bool is_over() const {
        return cluster_.now() > sim::origin + most_simulated || !cluster_.violations().empty();
    }

    void check_end() {
        cluster_.run(2s);
        if (!cluster_.violations().empty()) {
            std::fputs(cluster_.violations().front().c_str(), stderr);
            ensure(false, "all promises hold");
        }
    }

private:
    [[nodiscard]] static std::string task_of(std::uint8_t byte) {
        return simulated_tasks.at(byte % simulated_tasks.size());
    }

    void operate(unsigned action, const std::string& label, Bytes& bytes) {
        const std::string& name = cluster_.host(label).name();
        switch (action) {
            case 0:
            case 1:
            case 2:
            case 3: return want(bytes);
            case 4: static_cast<void>(cluster_.restart(task_of(bytes.byte()))); return;
            case 5: static_cast<void>(cluster_.remove(task_of(bytes.byte()))); return;
            case 6: return ask(NodeOfflineRequest{name, {}});
            case 7: return ask(NodeOnlineRequest{name, {}});
            case 8:
                return ask(NodeDrainRequest{.pattern = name,
                                            .deadline_ms = bytes.byte() * std::uint64_t{32},
                                            .force = bytes.byte() % 2 != 0,
                                            .why = {}});
            case 9: return ask(NodeAddRequest{{{name, ""}}, {}});
            case 10:
                return ask(
                    NodeRemoveRequest{.pattern = name, .force = bytes.byte() % 2 != 0, .why = {}});
            case 11: return ask(LimitSetRequest{"starts_per_round", 1 + bytes.byte() % 4U});
            case 12: return ask(FreezeOnRequest{});
            case 13: return ask(FreezeOffRequest{});
            case 14: return ask(RebalanceRequest{});
            default: return ask(ExplainRequest{Subject::task, task_of(bytes.byte())});
        }
    }
    void ask(RequestBody body) { static_cast<void>(cluster_.ask(std::move(body))); }
    void want(Bytes& bytes) {
        Random random{bytes.number(2)};
        WantedTask task_wanted{task_of(bytes.byte()), bytes.byte() % 6U, sim::any_spec(random),
                               sim::any_rule(random)};
        if (task_wanted.place.every_node) {
            task_wanted.instances = std::min(task_wanted.instances, 1U);
        }
        ApplyRequest request;
        request.tasks.push_back(std::move(task_wanted));
        ask(std::move(request));
    }

    void inject_host_fault(unsigned action, const std::string& label, Bytes& bytes) {
        const sim::AgentHost& host = cluster_.host(label);
        if (!host.is_up() || host.is_paused()) {
            return;
        }
        switch (action) {
            case 0: return cluster_.kill_host(label);
            case 1: return cluster_.crash_agent(label);
            case 2: cluster_.crash_agent(label); return cluster_.lose_disk(label);
            case 3: return cluster_.pause_agent(label);
            case 4: return cluster_.stop_agent(label);
            case 5: return cluster_.leave_agent(label);
            case 6: return cluster_.kill_shim(label);
            case 7: return cluster_.set_ready(label, false);
            case 8: return cluster_.break_spawns(label, true);
            case 9: return cluster_.break_disk(label, true);
            case 10: return cluster_.set_full(label, true);
            case 11: return cluster_.halt_host(label);
            case 12: return falsify(label, bytes);
            case 13: static_cast<void>(cluster_.end_process({task_of(bytes.byte()), 0}, 1)); return;
            case 14: return exchange(label);
            default: cluster_.kill_host(label); return cluster_.boot_host(label);
        }
    }
    // Only one host is byzantine: false reports of two that agree cannot be detected.
    void falsify(const std::string& label, Bytes& bytes) {
        byzantine_host_ = byzantine_host_.empty() ? label : byzantine_host_;
        Random random{bytes.number(2)};
        cluster_.forge_from(
            byzantine_host_,
            sim::forged_message(random, cluster_.host(byzantine_host_), cluster_.store()));
    }
    void exchange(const std::string& label) {
        if (cluster_.labels().size() < most_simulated_hosts) {
            cluster_.scrap_host(label);
            cluster_.add_host("m" + std::to_string(cluster_.labels().size()));
        }
    }

    void inject_wire_fault(unsigned action, const std::string& label, Bytes& bytes) {
        switch (action) {
            case 0: return cluster_.partition(label);
            case 1: return cluster_.cut(label, Side::agent);
            case 2: return cluster_.cut(label, Side::coordinator);
            case 3: return cluster_.reset_link(label);
            case 4: return cluster_.lag(label, std::chrono::milliseconds{bytes.byte() * 12});
            case 5: return cluster_.heal(label);
            default:
                if (cluster_.host(label).has_old_batch()) {
                    cluster_.replay_batch(label);
                }
        }
    }

    void inject_coordinator_fault(unsigned action, Bytes& bytes) {
        if (!cluster_.coordinator_is_up() || cluster_.coordinator_is_paused()) {
            return;
        }
        switch (action) {
            case 0: return cluster_.crash_coordinator();
            case 1: return cluster_.pause_coordinator();
            case 2: return cluster_.fail_store();
            default: cluster_.crash_at_commit(cluster_.commits() + 1 + bytes.byte() % 3U);
        }
    }

    Cluster cluster_;
    std::string byzantine_host_;
};

}  // namespace

void fuzz_cluster(std::string_view input) {
    Bytes bytes{input};
    ClusterUnderFuzz cluster{bytes};
    while (!bytes.is_empty() && !cluster.is_over()) {
        cluster.act(bytes);
    }
    cluster.check_end();
}

}  // namespace muster::fuzz
