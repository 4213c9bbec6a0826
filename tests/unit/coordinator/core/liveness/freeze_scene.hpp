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
inline void join_listed(CoordinatorHarness& bench, int nodes) {
    NodeAddRequest list;
    for (int node = 0; node < nodes; ++node) {
        list.nodes.push_back({.name = "n" + std::to_string(node)});
        bench.join(list.nodes.back().name);
    }
    REQUIRE(bench.ask(list)->result);
    bench.pass(12s);
}

/// The first `nodes` agents lose all messages in both directions.
inline void fall_silent(CoordinatorHarness& bench, int nodes, bool silent = true, int from = 0) {
    for (int node = from; node < from + nodes; ++node) {
        FakeAgent& fake = bench["n" + std::to_string(node)];
        fake.answers = !silent;
        fake.obeys = !silent;
    }
}

inline FreezeView freeze_shown(CoordinatorHarness& bench) {
    return bench.read<FreezeReply>(FreezeShowRequest{}).freeze;
}

/// A listed fleet. Some of its nodes fall silent.
struct Silence {
    int nodes = 0;
    std::uint32_t instances = 0;  ///< Of `web`; placed before.
    int silent = 0;
    int from = 0;  ///< The first silent node.
    Duration lasts = 6s;
};

inline void freeze_by_silence(CoordinatorHarness& bench, const Silence& how) {
    join_listed(bench, how.nodes);
    if (how.instances > 0) {
        bench.want("web", how.instances);
        bench.pass(4s);
    }
    fall_silent(bench, how.silent, true, how.from);
    bench.pass(how.lasts);
    REQUIRE(freeze_shown(bench).on);
}

inline FreezeView freeze_of(const std::optional<Reply>& reply) {
    REQUIRE(reply->result);
    return std::get<FreezeReply>(*reply->result).freeze;
}

inline std::size_t times_published(const CoordinatorHarness& bench, const std::string& topic) {
    return static_cast<std::size_t>(std::ranges::count(bench.events, topic, &Event::topic));
}

/// Starts that replace copies of lost nodes since the event of this number.
inline std::size_t rescheduled(const CoordinatorHarness& bench, std::size_t since = 0) {
    return static_cast<std::size_t>(std::ranges::count_if(
        bench.events.begin() + static_cast<std::ptrdiff_t>(since), bench.events.end(),
        [](const Event& event) {
            return event.topic == "instance.start" && event.detail.ends_with(": lost");
        }));
}

inline const Occasion works{.reason = "new switches", .author = "ann@desk"};

}  // namespace muster::coordinator::testing
