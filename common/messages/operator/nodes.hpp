#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator/views.hpp"
#include "common/spec/placement.hpp"

/// Asked about nodes, and the answers.
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
    std::string health;  ///< healthy | unready | flaky | lost
    std::string note;    ///< Why, in words: `silent for 3 polls`, `ahead: ...`, `left`.
    Incarnation incarnation{};
    std::uint32_t instances = 0;
    std::uint32_t load_milli = 0;
    CivilMs last_answer{};
    std::string version;
    std::string intent{};       ///< active | draining | offline
    CivilMs since{};            ///< Of health and intent, as far as this leadership knows.
    bool idle = true;           ///< Its last report has no instance.
    std::string reason{};       ///< For its intent, as whoever
    std::string author{};       ///< asked for it said.
    std::string warm{};         ///< The affinity group that ran there last; empty: none.
    std::uint32_t missed = 0;   ///< Polls in a row that it did not answer, or had no route for.
    CivilMs suspended_until{};  ///< Of a flaky node. 0: it is not suspended.
    bool overdue = false;       ///< Its drain has not ended by its deadline.
    bool listed = false;        ///< It is on the list that operators keep.
    /// Why the last message of its agent made no sense, or answered nothing. Empty: it was sound.
    std::string bad_report{};

    friend bool operator==(const NodeView&, const NodeView&) = default;
};

struct NodeListReply {
    std::vector<NodeView> nodes;
    std::vector<std::string> removed{};  ///< Names that an operator removed: they may not join.
    std::vector<std::string> refused{};  ///< Names that said hello recently and may not join.

    friend bool operator==(const NodeListReply&, const NodeListReply&) = default;
};

/// What is still on a node that is being drained, and what keeps it there.
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
    bool force = false;   ///< What has no other place is stopped.
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

/// What counts against a node, and may suspend it.
struct FlapScoreView {
    std::uint32_t score = 0;        ///< Halves with every minute.
    std::uint32_t threshold = 0;    ///< At which it is suspended.
    std::uint32_t suspensions = 0;  ///< That are not forgiven: each makes the next one longer.
    CivilMs suspended_until{};      ///< Of the current suspension, or the last. 0: none.
    /// What raised the score; of a suspended node, what led to the suspension.
    std::vector<FlapContributionView> contributions;
    /// What is to leave a suspended node, by configuration, and has not left yet.
    std::vector<DrainBlocker> blocked_by{};

    friend bool operator==(const FlapScoreView&, const FlapScoreView&) = default;
};

struct NodeShowReply {
    NodeView node;
    std::vector<InstanceView> instances;
    Offer offer{};  ///< What its agent said it has for instances.
    DrainView drain{};
    FlapScoreView flap_score{};
    std::vector<LimitFact> limits{};  ///< Which limits of tasks its agent keeps.
    CapacityFrom capacity_from{};
    HostVitals vitals{};            ///< As last said.
    std::int64_t clock_ahead_ms{};  ///< Its civil clock before ours, and the time of the way.

    friend bool operator==(const NodeShowReply&, const NodeShowReply&) = default;
};

}  // namespace muster
