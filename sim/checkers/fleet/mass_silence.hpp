#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S9: during a freeze nothing is started in place of an instance on a lost node, and no node
/// becomes lost. At other times, losses that lead to such starts keep to their rate. Nodes that
/// left or were removed begin no freeze. And a freeze begins before half of the nodes are lost in
/// one instant for silence, if at least three of them served for long and had work.
class MassSilence : public Checker {
public:
    void on(Instant now, const LeadershipBegan& began) {
        frozen_ = false;
        round_ = began.round;
        loss_percent_ = began.loss_rate_percent;
        loss_burst_ = began.loss_burst;
        there_.clear();
        silent_.clear();
        last_on_.clear();
        counted_losses_.clear();
        losses_.clear();
        closed_.clear();
        has_work_.clear();
        serves_since_.clear();
        given_up_ = now;
        for (const coordinator::StoredIntent& row : began.image.intents) {
            if (row.intent != coordinator::Intent::active) {
                closed_.insert(row.name);
            }
        }
        for (const coordinator::StoredNode& node : began.image.nodes) {
            if (!node.lost && !node.gone) {
                there_.insert(node.name);
                if (!node.ahead && !closed_.contains(node.name)) {
                    serves_since_[node.name] = now;
                }
            }
        }
    }

    void on(Instant, const WelcomeIssued& welcome) {
        names_[welcome.host] = welcome.name;
        there_.insert(welcome.name);
    }

    void on(Instant, const AgentMessageReceived& received) {
        const auto* report = std::get_if<Report>(&received.message);
        const auto name = names_.find(received.host);
        if (report == nullptr || name == names_.end()) {
            return;
        }
        for (const InstanceReport& instance : report->instances) {
            last_on_[instance.id] = name->second;
        }
    }

    void on(Instant now, const EventPublished& published) {
        const Event& event = published.event;
        on_node_event(now, event);
        if (event.topic == "node.lost") {
            if (frozen_) {
                violated("S9", "{} was called lost in a freeze", event.name);
            }
            if (event.detail.starts_with("silent")) {
                on_lost(now, event);
                silent_[event.name] = now;
            }
            there_.erase(event.name);
        } else if (event.topic == "node.returned") {
            silent_.erase(event.name);
            counted_losses_.erase(event.name);
            there_.insert(event.name);
        } else if (event.topic == "node.left" || event.topic == "node.removed") {
            there_.erase(event.name);
        } else if (event.topic == "instance.start") {
            on_start(now, event);
        } else if (event.topic == "freeze.began") {
            on_freeze(event);
        } else if (event.topic == "freeze.ended") {
            frozen_ = false;
            given_up_ = event.detail.starts_with("fewer than ") ? given_up_ : now;
        }
    }

private:
    // Longer than the rounds of a window plus the time to become lost after them.
    static constexpr int rounds_of_service = 30;
    static constexpr std::size_t fewest_at_once = 3;

    // `ordered on n1: lost`
    void on_start(Instant now, const Event& event) {
        constexpr std::string_view before = "ordered on ";
        const auto id = parse_instance(event.name);
        const auto colon = event.detail.find(": ");
        if (!id || !event.detail.starts_with(before) || colon == std::string::npos) {
            return;
        }
        if (event.detail.substr(colon + 2) == "lost") {
            if (frozen_) {
                violated("S9", "{} was rescheduled in a freeze", event.name);
            }
            const auto home = last_on_.find(*id);
            const auto lost = home == last_on_.end() ? silent_.end() : silent_.find(home->second);
            if (lost != silent_.end() && counted_losses_.insert(lost->first).second) {
                count_loss(std::min(lost->second, now));
            }
        }
        last_on_[*id] = event.detail.substr(before.size(), colon - before.size());
        has_work_.insert(last_on_[*id]);
    }

    // `3 of 8 nodes fell silent`, or the operator who began it.
    void on_freeze(const Event& event) {
        frozen_ = true;
        std::size_t silent = 0;
        const auto [end, error] =
            std::from_chars(event.detail.data(), event.detail.data() + event.detail.size(), silent);
        if (error == std::errc{} && silent > there_.size() + silent_.size()) {
            violated("S9", "a freeze began for {} silent nodes, and all but {} had left", silent,
                     there_.size() + silent_.size());
        }
    }

    // Which nodes serve, and since when. Any event that may end the service ends it here; only an
    // event that surely begins it begins it.
    void on_node_event(Instant now, const Event& event) {
        const std::string& topic = event.topic;
        if (!topic.starts_with("node.") || topic == "node.lost") {
            return;
        }
        if (topic == "node.offline" || topic == "node.drain_began") {
            closed_.insert(event.name);
        } else if (topic == "node.online" || topic == "node.removed") {
            closed_.erase(event.name);
        }
        if (topic == "node.ready" && !closed_.contains(event.name)) {
            serves_since_[event.name] = now;
        } else {
            serves_since_.erase(event.name);
        }
    }

    void on_lost(Instant now, const Event& event) {
        const auto since = serves_since_.find(event.name);
        const bool is_judged = since != serves_since_.end() && has_work_.contains(event.name) &&
                               now - since->second > round_ * rounds_of_service &&
                               now - given_up_ > round_ * rounds_of_service;
        mass_lost_ = std::exchange(mass_lost_at_, now) == now ? mass_lost_ : 0;
        mass_lost_ += is_judged ? 1 : 0;
        const std::size_t all = there_.size() + silent_.size();
        if (is_judged && mass_lost_ >= fewest_at_once && 2 * mass_lost_ >= all) {
            violated("S9", "{} of {} nodes were lost at once without a freeze", mass_lost_, all);
        }
    }
    /// Losses whose instances were moved: no span of time may have more than the rate allows.
    void count_loss(Instant lost_at) {
        losses_.insert(std::ranges::upper_bound(losses_, lost_at), lost_at);
        const auto nodes = there_.size() + silent_.size();
        const std::uint64_t rate = std::max<std::uint64_t>(1, nodes * loss_percent_ / 100);
        for (std::size_t first = 0; first < losses_.size(); ++first) {
            for (std::size_t last = first; last < losses_.size(); ++last) {
                const auto rounds =
                    static_cast<std::uint64_t>((losses_[last] - losses_[first]) / round_) + 1;
                if (last - first + 1 > std::max<std::uint64_t>(rate, loss_burst_) + rate * rounds) {
                    violated("S9", "{} losses in {} rounds", last - first + 1, rounds);
                    losses_.clear();
                    return;
                }
            }
        }
    }

    bool frozen_ = false;
    Duration round_{};
    std::uint32_t loss_percent_ = 0;
    std::uint32_t loss_burst_ = 0;
    std::map<HostIndex, std::string> names_;
    std::set<std::string> there_;            ///< Nodes that did not announce their departure.
    std::map<std::string, Instant> silent_;  ///< Lost because of silence, and not back.
    std::map<InstanceId, std::string> last_on_;
    std::set<std::string> counted_losses_;  ///< Silent nodes whose loss was counted.
    std::vector<Instant> losses_;           ///< Counted losses, by time.

    std::map<std::string, Instant> serves_since_;  ///< As far as that is certain.
    std::set<std::string> closed_;                 ///< By operators.
    std::set<std::string> has_work_;               ///< Got work in this leadership.
    Instant given_up_{};  ///< When an operator last ended a freeze, and gave up the silent nodes.
    Instant mass_lost_at_{};  ///< `mass_lost_` nodes were lost in this instant, judged together.
    std::size_t mass_lost_ = 0;
};

}  // namespace muster::sim
