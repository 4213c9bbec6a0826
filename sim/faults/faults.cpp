#include "sim/faults/faults.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/base/random.hpp"

namespace muster::sim {

namespace {

struct FaultRow {
    std::string_view name;
    std::uint32_t eighths = 0;  ///< Of all seeds have it.
};

// In the order of Fault. Every seed has tasks, because without them nothing happens. Exchanged
// stores and byzantine hosts prevent other checks, so fewer seeds have them.
constexpr std::array fault_rows{
    FaultRow{"loss", 4},
    FaultRow{"drop", 4},
    FaultRow{"late", 4},
    FaultRow{"corrupt", 2},
    FaultRow{"slow", 4},
    FaultRow{"client-loss", 4},
    FaultRow{"write-fails", 4},
    FaultRow{"spawn-fails", 4},
    FaultRow{"power", 6},
    FaultRow{"reboot", 6},
    FaultRow{"halt", 3},
    FaultRow{"agent-crash", 6},
    FaultRow{"disk-lost", 6},
    FaultRow{"agent-pause", 6},
    FaultRow{"agent-stop", 6},
    FaultRow{"agent-leave", 6},
    FaultRow{"shim-kill", 6},
    FaultRow{"machine", 6},
    FaultRow{"unready", 6},
    FaultRow{"spawns-broken", 6},
    FaultRow{"disk-broken", 6},
    FaultRow{"disk-full", 6},
    FaultRow{"clock", 2},
    FaultRow{"task-ends", 6},
    FaultRow{"byzantine", 1},
    FaultRow{"partition", 6},
    FaultRow{"mass-partition", 3},
    FaultRow{"cut", 6},
    FaultRow{"flap", 6},
    FaultRow{"lag", 6},
    FaultRow{"reset", 6},
    FaultRow{"mass-reset", 6},
    FaultRow{"replay", 6},
    FaultRow{"store-fails", 6},
    FaultRow{"coordinator-pause", 6},
    FaultRow{"coordinator-crash", 6},
    FaultRow{"commit-crash", 6},
    FaultRow{"stores", 1},
    FaultRow{"tasks", 8},
    FaultRow{"crash-loop", 3},
    FaultRow{"nodes", 6},
    FaultRow{"limits", 6},
    FaultRow{"rebalance", 6},
    FaultRow{"freeze", 6},
    FaultRow{"queries", 6},
    FaultRow{"shim-loss", 4},
    FaultRow{"keys", 2},
};
static_assert(fault_rows.size() == fault_count);

/// The names, separated by commas.
std::string names_of(const std::bitset<fault_count>& set) {
    std::string names;
    for (std::size_t fault = 0; fault < fault_count; ++fault) {
        if (set[fault]) {
            names += fmt::format("{}{}", names.empty() ? "" : ",", fault_rows.at(fault).name);
        }
    }
    return names;
}

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
        faults.set_[fault] = random.chance(fault_rows.at(fault).eighths, 8);
    }
    // Not drawn, so that the pinned seeds that have keys are known.
    faults.set_[static_cast<std::size_t>(Fault::keys)] = seed % 4 == 3;
    return faults;
}

Result<FaultSet> FaultSet::parse(std::string_view text) {
    FaultSet faults;
    if (text == "none") {
        return faults;
    }
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const bool is_left_out = text.substr(begin).starts_with('-');
        begin += is_left_out ? 1 : 0;
        const std::string_view name = text.substr(begin, end - begin);
        if (name == "all") {
            faults = is_left_out ? FaultSet{} : all();
            begin = end + 1;
            continue;
        }
        const auto found = std::ranges::find(fault_rows, name, &FaultRow::name);
        if (found == fault_rows.end()) {
            return fail(Errc::invalid,
                        fmt::format("'{}' is not a fault; use all, none, or some of {}", name,
                                    names_of(all().set_)));
        }
        faults.set_.set(static_cast<std::size_t>(found - fault_rows.begin()), !is_left_out);
        begin = end + 1;
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
    return set_.none() ? "none" : names_of(set_);
}

}  // namespace muster::sim
