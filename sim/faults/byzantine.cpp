#include "sim/faults/byzantine.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "common/base/random.hpp"

namespace muster::sim {

ReportFalsification random_falsification(std::uint64_t seed) {
    Random random{seed ^ 0x6c696573ULL};
    constexpr std::array manners{ReportFalsification::none, ReportFalsification::claims,
                                 ReportFalsification::swallows, ReportFalsification::by_turns};
    return manners.at(random.below(manners.size()));
}

std::string_view to_string(ReportFalsification manner) {
    constexpr auto words =
        name_list("the truth", "that it runs everything", "nothing of what it is ordered",
                  "what it is ordered by turns");
    return words.at(static_cast<std::size_t>(manner));
}

namespace {

/// The first proof of the instance that a host of these has; none: that of no order.
Proof proof_of(const InstanceId& id, const Known& known, auto is_wanted) {
    const auto made = known.proofs.find(id);
    if (made == known.proofs.end()) {
        return {};
    }
    const auto found = std::ranges::find_if(
        made->second, [&](const auto& proof) { return is_wanted(proof.first); });
    return found == made->second.end() ? Proof{} : found->second;
}

/// A proof for an instance that was not ordered there, always the same kind for one instance.
Proof false_proof(const InstanceId& id, const Known& known) {
    switch ((id.task.size() + id.ordinal) % 4) {
        case 0: return Proof{};
        case 1: return Proof{Incarnation{1}, Digest{id.ordinal, 1}};
        case 2: return proof_of(id, known, [&](HostIndex host) { return host != known.self; });
        default: return proof_of(id, known, [&](HostIndex host) { return host == known.self; });
    }
}

}  // namespace

Report report_in(ReportFalsification manner, const Report& truth,
                 const std::vector<agent::LocalInstance>& instances, const Shown& shown,
                 const Known& known) {
    std::map<InstanceId, InstanceReport> reported;
    const bool hides = manner == ReportFalsification::swallows ||
                       (manner == ReportFalsification::by_turns && raw(truth.round) % 2 == 0);
    for (const agent::LocalInstance& instance : instances) {
        const InstanceReport& report = instance.report;
        if (!hides || shown.contains({report.id, report.generation})) {
            reported.emplace(report.id, report);
        }
    }
    for (const coordinator::StoredTask& task : known.store.tasks) {
        const Ordinal count = manner == ReportFalsification::claims ? task.wanted.instances : 0;
        for (Ordinal ordinal = 0; ordinal < count; ++ordinal) {
            InstanceReport claim;
            claim.id = {task.wanted.name, ordinal};
            claim.generation = task.generation;
            claim.state = InstanceState::running;
            claim.started = CivilMs{1};
            claim.proof = false_proof(claim.id, known);
            reported.emplace(claim.id, claim);
        }
    }
    Report report = truth;
    report.kind = ReportKind::snapshot;
    report.gone.clear();
    report.instances.clear();
    for (auto& [id, instance] : reported) {
        report.instances.push_back(std::move(instance));
    }
    return report;
}

}  // namespace muster::sim
