#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/pools/forecast/seasonal.hpp"
#include "coordinator/core/rows.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

namespace muster::coordinator {

inline RequestId request_at(std::uint64_t ms) { return {ms << 16U, 7}; }

inline PublicKey numbered_key(std::uint8_t number) {
    PublicKey key;
    key.bytes.fill(number);
    return key;
}

/// No member has its default.
inline StoredPool some_pool() {
    return {.name = "web",
            .spec = {.unit = PoolUnit::slots,
                     .provider = "local",
                     .predictor = "schedule",
                     .min = 1,
                     .max = 20,
                     .step = 3,
                     .drain_budget = 4,
                     .node_amount = 5,
                     .arrive_within_ms = 6'000,
                     .max_drain_ms = 7'000,
                     .up_cooldown_ms = 8'000,
                     .down_cooldown_ms = 9'000,
                     .demand_ttl_ms = 10'000,
                     .schedule = {"mon-fri 08:00 400", "sat,sun 10:00 150"},
                     .zone = "Europe/Berlin",
                     .shadow = {"forecaster", "other"},
                     .match = {"rack = r7", "ssd exists"}},
            .paused = true,
            .since = CivilMs{17},
            .author = "it's \"ann\""};
}
inline StoredSeason some_season() {
    Seasonal learned{{}};
    for (std::int64_t minute = 0; minute < 240; ++minute) {
        learned.observe({CivilMs{minute * 60'000}, static_cast<Amount>(minute)});
    }
    return {.name = "web", .usual = learned.learned()};
}
inline StoredPoolNode some_pool_node() {
    return {.name = "web-1",
            .pool = "web",
            .provider = "local",
            .id = "i-1",
            .request = "3-1",
            .state = PoolNodeState::removing,
            .since = CivilMs{18},
            .granted = true,
            .of_request = 2};
}

/// A row of every table, with values that are easily mixed up or lost.
inline std::vector<Write> a_row_of_each() {
    StoredTask task{{}, Generation{5}, Generation{4}};
    task.wanted.name = "web";
    task.wanted.instances = 3;
    task.wanted.spec.argv = {"/bin/sh", "-c", "echo \"\u00e4\" '\n'"};
    StoredEnds ends{"web", Generation{5}, {}};
    ends.ordinals.add(2);
    Reply reply;
    reply.id = request_at(9);
    reply.result = ReplyBody{ChangeReply{}};
    return {Meta{first_cluster, Epoch{3}, first_leader, Generation{5}, CivilMs{1'000}},
            Write{Shared<StoredTask>{task}},
            StoredNode{"n1", Incarnation{3}, true, false, true},
            StoredRequest{request_at(9), Shared<Reply>{reply}, Digest{1, 2}},
            Write{Shared<StoredIntent>{
                StoredIntent{.name = "n1", .intent = Intent::draining, .reason = "it's \"old\""}}},
            StoredSetting{"starts_per_round", "7"},
            StoredFreeze{.on = true, .reason = "", .author = "ann", .since = CivilMs{5}},
            Write{Shared<StoredEnds>{ends}},
            Write{Shared<StoredKey>{StoredKey{.name = "ann",
                                              .role = Role::admin,
                                              .keys = {{.key = numbered_key(0xff)}},
                                              .pools = {"a", "b"}}}},
            StoredToken{.name = "0123", .hash = numbered_key(1), .pattern = "web-*", .uses = 2},
            Write{Shared<StoredAudit>{StoredAudit{.number = 1, .actor = "ann"}}},
            AuditHead{.number = 1, .hash = numbered_key(3)},
            Write{Shared<StoredSecret>{
                StoredSecret{.name = "db", .version = Generation{5}, .encrypted = "xyz"}}},
            Write{Shared<StoredPool>{some_pool()}},
            Write{Shared<StoredPoolNode>{some_pool_node()}},
            Write{Shared<StoredSeason>{some_season()}}};
}

}  // namespace muster::coordinator
