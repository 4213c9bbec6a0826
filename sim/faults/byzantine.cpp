#include "sim/faults/byzantine.hpp"

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

Report report_in(ReportFalsification manner, const Report& truth,
                 const std::vector<agent::LocalInstance>& instances, const Shown& shown,
                 const coordinator::StoreImage& store) {
    std::map<InstanceId, InstanceReport> reported;
    const bool hides = manner == ReportFalsification::swallows ||
                       (manner == ReportFalsification::by_turns && raw(truth.round) % 2 == 0);
    for (const agent::LocalInstance& instance : instances) {
        const InstanceReport& report = instance.report;
        if (!hides || shown.contains({report.id, report.generation})) {
            reported.emplace(report.id, report);
        }
    }
    for (const coordinator::StoredTask& task : store.tasks) {
        const Ordinal count = manner == ReportFalsification::claims ? task.wanted.instances : 0;
        for (Ordinal ordinal = 0; ordinal < count; ++ordinal) {
            InstanceReport claim;
            claim.id = {task.wanted.name, ordinal};
            claim.generation = task.generation;
            claim.state = InstanceState::running;
            claim.started = CivilMs{1};
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
