#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/checkers/onlooker.hpp"
#include "sim/model/world.hpp"
#include "sim/scenario/least.hpp"

namespace muster::sim {

/// Counts what happens during one step of a scenario, of tasks whose processes stay (see stays()).
/// A process counts until it ends if its task was such as it began.
///
/// A copy serves while its process runs on a host that is not cut off. So many are short as are
/// wanted, by the store, and of which none serves; a task with `every_node` is never short.
class Meter : public Onlooker {
public:
    explicit Meter(const World& world) : world_{world} {}

    void see(Instant now, const Committed& committed) override;
    void see(Instant now, const BatchIssued& issued) override;
    void see(Instant now, const EventPublished& published) override;
    void see(Instant now, const AgentBegan& began) override;
    void see(Instant now, const ShutDownOrdered& ordered) override;
    void see(Instant now, const EndOrdered& ordered) override;
    void see(Instant now, const ProcessBegan& began) override;
    void see(Instant now, const ProcessGone& gone) override;

    /// A step begins: all counts are 0, and what runs is noted.
    void begin(Instant now);
    /// Wires were cut or healed: looks anew which copies serve.
    void look(Instant now);

    struct Counts {
        std::uint64_t plans = 0;  ///< Moments at which something was ordered.
        Moves made{};             ///< Processes that began, and that ended as ordered.
        std::uint64_t short_most = 0;
        Duration short_for{};
        bool was_frozen = false;
    };
    [[nodiscard]] Counts counts(Instant now) const;
    /// The processes that ran when the step began and that no fault has ended since.
    [[nodiscard]] std::map<TrueProcess, Process> spared() const;
    [[nodiscard]] bool counts(const Process& process) const;

private:
    using Key = std::tuple<HostIndex, std::uint64_t, InstanceId, Generation>;
    struct Task {
        std::uint64_t wanted = 0;
        std::map<Ordinal, std::uint64_t> serving;  ///< Copies of each, at least one.
    };

    [[nodiscard]] bool counts_for(const std::string& task) const;
    [[nodiscard]] bool is_cut_off(HostIndex host) const;
    void change(Instant now, HostIndex host, const InstanceId& id, bool begins);
    void account(Instant now);
    [[nodiscard]] static std::uint64_t short_of(const Task& task);

    const World& world_;
    Counts counts_;
    Instant planned_{};
    std::map<std::string, Task> tasks_;
    std::uint64_t short_ = 0;
    Instant since_{};
    std::map<TrueProcess, Process> before_;
    std::set<Key> counted_;  ///< That run, and count.
    std::set<Key> lost_;
    std::set<std::pair<HostIndex, std::uint64_t>> ordered_;  ///< To end, by host and number.
    std::set<HostIndex> shutting_down_;                      ///< Ended with its agent: no order.
};

}  // namespace muster::sim
