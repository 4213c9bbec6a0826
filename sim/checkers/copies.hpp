#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// The record of all copies that exist or may come into existence: an instance on a host. A copy is
/// added when its start is ordered, when its process begins, or when its agent lists it. It is
/// removed when it is proven gone:
///
///     its node was declared lost             until the node answers again
///     its node was removed                   until its leader applies a report of it
///     its stop was obeyed and acknowledged
///     a report without it arrived            also a departure that leaves nothing
///
/// Copies of another store do not count until the leader has a report of them: their numbers may be
/// used again for something else.
///
/// Copies on a byzantine host do not count, and their state is not known.
///
/// Checks nothing itself.
class Copies : public Checker {
public:
    void on(Instant now, const LeadershipBegan& began);
    /// An accepted store raises the epoch within a leadership.
    void on(Instant, const Committed& committed) { epoch_ = committed.after.meta.epoch; }
    void on(Instant now, const StoreReplaced& replaced);
    void on(Instant now, const BatchIssued& issued);
    void on(Instant now, const WelcomeIssued& welcome);
    void on(Instant now, const PollIssued& issued);
    void on(Instant now, const EventPublished& published);
    void on(Instant, const AgentBegan& began) { nodes_[began.host].began = true; }
    void on(Instant now, const AgentMessageSent& sent);
    void on(Instant now, const AgentMessageReceived& received);
    void on(Instant, const ByzantineReport& report) { nodes_[report.host].is_byzantine = true; }
    void on(Instant now, const ProcessBegan& began);
    void on(Instant now, const ProcessGone& gone);

    /// The name under which the host was last welcomed. Something was ordered there.
    [[nodiscard]] const std::string& name_of(HostIndex host) const { return nodes_.at(host).name; }
    [[nodiscard]] bool is_byzantine(HostIndex host) const {
        const auto node = nodes_.find(host);
        return node != nodes_.end() && node->second.is_byzantine;
    }
    /// Copies of a task that are not proven gone, on nodes that count. Excludes copies of an
    /// earlier task of the same name that was removed before this one was `created`.
    [[nodiscard]] std::size_t count(const std::string& task, Generation created) const;
    /// Copies that the last batch added. Replacing a copy in its place adds none.
    [[nodiscard]] const std::set<InstanceId>& added() const { return added_; }
    [[nodiscard]] bool has_added(const std::string& task) const;
    /// Copies on a host that are not proven gone, or may still start. Byzantine host: none.
    [[nodiscard]] std::vector<InstanceId> instances_on(HostIndex host) const;
    /// The other hosts with a copy of the instance that is not proven gone or has ended, and the
    /// byzantine hosts that ever claimed one.
    [[nodiscard]] std::vector<HostIndex> elsewhere(const InstanceId& id, HostIndex host) const;
    /// A process of the instance runs on that host.
    [[nodiscard]] bool runs(const InstanceId& id, HostIndex host) const;
    /// The host listed it in its first report to this leader, which recovered: it was in its store.
    [[nodiscard]] bool was_found(const InstanceId& id, HostIndex host, Generation generation) const;
    /// The store of another cluster ordered it there.
    [[nodiscard]] bool is_of_another_cluster(const InstanceId& id, HostIndex host,
                                             const ClusterId& cluster) const;
    /// Its host lists it as exited or failed.
    [[nodiscard]] bool has_ended(const InstanceId& id, HostIndex host) const;
    /// Its host lists it as failed, or did so last: stopping it takes nothing away.
    [[nodiscard]] bool has_failed(const InstanceId& id, HostIndex host) const;
    /// For people: a list of these copies.
    [[nodiscard]] std::string list(const std::string& task) const;

private:
    struct Issued {
        Epoch epoch{};
        Sequence sequence{};
    };
    struct Copy {
        Generation generation{};  ///< The highest that was ordered or listed.
        ClusterId cluster;        ///< Of the last order to start it.
        std::size_t processes = 0;
        bool listed = false;               ///< In the last list of its agent.
        std::optional<Revision> unlisted;  ///< Since this revision; not yet reported.
        /// Listed since then as exited or failed: it is not a copy, but it holds the place.
        std::optional<Revision> ended;
        bool failed = false;          ///< If it has ended: it failed.
        std::optional<Issued> start;  ///< May still start.
        std::optional<Issued> stop;
        bool proven_gone = false;
        bool of_another_store = false;
        bool reported = false;         ///< Reported in this leadership.
        bool reported_failed = false;  ///< In the last report of it that was applied.

        [[nodiscard]] bool exists() const {
            return !proven_gone && (reported || !of_another_store) &&
                   (processes > 0 || listed || unlisted || start);
        }
    };
    struct Node {
        std::string name;
        bool counts = false;
        bool welcomed = false;  ///< In this leadership.
        bool is_byzantine = false;
        std::set<InstanceId> claimed;  ///< Since it became byzantine.
        bool awaited = false;  ///< In the store of a recovering leader, and not reported yet.
        std::map<InstanceId, Generation> found;  ///< The instances in its first report.
        bool removed = false;                    ///< And it has not reported since it joined again.
        bool rejoined = false;                   ///< It was welcomed since.
        Incarnation incarnation{};
        bool began = false;    ///< A new life of it has not been welcomed yet.
        Round polled_round{};  ///< The round of the last poll.
        Sequence issued{};  ///< The last sequence in that poll, or in the first poll of the round.
        bool polled_again = false;  ///< In that round, of which only the first answer counts.
        /// The revision up to which its leader has its reports. After a gap: none until a snapshot.
        std::optional<Revision> taken{};
        bool may_be_ignored = false;            ///< The leader may ignore the present report.
        std::set<InstanceId> possibly_present;  ///< Removed by a report that may not have counted.
        std::set<InstanceId> all;
        std::set<InstanceId> unsettled;  ///< A message can still decide something about them.
    };
    using Key = std::pair<Ordinal, HostIndex>;

    [[nodiscard]] const std::map<Key, Copy>& copies_of(const std::string& task) const;
    [[nodiscard]] const Copy* find(const InstanceId& id, HostIndex host) const;
    Copy& enter(HostIndex host, const InstanceId& id);
    void drop_if_gone(HostIndex host, const InstanceId& id);
    void remove(HostIndex host);
    void list_report(HostIndex host, const Report& report);
    void on_report(HostIndex host, const Report& report);
    /// True if its leader can apply the report.
    bool follow(Node& node, const Report& report);
    void apply_listed(HostIndex host, const Report& report);
    void apply_ended(HostIndex host, const Report& report);
    void on_ack(HostIndex host, const Ack& ack);
    void on_departure(HostIndex host, const Departure& departure);
    void resolve_orders(HostIndex host, const InstanceId& id, const Report& report,
                        Sequence issued);
    void decide_stop(Copy& copy, Epoch epoch, Sequence obeyed);
    void end_life(HostIndex host);

    std::map<std::string, std::map<Key, Copy>> tasks_;
    std::map<HostIndex, Node> nodes_;
    std::map<std::string, HostIndex> by_name_;
    std::set<InstanceId> added_;
    Epoch epoch_{};
};

}  // namespace muster::sim
