#include "cli/subjects/doctor/findings.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "cli/screen/text.hpp"
#include "common/net/endpoint.hpp"

namespace muster::cli {

namespace {

constexpr std::int64_t day_ms = std::int64_t{24} * 3'600'000;
constexpr std::int64_t soon_ms = 14 * day_ms;
constexpr std::int64_t clock_error_ms = 5'000;
constexpr std::int64_t recent_ms = 5 * 60'000;
constexpr std::uint64_t long_lag_ms = 10'000;
constexpr std::size_t many_restarts = 5;  // Of one agent, within that time.

/// The sum of the samples of this name with this label.
std::uint64_t sample(const StatsReply& stats, std::string_view name, std::string_view value = {}) {
    std::uint64_t sum = 0;
    for (const Sample& one : stats.samples) {
        const auto has = [&](const auto& label) { return label.second == value; };
        if (one.name == name && (value.empty() || std::ranges::any_of(one.labels, has))) {
            sum += one.value;
        }
    }
    return sum;
}

class Diagnosis {
public:
    explicit Diagnosis(const Facets& facets) : facets_{facets} {}

    std::vector<Finding> all() {
        for (const std::string& fault : facets_.file_faults) {
            add(Severity::broken, fault, "see above");
        }
        if (facets_.status) {
            check(*facets_.status);
        }
        if (facets_.stats) {
            check(*facets_.stats);
        }
        if (facets_.nodes) {
            check_versions(*facets_.nodes);
            check_reports(*facets_.nodes);
        }
        if (facets_.events) {
            check(*facets_.events);
        }
        if (facets_.coordinators) {
            check(*facets_.coordinators);
        }
        for (const NodeShowReply& node : facets_.shown) {
            check_clock(node);
        }
        if (facets_.keys) {
            check(*facets_.keys);
        }
        if (facets_.tokens) {
            check(*facets_.tokens);
        }
        std::ranges::stable_sort(findings_, {}, &Finding::severity);
        return std::move(findings_);
    }

private:
    void add(Severity severity, std::string what, std::string remedy) {
        findings_.push_back({severity, std::move(what), std::move(remedy)});
    }

    void check(const StatusReply& status) {
        if (status.phase == "standby") {
            add(Severity::broken, "no coordinator leads, so nothing is started or changed",
                "the coordinators' logs; etcd, if the store is there");
            return;  // The rest is not known.
        }
        for (const std::string& alarm : status.alarms) {
            const bool is_weak = alarm.starts_with("there are no keys");
            add(is_weak ? Severity::weak : Severity::broken, alarm,
                is_weak ? "muster init" : "muster status; docs/operations/bad-days.md");
        }
        if (!status.refused_names.empty()) {
            add(Severity::weak,
                fmt::format("agents with names that may not join ask again and again: {}",
                            fmt::join(status.refused_names, ", ")),
                "muster node add NAME, or stop those agents");
        }
    }

    void check(const StatsReply& stats) {
        const std::uint64_t open = sample(stats, "process_open_fds");
        const std::uint64_t most = sample(stats, "process_max_fds");
        if (most > 0 && open > most - most / 5) {
            add(Severity::weak, fmt::format("the coordinator has {} of {} files open", open, most),
                "systemctl edit muster-coordinator: a higher LimitNOFILE=");
        }
        check_errors(stats);
        if (const auto refused = sample(stats, "muster_handshakes_total", "refused")) {
            add(Severity::weak,
                fmt::format("{} connections with keys that are not admitted were refused", refused),
                "muster key list: a host that was removed, or a stranger");
        }
        if (const auto fast = sample(stats, "muster_handshakes_total", "too_fast")) {
            add(Severity::weak,
                fmt::format("{} connections were refused because their address makes too many",
                            fast),
                "find the address in the network; a firewall can limit it");
        }
        if (const auto turned = sample(stats, "muster_connections_turned_away_total")) {
            add(Severity::broken,
                fmt::format("{} connections were closed because no file was left", turned),
                "systemctl edit muster-coordinator: a higher LimitNOFILE=");
        }
    }

    void check_errors(const StatsReply& stats) {
        constexpr std::string_view errors = "muster_message_errors_total";
        if (const auto unread = sample(stats, errors, "agent_unread")) {
            add(Severity::weak,
                fmt::format("{} messages to agents were dropped, because they do not read", unread),
                "muster node list: look for silent nodes");
        }
        if (const auto foreign = sample(stats, errors, "foreign_route")) {
            add(Severity::weak,
                fmt::format("{} messages came from peers that set a routing id", foreign),
                "an agent of another program must not set one");
        }
        if (const auto denied = sample(stats, errors, "denied")) {
            add(Severity::weak,
                fmt::format("{} requests were denied, because a key does not allow them", denied),
                "muster key list: the roles");
        }
        if (const auto fast = sample(stats, errors, "too_fast")) {
            add(Severity::weak,
                fmt::format("{} messages were refused, because their key sent too many", fast),
                "the coordinator's log names the key; muster key list shows whose it is");
        }
        const auto broken = sample(stats, errors, "agent_undecodable") +
                            sample(stats, errors, "operator_undecodable") +
                            sample(stats, errors, "guarded");
        if (broken > 0) {
            add(Severity::weak, fmt::format("{} messages or connections were malformed", broken),
                "the coordinator's log names them");
        }
    }

    void check_versions(const NodeListReply& list) {
        std::map<std::string, std::vector<std::string>> by_version;
        for (const NodeView& node : list.nodes) {
            if (!node.version.empty() && node.health != "lost") {
                by_version[node.version].push_back(node.name);
            }
        }
        const std::string ours = facets_.ping ? facets_.ping->version : facets_.version;
        for (const auto& [version, names] : by_version) {
            if (version != ours) {
                add(Severity::weak,
                    fmt::format("{} of {} run version {}, the coordinator runs {}: {}{}",
                                names.size(), counted(list.nodes.size(), "agent"), version, ours,
                                names.front(), names.size() > 1 ? ", ..." : ""),
                    "upgrade them: tasks keep running");
            }
        }
        if (facets_.ping && facets_.ping->version != facets_.version) {
            add(Severity::weak,
                fmt::format("this muster has version {}, the coordinator has {}", facets_.version,
                            facets_.ping->version),
                "install the same version");
        }
    }

    // `status` has an alarm for lost nodes.
    void check_reports(const NodeListReply& list) {
        for (const NodeView& node : list.nodes) {
            if (!node.bad_report.empty()) {
                add(Severity::broken,
                    fmt::format("{} reports badly: {}", node.name, node.bad_report),
                    "muster node show " + node.name);
            }
            if (node.health == "silent") {
                add(Severity::weak, fmt::format("{} does not answer: {}", node.name, node.note),
                    "look at that host, at its agent's log and at the network between");
            }
        }
    }

    // Each of two agents with one name takes the session from the other, again and again.
    void check(const EventsReply& events) {
        std::map<std::string, std::size_t> restarts;
        for (const Event& event : events.events) {
            if (event.topic == "node.restarted" && raw(event.at) > raw(facets_.now) - recent_ms) {
                ++restarts[event.name];
            }
        }
        for (const auto& [name, times] : restarts) {
            if (times >= many_restarts) {
                add(Severity::broken,
                    fmt::format("the agent of {} started {} times in five minutes: it ends again "
                                "and again, or two agents have this name",
                                name, times),
                    "stop the agent on the wrong host, or read the agent's log");
            }
        }
    }

    // Of a store in a file only the leader is known, and no change is numbered.
    void check(const CoordinatorsReply& all) {
        if (all.rows.size() == 1 && all.rows.front().applied > 0) {
            add(Severity::weak, "no other coordinator stands by, so nobody leads if this one dies",
                "start muster-coordinator on another host with the same [etcd]");
        }
        std::map<std::string, std::size_t> names;
        std::map<std::string, std::string> versions;  // And a host with it.
        for (const CoordinatorView& row : all.rows) {
            ++names[row.name];
            versions.emplace(row.version, row.name);
            if (row.lag_ms >= long_lag_ms) {
                add(Severity::weak,
                    fmt::format("the coordinator on {} is {} s behind the store", row.name,
                                row.lag_ms / 1'000),
                    "look at its log, and at the network between it and etcd");
            }
        }
        for (const auto& [name, count] : names) {
            if (count > 1) {
                add(Severity::weak, fmt::format("{} coordinators have the name {}", count, name),
                    "give each host a name of its own; muster coordinator list");
            }
        }
        if (versions.size() > 1) {
            add(Severity::weak,
                fmt::format("coordinators of several versions run: {} on {}, {} on {}",
                            versions.begin()->first, versions.begin()->second,
                            versions.rbegin()->first, versions.rbegin()->second),
                "upgrade all, then muster upgrade finish");
        } else if (facets_.upgrade && facets_.upgrade->before != facets_.upgrade->after) {
            add(Severity::weak,
                fmt::format("an upgrade is not finished: the store has schema {}, and all "
                            "coordinators know {}",
                            facets_.upgrade->before, facets_.upgrade->after),
                "muster upgrade finish");
        }
    }

    void check_clock(const NodeShowReply& shown) {
        const std::int64_t ahead = shown.clock_ahead_ms;
        if (ahead > clock_error_ms || ahead < -clock_error_ms) {
            add(Severity::weak,
                fmt::format("the clock of {} is {} {} the coordinator's", shown.node.name,
                            length(std::chrono::milliseconds{ahead < 0 ? -ahead : ahead}),
                            ahead > 0 ? "ahead of" : "behind"),
                "set the clock of that host, by NTP");
        }
        for (const LimitFact& limit : shown.limits) {
            if (!limit.enforced) {
                add(Severity::weak,
                    fmt::format("{} cannot enforce {}: {}", shown.node.name, limit.limit,
                                limit.how),
                    "muster node show " + shown.node.name);
            }
        }
    }

    void check(const KeysReply& keys) {
        for (const KeyView& key : keys.keys) {
            const std::int64_t left = raw(key.until) - raw(facets_.now);
            if (key.state == "pending") {
                add(Severity::weak,
                    fmt::format("a host that calls itself {} waits to be accepted", key.name),
                    fmt::format("muster node accept {} {}", key.name, key.fingerprint));
            } else if (key.state == "expired") {
                add(Severity::broken, fmt::format("the key of {} has expired", key.name),
                    fmt::format("muster key add {} {} KEY, or muster key remove {}", key.name,
                                key.role, key.name));
            } else if (key.state == "valid" && key.until != CivilMs{} && left < soon_ms) {
                add(Severity::weak,
                    fmt::format("the key of {} expires in {} days", key.name, left / day_ms),
                    fmt::format("muster key add {} {} KEY", key.name, key.role));
            }
        }
    }

    void check(const TokensReply& tokens) {
        if (!tokens.tokens.empty() && facets_.events &&
            net::is_on_this_host(facets_.events->published_at)) {
            add(Severity::weak,
                fmt::format("a token for {} is open, but other hosts cannot reach the coordinator: "
                            "its events are at {}",
                            tokens.tokens.front().pattern, facets_.events->published_at),
                "set `agents` and `operators` in [endpoints] of coordinator.toml");
        }
        for (const TokenView& token : tokens.tokens) {
            if (raw(token.until) - raw(facets_.now) > day_ms) {
                add(Severity::weak,
                    fmt::format("the token {} for {} is open until {}", token.id, token.pattern,
                                civil_time(token.until)),
                    "muster token revoke " + token.id);
            }
        }
    }

    const Facets& facets_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> diagnose(const Facets& facets) { return Diagnosis{facets}.all(); }

}  // namespace muster::cli
