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

/// The book of all copies that exist or may come to be: an instance on a host. A copy is entered
/// when its start is ordered, when its process begins, or when its agent lists it; it is struck out
/// when it is proven gone:
///
///     its node was decided lost              until the node answers again
///     its node was removed                   until its leader takes in a report of it
///     its stop was obeyed, and that heard
///     a report without it was heard          also a goodbye that leaves nothing
///
/// What was made under another store cannot be counted by a leader that has not heard of it: the
/// numbers of that store may be used again for something else.
///
/// Of a host that is_byzantine none is counted, nor is anything known of what it has.
///
/// Checks nothing itself.
class Copies : public Checker {
public:
    void see(Instant now, const LeadershipBegan& began);
    /// An accepted store raises the epoch within a leadership.
    void see(Instant, const Committed& committed) { epoch_ = committed.after.meta.epoch; }
    void see(Instant now, const StoreReplaced& replaced);
    void see(Instant now, const BatchIssued& issued);
    void see(Instant now, const WelcomeIssued& welcome);
    void see(Instant now, const PollIssued& issued);
    void see(Instant now, const EventPublished& published);
    void see(Instant, const AgentBegan& began) { nodes_[began.host].began = true; }
    void see(Instant now, const AgentSaid& said);
    void see(Instant now, const AgentHeard& heard);
    void see(Instant, const ByzantineReport& lie) { nodes_[lie.host].is_byzantine = true; }
    void see(Instant now, const ProcessBegan& began);
    void see(Instant now, const ProcessGone& gone);

    /// The name that the host, of which something was ordered, was welcomed with last.
    [[nodiscard]] const std::string& name_of(HostIndex host) const { return nodes_.at(host).name; }
    [[nodiscard]] bool is_byzantine(HostIndex host) const {
        const auto node = nodes_.find(host);
        return node != nodes_.end() && node->second.is_byzantine;
    }
    /// Copies of a task that are not proven gone, on nodes that count; those of a task of the same
    /// name that was removed before this one was `created` are not its copies.
    [[nodiscard]] std::size_t count(const std::string& task, Generation created) const;
    /// Copies that the last batch made; replacing one in its place makes none.
    [[nodiscard]] const std::set<InstanceId>& added() const { return added_; }
    [[nodiscard]] bool has_added(const std::string& task) const;
    /// Those on a host that are not proven gone, or may come to be. Of a host that has lied: none.
    [[nodiscard]] std::vector<InstanceId> on(HostIndex host) const;
    /// The other hosts with a copy of the instance that is not proven gone, or one that has ended,
    /// or that ever claimed one and have lied.
    [[nodiscard]] std::vector<HostIndex> elsewhere(const InstanceId& id, HostIndex host) const;
    /// A process of it runs on that host.
    [[nodiscard]] bool runs(const InstanceId& id, HostIndex host) const;
    /// The host said so first of all to this leader, which recovered: it was of its store.
    [[nodiscard]] bool was_found(const InstanceId& id, HostIndex host, Generation generation) const;
    /// It is listed on that host as run to its end, or failed.
    [[nodiscard]] bool has_ended(const InstanceId& id, HostIndex host) const;
    /// It is listed, or was last heard of, as failed on that host: to stop it takes nothing away.
    [[nodiscard]] bool has_failed(const InstanceId& id, HostIndex host) const;
    /// For people: which copies these are.
    [[nodiscard]] std::string list(const std::string& task) const;

private:
    struct Issued {
        Epoch epoch{};
        Sequence sequence{};
    };
    struct Copy {
        Generation generation{};  ///< The highest that was ordered or listed.
        std::size_t processes = 0;
        bool listed = false;               ///< By its agent, last.
        std::optional<Revision> unlisted;  ///< Not listed from this revision on, not heard yet.
        /// Listed since then as run to its end or failed: no copy, but in its place.
        std::optional<Revision> ended;
        bool failed = false;          ///< It ended so, as far as it has ended.
        std::optional<Issued> start;  ///< May still come to be.
        std::optional<Issued> stop;
        bool proven_gone = false;
        bool of_another_store = false;
        bool heard = false;         ///< In this leadership.
        bool heard_failed = false;  ///< By the last report of it that was taken in.

        [[nodiscard]] bool exists() const {
            return !proven_gone && (heard || !of_another_store) &&
                   (processes > 0 || listed || unlisted || start);
        }
    };
    struct Node {
        std::string name;
        bool counts = false;
        bool welcomed = false;  ///< By this leadership.
        bool is_byzantine = false;
        std::set<InstanceId> claimed;  ///< Since then.
        bool awaited = false;  ///< Of the store of a leader that recovers, and not heard yet.
        std::map<InstanceId, Generation> found;  ///< What it listed then.
        bool removed = false;   ///< Its name was, and no report has come since it joined again.
        bool rejoined = false;  ///< It was welcomed since.
        Incarnation incarnation{};
        bool began = false;        ///< A new life of it has not been welcomed yet.
        Round asked{};             ///< By the last poll,
        Sequence issued{};         ///< and what that, or the first of the round, said was issued.
        bool asked_again = false;  ///< In that round, of whose answers the first alone counts.
        /// Up to where its leader has its reports; none after a gap, until a snapshot.
        std::optional<Revision> taken{};
        bool may_be_ignored = false;         ///< The report that is heard.
        std::set<InstanceId> perhaps_there;  ///< Struck out by a report that may not have counted.
        std::set<InstanceId> all;
        std::set<InstanceId> unsettled;  ///< With something to be learned from a message.
    };
    using Key = std::pair<Ordinal, HostIndex>;

    [[nodiscard]] const std::map<Key, Copy>& copies_of(const std::string& task) const;
    [[nodiscard]] const Copy* find(const InstanceId& id, HostIndex host) const;
    Copy& enter(HostIndex host, const InstanceId& id);
    void drop_if_gone(HostIndex host, const InstanceId& id);
    void remove(HostIndex host);
    void list_report(HostIndex host, const Report& report);
    void hear_report(HostIndex host, const Report& report);
    /// Its leader can take it in.
    bool follow(Node& node, const Report& report);
    void hear_of_listed(HostIndex host, const Report& report);
    void hear_of_ended(HostIndex host, const Report& report);
    void hear_ack(HostIndex host, const Ack& ack);
    void hear_goodbye(HostIndex host, const Goodbye& goodbye);
    void settle(HostIndex host, const InstanceId& id, const Report& report, Sequence issued);
    void settle_stop(Copy& copy, Epoch epoch, Sequence obeyed);
    void end_life(HostIndex host);

    std::map<std::string, std::map<Key, Copy>> tasks_;
    std::map<HostIndex, Node> nodes_;
    std::map<std::string, HostIndex> by_name_;
    std::set<InstanceId> added_;
    Epoch epoch_{};
};

}  // namespace muster::sim
