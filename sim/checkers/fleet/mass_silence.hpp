#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S9: while the coordinator says that it is frozen nothing is started in place of what ran on a
/// lost node, and no node is called lost. At other times losses that lead to such starts keep to
/// their rate. No freeze begins for want of nodes that said goodbye or were removed. And one does
/// begin before half of the nodes, three or more that served for long and had work, are lost in one
/// instant for their silence.
class MassSilence : public Checker {
public:
    void see(Instant now, const LeadershipBegan& began);
    void see(Instant now, const WelcomeIssued& welcome);
    void see(Instant now, const AgentHeard& heard);
    void see(Instant now, const EventPublished& published);

private:
    void see_start(Instant now, const Event& event);
    void see_freeze(const Event& event);
    void see_node(Instant now, const Event& event);
    void see_lost(Instant now, const Event& event);
    /// Losses that work was moved for: not more in any span of time than the rate allows.
    void count_loss(Instant lost_at);

    bool frozen_ = false;
    Duration term_{};
    std::uint32_t loss_percent_ = 0;
    std::uint32_t loss_burst_ = 0;
    std::map<HostIndex, std::string> names_;
    std::set<std::string> there_;            ///< Nodes that did not say that they leave.
    std::map<std::string, Instant> silent_;  ///< Called lost for their silence, and not back.
    std::map<InstanceId, std::string> last_on_;
    std::set<std::string> paid_for_;  ///< Of the silent, those whose loss is counted.
    std::vector<Instant> losses_;     ///< That are counted, by time.

    std::map<std::string, Instant> serves_since_;  ///< As far as it is certain.
    std::set<std::string> closed_;                 ///< By operators.
    std::set<std::string> has_work_;               ///< Was given some in this leadership.
    Instant given_up_{};      ///< An operator last ended a freeze, and so gave up who was silent.
    Instant mass_lost_at_{};  ///< So many are lost in this instant, and were judged together.
    std::size_t mass_lost_ = 0;
};

}  // namespace muster::sim
