#include "coordinator/core/reports/reports.hpp"

#include "common/base/limits.hpp"
#include "coordinator/core/nodes/readiness.hpp"

namespace muster::coordinator {

namespace {

/// Above this, a sequence is no honest agent's; it must not wrap ours.
constexpr Sequence sequence_max{std::uint64_t{1} << 62U};

/// Something is said, and its times can be reckoned with.
bool is_sound(const HostVitals& vitals) {
    const auto is_time = [](CivilMs at) { return raw(at) >= 0 && at <= limits::civil_most; };
    return vitals.at != CivilMs{} && is_time(vitals.at) && is_time(vitals.spawned) &&
           is_time(vitals.written);
}

}  // namespace

void Reports::on_report(StepContext& step, Session session, const Report& report,
                        Effects& effects) {
    const auto index = nodes_.find(session);
    if (!index) {
        nodes_.count_unknown_sender();
        step.refuse(session, Errc::hello_required, "say hello first");
        return;
    }
    if (report.epoch != meta_.epoch || report.incarnation != nodes_[*index].incarnation) {
        return;
    }
    if (report.term == Term{}) {
        if (report.kind == ReportKind::delta && apply(step, *index, report, effects)) {
            effects.wake_waits = true;
        }
        return;
    }
    if (liveness_.rounds().answered(*index, report)) {
        on_answer(step, *index, report, effects);
    }
}

void Reports::on_answer(StepContext& step, NodeIndex index, const Report& report,
                        Effects& effects) {
    membership_.conflicts().end(index);  // No other life may have its name.
    if (copies_.take_vanished(index)) {
        suspension_.add(step, index, FlapCause::vanished_instance);
    }
    const bool is_current = apply(step, index, report, effects);
    if (!nodes_[index].reported) {
        // It was asked for all it runs and did not say: as good as silent, or recovery waits for it
        // for ever.
        liveness_.rounds().miss(index);
        return;
    }
    liveness_.on_answer(index);
    note_host(step, index, report);
    copies_.leases.on_stamp(step.now, index, report.stamp);
    suspension_.on_answer(step, index, report);
    if (report.obeyed < sequence_max) {
        nodes_.issue_above(index, report.obeyed);
    }
    if (is_current && copies_.has_unsettled(index)) {
        settle(step, index, report.obeyed, effects);
    }
    // Until it is known what a lost node runs by now, it does not serve, and its copies do not
    // count.
    if (nodes_[index].lost && is_current) {
        nodes_.transition(step, index, NodeChange::returned, "answered");
        copies_.leases.release(nodes_[index].life);
        liveness_.expect_return(step.now, index);
    }
    NodeReadiness{nodes_}.judge(step, index);
}

void Reports::note_host(const StepContext& step, NodeIndex index, const Report& report) {
    AnswerFacts& facts = nodes_.edit(index, WriteKey<AnswerFacts>{});
    facts.last_answer = step.civil();
    facts.host = report.host;
    if (is_sound(report.vitals)) {
        facts.vitals = report.vitals;
        facts.clock_ahead = raw(report.vitals.at) - raw(step.civil());
    }
}

void Reports::on_undecodable(StepContext& step, Session session) {
    if (const auto index = nodes_.find(session)) {
        suspension_.add(step, *index, FlapCause::bad_report);
    }
}

}  // namespace muster::coordinator
