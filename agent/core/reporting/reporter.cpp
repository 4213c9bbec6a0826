#include "agent/core/reporting/reporter.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::agent {

namespace {

constexpr Duration delta_delay = 2ms;
constexpr Duration between_deltas = 20ms;

// Ids and numbers of a full node take less than half of a message. Detail texts share a quarter of
// it. The rest of them are left out, because a report that is too large would never arrive.
constexpr std::size_t details_bytes = limits::agent_message_bytes / 4;

void leave_out_excess_details(std::vector<InstanceReport>& instances) {
    std::size_t bytes = 0;
    for (auto& instance : instances) {
        bytes += instance.detail.size();
        if (bytes > details_bytes) {
            instance.detail.clear();
        }
    }
}

// A start is followed by more news in a moment.
bool is_starting(const InstanceId& id, const Instances& instances) {
    const auto found = instances.find(id);
    return found != instances.end() && (found->second.report.state == InstanceState::pending ||
                                        found->second.report.state == InstanceState::starting);
}

}  // namespace

void Reporter::note(Instant now, const std::set<InstanceId>& touched, const Instances& instances) {
    if (touched.empty()) {
        return;
    }
    revision_ = next(revision_);
    for (const InstanceId& id : touched) {
        if (instances.contains(id)) {
            changed_[id] = revision_;
        } else if (changed_.erase(id) > 0) {
            add_gone(id);
        }
    }
    ensure(changed_.size() == instances.size(), "every instance has a revision");
    const bool all_start = std::ranges::all_of(
        touched, [&](const InstanceId& id) { return is_starting(id, instances); });
    const Instant due =
        std::max(now + (all_start ? between_deltas : delta_delay), sent_ + between_deltas);
    due_ = std::min(due_.value_or(due), due);
}

bool Reporter::take_due(Instant now, bool may_send) {
    if (!due_ || now < *due_) {
        return false;
    }
    due_.reset();
    if (!may_send || !has_news()) {
        return false;
    }
    sent_ = now;
    return true;
}

void Reporter::add_gone(const InstanceId& id) {
    gone_.emplace_back(revision_, id);
    if (gone_.size() > gone_kept) {
        reaches_back_ = gone_.front().first;
        gone_.pop_front();
    }
}

Report Reporter::make_report(Revision seen, const Instances& instances) {
    last_reported_ = revision_;
    if (seen == revision_) {
        return empty(ReportKind::same, seen);
    }
    if (seen < reaches_back_ || seen > revision_) {
        return snapshot(instances);
    }
    return delta(seen, instances);
}

Report Reporter::empty(ReportKind kind, Revision from) const {
    Report report;
    report.kind = kind;
    report.from = from;
    report.to = revision_;
    return report;
}

Report Reporter::snapshot(const Instances& instances) const {
    Report report = empty(ReportKind::snapshot, revision_);
    report.instances.reserve(instances.size());
    for (const auto& [id, instance] : instances) {
        report.instances.push_back(instance.report);
    }
    leave_out_excess_details(report.instances);
    return report;
}

Report Reporter::delta(Revision seen, const Instances& instances) const {
    Report report = empty(ReportKind::delta, seen);
    for (const auto& [id, changed] : changed_) {
        if (changed > seen) {
            report.instances.push_back(instances.at(id).report);
        }
    }
    for (auto entry = gone_.rbegin(); entry != gone_.rend() && entry->first > seen; ++entry) {
        if (!changed_.contains(entry->second)) {  // It may have returned.
            report.gone.push_back(entry->second);
        }
    }
    std::ranges::sort(report.gone);
    report.gone.erase(std::unique(report.gone.begin(), report.gone.end()), report.gone.end());
    leave_out_excess_details(report.instances);
    return report;
}

}  // namespace muster::agent
