#include "sim/faults.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/random.hpp"

namespace muster::sim {

namespace {

constexpr std::array<std::string_view, fault_count> names{"loss",
                                                          "drop",
                                                          "late",
                                                          "slow",
                                                          "client-loss",
                                                          "write-fails",
                                                          "spawn-fails",
                                                          "power",
                                                          "agent-crash",
                                                          "disk-lost",
                                                          "agent-pause",
                                                          "agent-stop",
                                                          "agent-leave",
                                                          "shim-kill",
                                                          "machine",
                                                          "unready",
                                                          "spawns-broken",
                                                          "disk-broken",
                                                          "disk-full",
                                                          "task-ends",
                                                          "partition",
                                                          "cut",
                                                          "reset",
                                                          "replay",
                                                          "store-fails",
                                                          "coordinator-pause",
                                                          "coordinator-crash",
                                                          "commit-crash",
                                                          "stores",
                                                          "tasks",
                                                          "nodes",
                                                          "limits",
                                                          "rebalance",
                                                          "freeze",
                                                          "looks"};

}  // namespace

FaultSet FaultSet::all() {
    FaultSet faults;
    faults.set_.set();
    return faults;
}

FaultSet FaultSet::drawn(std::uint64_t seed) {
    Random random{seed ^ 0x6661756c74ULL};
    FaultSet faults;
    for (std::size_t fault = 0; fault < fault_count; ++fault) {
        const bool is_of_chance = fault <= static_cast<std::size_t>(Fault::spawn_fails);
        faults.set_[fault] = random.chance(is_of_chance ? 2 : 3, 4);
    }
    faults = faults.with(Fault::tasks);  // Without them there is nothing to be done.
    return random.chance(1, 8) ? faults.with(Fault::stores) : faults.without(Fault::stores);
}

Result<FaultSet> FaultSet::parse(std::string_view text) {
    if (text == "all") {
        return all();
    }
    FaultSet faults;
    for (std::string_view rest = text == "none" ? "" : text; !rest.empty();) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view name = rest.substr(0, end);
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) {
            return fail(Errc::invalid, fmt::format("'{}' is no fault: it is all, none, or of {}",
                                                   name, fmt::join(names, ",")));
        }
        faults.set_.set(static_cast<std::size_t>(found - names.begin()));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return faults;
}

FaultSet FaultSet::with(Fault fault) const {
    FaultSet faults = *this;
    faults.set_.set(static_cast<std::size_t>(fault));
    return faults;
}

FaultSet FaultSet::without(Fault fault) const {
    FaultSet faults = *this;
    faults.set_.reset(static_cast<std::size_t>(fault));
    return faults;
}

std::string FaultSet::text() const {
    if (set_.all()) {
        return "all";
    }
    std::string text;
    for (std::size_t fault = 0; fault < fault_count; ++fault) {
        if (set_[fault]) {
            text += fmt::format("{}{}", text.empty() ? "" : ",", names.at(fault));
        }
    }
    return text.empty() ? "none" : text;
}

}  // namespace muster::sim
