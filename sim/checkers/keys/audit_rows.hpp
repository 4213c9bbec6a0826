#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S22: each change becomes durable together with its one row of the audit, each lasting refusal as
/// well; each other refusal has a row, unless too many in a second are refused. The rows have no
/// gaps, and each has the hash of the one before it. What a limited key changed is in its limits.
class AuditRows : public Checker {
public:
    void on(Instant, const LeadershipBegan& began);
    void on(Instant, const StoreReplaced& replaced) { take_head(replaced.image); }
    void on(Instant now, const CivilClockRead& clock) {
        read_ = clock.at;
        read_at_ = now;
    }
    void on(Instant, const RequestMade& made);
    void on(Instant now, const StepTaken& step);
    void on(Instant, const Committed& committed);

private:
    /// Of one change, which may become durable in several writes.
    struct Group {
        std::vector<const coordinator::StoredAudit*> rows;
        std::vector<const coordinator::StoredRequest*> requests;
        std::vector<const coordinator::StoredTask*> tasks;
        std::vector<std::string> removed;  ///< Tasks.
        bool is_change = false;            ///< That only a request makes.
    };

    void take_head(const coordinator::StoreImage& image);
    void add(const coordinator::Persist& persist, Group& group);
    void check(const coordinator::StoredAudit& row);
    void check(const coordinator::AuditHead& head);
    void judge(const Group& group);
    void judge_limits(const Group& group);
    void judge_refusal(CivilMs now, const StepTaken& step, const coordinator::FromOperator& input);
    void count_refusals(CivilMs now, const coordinator::Output& output);

    bool is_led_ = false;  ///< Whether a core has taken a step: only a core writes rows.
    SecretKey key_;
    std::uint64_t number_ = 0;  ///< Of the newest row,
    PublicKey hash_{};          ///< and its hash.
    std::set<RequestId> enrolments_;
    /// What the makers of requests were limited to when the core took them.
    std::map<RequestId, coordinator::StoredKey> limits_;
    std::int64_t second_ = 0;       ///< Of the civil clock,
    std::uint32_t kept_ = 0;        ///< and the refusals that were kept in it.
    std::set<RequestId> too_many_;  ///< Refused when enough refusals of that second were kept.
    CivilMs read_{};
    Instant read_at_{};
};

}  // namespace muster::sim
