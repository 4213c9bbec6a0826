#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S19: who may do what is decided by the key that a connection proves, and by the keys that are in
/// effect. A session has the name of its key. A revoked or expired key reports, asks and gets
/// nothing. A denied request changes nothing, and a request that its key allows is not denied.
///
/// The end of a key is noticed with the next message of its owner, and otherwise when the
/// coordinator reads its clock.
class ProvedKeys : public Checker {
public:
    void on(Instant, const LeadershipBegan&) {
        names_.clear();
        changed_.clear();
    }
    void on(Instant now, const CivilClockRead& clock) {
        read_ = clock.at;
        read_at_ = now;
    }
    void on(Instant now, const StepTaken& step);
    void on(Instant, const OrderSent& order);

private:
    [[nodiscard]] CivilMs clock(Instant now) const {
        return CivilMs{raw(read_) + to_ms(now - read_at_)};
    }
    void judge(Instant now, const StepTaken& step, const coordinator::FromAgent& input);
    void judge_hello(const StepTaken& step, coordinator::Session session, const Hello& hello,
                     CivilMs now);
    void judge(Instant now, const StepTaken& step, const coordinator::FromOperator& input);

    void note_changed_keys(const coordinator::Output& output);

    CivilMs read_{};
    Instant read_at_{};
    std::map<coordinator::Session, std::string> names_;  ///< Of those who were welcomed.
    /// Names whose keys this leadership changed: a change by an old key may be denied before the
    /// row is durable.
    std::set<std::string> changed_;
};

}  // namespace muster::sim
