#include "sim/checkers/mass_silence.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <variant>

#include <fmt/format.h>

namespace muster::sim {

namespace {

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

void MassSilence::see(Instant, const LeadershipBegan& began) {
    frozen_ = false;
    term_ = began.term;
    loss_percent_ = began.loss_rate_percent;
    loss_burst_ = began.loss_burst;
    there_.clear();
    silent_.clear();
    last_on_.clear();
    paid_for_.clear();
    losses_.clear();
    for (const StoredNode& node : began.image.nodes) {
        if (!node.lost && !node.gone) {
            there_.insert(node.name);
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
    if (event.topic == "node.lost") {
        if (frozen_) {
            violated("S9", fmt::format("{} was called lost in a freeze", event.name));
        }
        if (event.detail.starts_with("silent")) {
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
            violated("S9", fmt::format("{} was rescheduled in a freeze", event.name));
        }
        const auto home = last_on_.find(*id);
        const auto lost = home == last_on_.end() ? silent_.end() : silent_.find(home->second);
        if (lost != silent_.end() && paid_for_.insert(lost->first).second) {
            count_loss(std::min(lost->second, now));
        }
    }
    last_on_[*id] = event.detail.substr(before.size(), colon - before.size());
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
                violated("S9", fmt::format("{} losses in {} terms", last - first + 1, terms));
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
        violated("S9", fmt::format("a freeze began for {} silent nodes, and all but {} had left",
                                   silent, there_.size() + silent_.size()));
    }
}

}  // namespace muster::sim
