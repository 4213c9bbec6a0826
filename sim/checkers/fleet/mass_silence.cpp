#include "sim/checkers/fleet/mass_silence.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace muster::sim {

namespace {

// Longer than the terms of a window, and than it takes to be lost after them.
constexpr int terms_of_service = 30;
constexpr std::size_t fewest_at_once = 3;

/// `web.3` in two.
std::optional<InstanceId> instance_in(const std::string& text) {
    const auto dot = text.rfind('.');
    if (dot == std::string::npos) {
        return std::nullopt;
    }
    InstanceId id{text.substr(0, dot), 0};
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), id.ordinal);
    return id;
}

}  // namespace

void MassSilence::see(Instant now, const LeadershipBegan& began) {
    frozen_ = false;
    term_ = began.term;
    loss_percent_ = began.loss_rate_percent;
    loss_burst_ = began.loss_burst;
    there_.clear();
    silent_.clear();
    last_on_.clear();
    paid_for_.clear();
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

void MassSilence::see(Instant, const WelcomeIssued& welcome) {
    names_[welcome.host] = welcome.name;
    there_.insert(welcome.name);
}

void MassSilence::see(Instant, const AgentHeard& heard) {
    const auto* report = std::get_if<Report>(&heard.message);
    const auto name = names_.find(heard.host);
    if (report == nullptr || name == names_.end()) {
        return;
    }
    for (const InstanceReport& instance : report->instances) {
        last_on_[instance.id] = name->second;
    }
}

void MassSilence::see(Instant now, const EventPublished& published) {
    const Event& event = published.event;
    see_node(now, event);
    if (event.topic == "node.lost") {
        if (frozen_) {
            violated("S9", "{} was called lost in a freeze", event.name);
        }
        if (event.detail.starts_with("silent")) {
            see_lost(now, event);
            silent_[event.name] = now;
        }
        there_.erase(event.name);
    } else if (event.topic == "node.returned") {
        silent_.erase(event.name);
        paid_for_.erase(event.name);
        there_.insert(event.name);
    } else if (event.topic == "node.left" || event.topic == "node.removed") {
        there_.erase(event.name);
    } else if (event.topic == "instance.start") {
        see_start(now, event);
    } else if (event.topic == "freeze.began") {
        see_freeze(event);
    } else if (event.topic == "freeze.ended") {
        frozen_ = false;
        given_up_ = event.detail.starts_with("fewer than ") ? given_up_ : now;
    }
}

// Who serves, and since when: what may end that does, for all that is known here, and only what
// begins it surely begins it.
void MassSilence::see_node(Instant now, const Event& event) {
    const std::string& topic = event.topic;
    if (!topic.starts_with("node.") || topic == "node.lost") {
        return;
    }
    if (topic == "node.offlined" || topic == "node.drain_began") {
        closed_.insert(event.name);
    } else if (topic == "node.onlined" || topic == "node.removed") {
        closed_.erase(event.name);
    }
    if (topic == "node.ready" && !closed_.contains(event.name)) {
        serves_since_[event.name] = now;
    } else {
        serves_since_.erase(event.name);
    }
}

void MassSilence::see_lost(Instant now, const Event& event) {
    const auto since = serves_since_.find(event.name);
    const bool is_judged = since != serves_since_.end() && has_work_.contains(event.name) &&
                           now - since->second > term_ * terms_of_service &&
                           now - given_up_ > term_ * terms_of_service;
    mass_lost_ = std::exchange(mass_lost_at_, now) == now ? mass_lost_ : 0;
    mass_lost_ += is_judged ? 1 : 0;
    const std::size_t all = there_.size() + silent_.size();
    if (is_judged && mass_lost_ >= fewest_at_once && 2 * mass_lost_ >= all) {
        violated("S9", "{} of {} nodes were lost at once without a freeze", mass_lost_, all);
    }
}

// `ordered on n1: lost`
void MassSilence::see_start(Instant now, const Event& event) {
    constexpr std::string_view before = "ordered on ";
    const auto id = instance_in(event.name);
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
        if (lost != silent_.end() && paid_for_.insert(lost->first).second) {
            count_loss(std::min(lost->second, now));
        }
    }
    last_on_[*id] = event.detail.substr(before.size(), colon - before.size());
    has_work_.insert(last_on_[*id]);
}

void MassSilence::count_loss(Instant lost_at) {
    losses_.insert(std::ranges::upper_bound(losses_, lost_at), lost_at);
    const auto nodes = there_.size() + silent_.size();
    const std::uint64_t rate = std::max<std::uint64_t>(1, nodes * loss_percent_ / 100);
    for (std::size_t first = 0; first < losses_.size(); ++first) {
        for (std::size_t last = first; last < losses_.size(); ++last) {
            const auto terms =
                static_cast<std::uint64_t>((losses_[last] - losses_[first]) / term_) + 1;
            if (last - first + 1 > std::max<std::uint64_t>(rate, loss_burst_) + rate * terms) {
                violated("S9", "{} losses in {} terms", last - first + 1, terms);
                losses_.clear();
                return;
            }
        }
    }
}

// `3 of 8 nodes fell silent`, or by whom.
void MassSilence::see_freeze(const Event& event) {
    frozen_ = true;
    std::size_t silent = 0;
    const auto [end, error] =
        std::from_chars(event.detail.data(), event.detail.data() + event.detail.size(), silent);
    if (error == std::errc{} && silent > there_.size() + silent_.size()) {
        violated("S9", "a freeze began for {} silent nodes, and all but {} had left", silent,
                 there_.size() + silent_.size());
    }
}

}  // namespace muster::sim
