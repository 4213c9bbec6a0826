#include "sim/checkers/counts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace muster::sim {

namespace {

template <auto Member>
std::uint64_t in(const StatusReply& status) {
    return static_cast<std::uint64_t>(status.*Member);
}
template <auto Member, auto Part>
std::uint64_t in(const StatusReply& status) {
    return (status.*Member).*Part;
}

/// A number that `status` and `stats` both contain.
struct Repeated {
    std::string_view name;
    std::string_view label;  ///< The value of its only label, if it has one.
    std::uint64_t (*in)(const StatusReply&);
};

constexpr std::array repeated{
    Repeated{"muster_epoch", "", in<&StatusReply::epoch>},
    Repeated{"muster_round", "", in<&StatusReply::round>},
    Repeated{"muster_changes", "", in<&StatusReply::counter>},
    Repeated{"muster_converged", "", in<&StatusReply::converged>},
    Repeated{"muster_alarms", "",
             [](const StatusReply& s) { return std::uint64_t{s.alarms.size()}; }},
    Repeated{"muster_nodes", "", in<&StatusReply::nodes>},
    Repeated{"muster_nodes_serving", "", in<&StatusReply::serving>},
    Repeated{"muster_nodes_free", "", in<&StatusReply::free>},
    Repeated{"muster_nodes_busy", "", in<&StatusReply::busy>},
    Repeated{"muster_nodes_ahead", "", in<&StatusReply::ahead>},
    Repeated{"muster_nodes_by_health", "healthy", in<&StatusReply::health, &HealthCounts::healthy>},
    Repeated{"muster_nodes_by_health", "unready", in<&StatusReply::health, &HealthCounts::unready>},
    Repeated{"muster_nodes_by_health", "flaky", in<&StatusReply::health, &HealthCounts::flaky>},
    Repeated{"muster_nodes_by_health", "silent", in<&StatusReply::silent>},
    Repeated{"muster_nodes_by_health", "lost", in<&StatusReply::lost>},
    Repeated{"muster_nodes_by_intent", "active", in<&StatusReply::intent, &IntentCounts::active>},
    Repeated{"muster_nodes_by_intent", "draining",
             in<&StatusReply::intent, &IntentCounts::draining>},
    Repeated{"muster_nodes_by_intent", "offline", in<&StatusReply::intent, &IntentCounts::offline>},
    Repeated{"muster_tasks", "", in<&StatusReply::tasks>},
    Repeated{"muster_instances_wanted", "", in<&StatusReply::wanted>},
    Repeated{"muster_instances", "running", in<&StatusReply::running>},
    Repeated{"muster_instances", "starting", in<&StatusReply::starting>},
    Repeated{"muster_instances", "backoff", in<&StatusReply::backoff>},
    Repeated{"muster_instances", "exited", in<&StatusReply::exited>},
    Repeated{"muster_instances", "failed", in<&StatusReply::failed>},
    Repeated{"muster_instances", "unplaced", in<&StatusReply::unplaced>},
    Repeated{"muster_instances", "unseen", in<&StatusReply::unseen>},
    Repeated{"muster_nodes_awaited", "", in<&StatusReply::awaited>},
    Repeated{"muster_instances_rolling", "", in<&StatusReply::rolling>},
    Repeated{"muster_instances_moving", "", in<&StatusReply::moving>},
    Repeated{"muster_copies_stopping", "", in<&StatusReply::stopping>},
    Repeated{"muster_copies_stray", "", in<&StatusReply::strays>},
    Repeated{"muster_copies_unconfirmed", "", in<&StatusReply::unconfirmed>},
    Repeated{"muster_refused_hellos_total", "", in<&StatusReply::refused>},
    Repeated{"muster_unknown_senders_total", "", in<&StatusReply::unknown_senders>},
};

constexpr std::string_view held_up = "max_unavailable";

std::string_view label_of(const Sample& sample) {
    return sample.labels.empty() ? std::string_view{} : sample.labels.begin()->second;
}

/// Removes the next line that is not a comment. Empty after the last one.
std::string_view take_line(std::string_view& text) {
    std::string_view line;
    do {
        const auto end = text.find('\n');
        line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    } while (line.starts_with('#'));
    return line;
}

std::string line_of(const Sample& sample) {
    std::string line = sample.name;
    const char* before = "{";
    for (const auto& [name, value] : sample.labels) {
        line.append(std::exchange(before, ",")).append(name).append("=\"").append(value) += '"';
    }
    return line.append(*before == ',' ? "} " : " ").append(std::to_string(sample.value));
}

}  // namespace

void Counts::on(Instant, const NumbersShown& shown) {
    check_sums(shown.status);
    check_stats(shown);
    check_text(shown);
}

void Counts::check_sums(const StatusReply& status) {
    const auto same = [&](std::string_view what, std::uint64_t parts, std::uint64_t whole) {
        if (parts != whole) {
            violated("counts", "{}: {} in parts, {} in all", what, parts, whole);
        }
    };
    const auto& [healthy, unready, flaky, lost] = status.health;
    same("nodes by health", std::uint64_t{healthy} + unready + flaky + status.silent + lost,
         status.nodes);
    same("lost nodes", lost, status.lost);
    const auto& [active, draining, offline] = status.intent;
    same("nodes by intent", std::uint64_t{active} + draining + offline, status.nodes);
    same("free and busy nodes", std::uint64_t{status.free} + status.busy, status.serving);
    same("nodes that serve", std::min(status.serving, healthy), status.serving);
    same("instances by state",
         std::uint64_t{status.running} + status.starting + status.backoff + status.exited +
             status.failed + status.unplaced + status.unseen,
         status.wanted);
    std::uint64_t explained = 0;
    for (const UnplacedReason& reason : status.unplaced_reasons) {
        // Instances of a held roll-out still run in the older generation.
        explained += reason.code == held_up ? 0U : reason.count;
    }
    if (status.phase == "leading") {  // Before that, reasons are not complete.
        same("unplaced instances by reason", explained, status.unplaced);
    }
}

void Counts::check_stats(const NumbersShown& shown) {
    std::size_t found = 0;
    std::size_t reasons = 0;
    for (const Sample& sample : shown.stats.samples) {
        const auto* const row = std::ranges::find_if(repeated, [&](const Repeated& one) {
            return one.name == sample.name && one.label == label_of(sample);
        });
        if (row != repeated.end()) {
            ++found;
            if (row->in(shown.status) != sample.value) {
                violated("counts", "stats say {}, and status {}", line_of(sample),
                         row->in(shown.status));
            }
        } else if (sample.name == "muster_unplaced") {
            const auto& all = shown.status.unplaced_reasons;
            const auto same = [&](const UnplacedReason& reason) {
                return reason.code == label_of(sample) && reason.count == sample.value;
            };
            reasons += std::size_t{std::ranges::any_of(all, same)};
        }
    }
    if (found != repeated.size()) {
        violated("counts", "stats repeat {} of {} numbers", found, repeated.size());
    }
    if (reasons != shown.status.unplaced_reasons.size()) {
        violated("counts", "stats and status differ in why instances are unplaced");
    }
}

void Counts::check_text(const NumbersShown& shown) {
    std::string_view text = shown.metrics;
    for (const Sample& sample : shown.stats.samples) {
        if (const auto line = take_line(text); line != line_of(sample)) {
            violated("counts", "stats say {}, and /metrics {}", line_of(sample), line);
            return;
        }
    }
}

}  // namespace muster::sim
