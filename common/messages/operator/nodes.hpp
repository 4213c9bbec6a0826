#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator/views.hpp"
#include "common/spec/placement.hpp"

/// Requests about nodes, and the answers.
namespace muster {

struct NodeListRequest {
    std::string pattern = "*";

    friend bool operator==(const NodeListRequest&, const NodeListRequest&) = default;
};

struct NodeShowRequest {
    std::string name;

    friend bool operator==(const NodeShowRequest&, const NodeShowRequest&) = default;
};

struct NodeView {
    std::string name;
    std::string health;  ///< healthy | unready | flaky | silent | lost
    std::string note;    ///< The reason: `silent for 3 polls`, `ahead: ...`, `left`.
    Incarnation incarnation{};
    std::uint32_t instances = 0;  ///< That run, or will run again.
    std::uint32_t load_milli = 0;
    CivilMs last_answer{};
    std::string version;
    std::string intent{};       ///< active | draining | offline
    CivilMs since{};            ///< Of health and intent, as far as this leadership knows.
    bool idle = true;           ///< Its last report has no instances.
    std::string reason{};       ///< For its intent, by the operator
    std::string author{};       ///< who set the intent.
    std::string warm{};         ///< The affinity group that ran there last; empty: none.
    std::uint32_t missed = 0;   ///< Polls missed in a row, also without a connection.
    CivilMs suspended_until{};  ///< Of a flaky node. 0: it is not suspended.
    bool overdue = false;       ///< Its drain has not ended by its deadline.
    bool listed = false;        ///< It is on the operators' list.
    /// Why the last message of its agent was invalid. Empty: it was valid.
    std::string bad_report{};

    friend bool operator==(const NodeView&, const NodeView&) = default;
};

struct NodeListReply {
    std::vector<NodeView> nodes;
    std::vector<std::string> removed{};  ///< Names that an operator removed; they may not join.
    std::vector<std::string> refused{};  ///< Names of recent refused hellos.

    friend bool operator==(const NodeListReply&, const NodeListReply&) = default;
};

/// An instance that is still on a draining node, and what keeps it there.
struct DrainBlocker {
    std::string instance;  ///< Empty: the node itself.
    std::string code;
    std::string detail;

    friend bool operator==(const DrainBlocker&, const DrainBlocker&) = default;
};
struct DrainView {
    bool running = false;
    CivilMs deadline{};  ///< 0: none.
    bool overdue = false;
    bool force = false;   ///< An instance without another place is stopped.
    bool remove = false;  ///< Then the node is removed.
    std::vector<DrainBlocker> blocked_by{};

    friend bool operator==(const DrainView&, const DrainView&) = default;
};

/// One cause of a node's flap score: one row of the table of weights.
struct FlapContributionView {
    std::string cause;  ///< `missed_poll`, `spawn_failing`, ...
    std::uint32_t times = 0;
    CivilMs last{};

    friend bool operator==(const FlapContributionView&, const FlapContributionView&) = default;
};

/// The flap score of a node, which may suspend it.
struct FlapScoreView {
    std::uint32_t score = 0;        ///< Halves with every minute.
    std::uint32_t threshold = 0;    ///< The score that suspends it.
    std::uint32_t suspensions = 0;  ///< Not forgiven ones: each makes the next one longer.
    CivilMs suspended_until{};      ///< Of the current suspension, or the last. 0: none.
    /// The causes of the score; for a suspended node, of the suspension.
    std::vector<FlapContributionView> contributions;
    /// Instances that still have to leave a suspended node, by configuration.
    std::vector<DrainBlocker> blocked_by{};

    friend bool operator==(const FlapScoreView&, const FlapScoreView&) = default;
};

struct NodeShowReply {
    NodeView node;
    std::vector<InstanceView> instances;
    Offer offer{};  ///< From its agent.
    DrainView drain{};
    FlapScoreView flap_score{};
    std::vector<LimitFact> limits{};  ///< The limits of tasks that its agent enforces.
    CapacityFrom capacity_from{};
    HostVitals vitals{};            ///< Last received.
    std::int64_t clock_ahead_ms{};  ///< Its civil clock minus ours, plus the network delay.

    friend bool operator==(const NodeShowReply&, const NodeShowReply&) = default;
};

}  // namespace muster
