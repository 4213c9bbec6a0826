#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

/// A fleet that falls silent, for the tests of the freeze.
namespace muster::coordinator::testing {

/// This number of listed nodes that have served longer than a window.
inline void join_listed(CoordinatorHarness& harness, int nodes) {
    NodeAddRequest list;
    for (int node = 0; node < nodes; ++node) {
        list.nodes.push_back({.name = "n" + std::to_string(node)});
        harness.join(list.nodes.back().name);
    }
    REQUIRE(harness.ask(list)->result);
    harness.pass(12s);
}

/// The first `nodes` agents lose all messages in both directions.
inline void fall_silent(CoordinatorHarness& harness, int nodes, bool silent = true, int from = 0) {
    for (int node = from; node < from + nodes; ++node) {
        FakeAgent& fake = harness["n" + std::to_string(node)];
        fake.answers = !silent;
        fake.obeys = !silent;
    }
}

inline FreezeView freeze_shown(CoordinatorHarness& harness) {
    return harness.read<FreezeReply>(FreezeShowRequest{}).freeze;
}

/// A listed fleet. Some of its nodes fall silent.
struct Silence {
    int nodes = 0;
    std::uint32_t instances = 0;  ///< Of `web`; placed before.
    int silent = 0;
    int from = 0;  ///< The first silent node.
    Duration lasts = 6s;
};

inline void freeze_by_silence(CoordinatorHarness& harness, const Silence& how) {
    join_listed(harness, how.nodes);
    if (how.instances > 0) {
        harness.want("web", how.instances);
        harness.pass(4s);
    }
    fall_silent(harness, how.silent, true, how.from);
    harness.pass(how.lasts);
    REQUIRE(freeze_shown(harness).on);
}

inline FreezeView freeze_of(const std::optional<Reply>& reply) {
    REQUIRE(reply->result);
    return std::get<FreezeReply>(*reply->result).freeze;
}

inline std::size_t times_published(const CoordinatorHarness& harness, const std::string& topic) {
    return static_cast<std::size_t>(std::ranges::count(harness.events, topic, &Event::topic));
}

/// Starts that replace copies of lost nodes since the event of this number.
inline std::size_t rescheduled(const CoordinatorHarness& harness, std::size_t since = 0) {
    return static_cast<std::size_t>(std::ranges::count_if(
        harness.events.begin() + static_cast<std::ptrdiff_t>(since), harness.events.end(),
        [](const Event& event) {
            return event.topic == "instance.start" && event.detail.ends_with(": lost");
        }));
}

inline const Occasion works{.reason = "new switches", .author = "ann@desk"};

}  // namespace muster::coordinator::testing
