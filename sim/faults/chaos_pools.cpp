#include "sim/faults/chaos_pools.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/model/generators.hpp"

namespace muster::sim {

namespace {

constexpr std::uint64_t reporters = 3;
constexpr std::uint64_t most_needed = 8;
constexpr std::uint32_t slots_of_node = 2;
constexpr std::uint64_t most_copies = 5;

std::string pool_named(std::uint64_t number) { return fmt::format("pool{}", number); }

}  // namespace

void prepare_pools(ClusterOptions& options, std::uint32_t /*pools*/) {
    options.coordinator.providers = {provider_name};
    options.coordinator.predictors = {predictor_name};
    // Nobody admits the keys of nodes that a provider makes.
    options.coordinator.keys = false;
    options.coordinator.accept_pending = false;
}

ChaosOfPools::ChaosOfPools(Cluster& cluster, std::uint64_t seed, std::uint32_t pools)
    : cluster_{cluster},
      random_{seed ^ 0x706f6f6c73ULL},
      pools_{pools},
      is_good_{random_.chance(1, 4)} {
    for (std::uint32_t pool = 0; pool < pools_; ++pool) {
        Offer offer;
        offer.capacity.slots = slots_of_node;
        cluster_.set_pool_offer(pool_named(pool), offer);
        create(pool_named(pool));
    }
}

void ChaosOfPools::create(const std::string& pool) {
    PoolChanges changes = any_limits();
    changes.unit = PoolUnit::slots;
    changes.provider = provider_name;
    changes.node_amount = random_.chance(1, 2) ? slots_of_node : 0;
    changes.arrive_within_ms = 8'000 + random_.below(12'000);
    changes.demand_ttl_ms = Reporters::ttl_ms + random_.below(6'000);
    cluster_.ask(PoolCreateRequest{pool, changes, {}});
}

PoolChanges ChaosOfPools::any_limits() {
    PoolChanges changes;
    changes.min = static_cast<std::uint32_t>(random_.below(3));
    changes.max = *changes.min + static_cast<std::uint32_t>(random_.below(5));
    changes.step = static_cast<std::uint32_t>(1 + random_.below(4));
    changes.drain_budget = static_cast<std::uint32_t>(1 + random_.below(3));
    changes.max_drain_ms = 2'000 + random_.below(15'000);
    changes.up_cooldown_ms = random_.chance(1, 3) ? random_.below(5'000) : 0;
    changes.down_cooldown_ms = random_.chance(1, 3) ? random_.below(10'000) : 0;
    draw_predictor(changes);
    return changes;
}

void ChaosOfPools::draw_predictor(PoolChanges& changes) {
    const std::array<const char*, 9> names{"conservative", "conservative", "conservative",
                                           "conservative", "trend",        "peak",
                                           "seasonal",     "schedule",     predictor_name};
    changes.predictor = names[random_.below(names.size())];
    changes.schedule = {fmt::format("mon-sun 00:00 {}", random_.below(most_needed))};
    changes.zone = random_.chance(1, 4) ? "Middle/Earth" : "UTC";
    changes.shadow.emplace(random_.below(2), predictor_name);
}

std::string ChaosOfPools::any_pool() { return pool_named(random_.below(pools_)); }

std::string ChaosOfPools::any_reporter() { return fmt::format("lb{}", random_.below(reporters)); }

void ChaosOfPools::act() {
    switch (random_.below(20)) {
        case 0:
        case 1:
        case 2:
        case 3: {
            const std::string reporter = any_reporter();
            const std::string pool = any_pool();
            cluster_.need(reporter, pool, random_.below(most_needed + 1));
            break;
        }
        case 4: cluster_.silence_reporter(any_reporter()); break;
        case 5: {
            const std::string pool = any_pool();
            cluster_.ask(PoolSetRequest{pool, any_limits(), {}});
            break;
        }
        case 6: cluster_.ask(PoolPauseRequest{any_pool(), {}}); break;
        case 7: cluster_.ask(PoolResumeRequest{any_pool(), {}}); break;
        case 8:
        case 9: change_tasks(); break;
        case 10:
        case 11: draw_faults(); break;
        case 12: vanish_any(); break;
        case 13: cluster_.set_provider_faults({}); break;
        default: break;
    }
}

void ChaosOfPools::change_tasks() {
    const std::string pool = any_pool();
    const std::string task = "of-" + pool;
    if (random_.chance(1, 3)) {
        cluster_.remove(task);
        return;
    }
    WantedTask wanted;
    wanted.name = task;
    wanted.instances = static_cast<std::uint32_t>(random_.below(most_copies + 1));
    wanted.spec = any_spec(random_);
    wanted.place.pool = pool;
    cluster_.ask(ApplyRequest{.tasks = {std::move(wanted)}});
}

void ChaosOfPools::draw_faults() {
    ProviderFaults faults;
    if (!is_good_) {
        const std::array<std::uint32_t*, 10> chances{
            &faults.slow,       &faults.refuses,   &faults.keeps, &faults.never,
            &faults.late,       &faults.twice,     &faults.fewer, &faults.no_list,
            &faults.empty_list, &faults.short_list};
        for (std::uint32_t* const chance : chances) {
            const auto much = static_cast<std::uint32_t>(random_.below(700));
            *chance = random_.chance(1, 3) ? much : 0;
        }
        faults.more = random_.chance(1, 4) ? 200 : 0;
    }
    faults.takes = Span{5ms, std::chrono::milliseconds{10 + random_.below(2'000)}};
    faults.boot = Span{200ms, std::chrono::milliseconds{500 + random_.below(6'000)}};
    cluster_.set_provider_faults(faults);
}

void ChaosOfPools::vanish_any() {
    std::vector<std::string> names;
    for (const MadeNode& node : cluster_.world().provider.nodes()) {
        if (node.exists) {
            names.push_back(node.listed.node);
        }
    }
    if (!names.empty()) {
        cluster_.vanish(names[random_.below(names.size())]);
    }
}

void ChaosOfPools::heal() {
    for (std::uint32_t pool = 0; pool < pools_; ++pool) {
        cluster_.ask(PoolResumeRequest{pool_named(pool), {}});
        cluster_.ask(PoolSetRequest{pool_named(pool), {.predictor = "conservative"}, {}});
        for (std::uint64_t reporter = 0; reporter < reporters; ++reporter) {
            cluster_.need(fmt::format("lb{}", reporter), pool_named(pool),
                          random_.chance(1, 2) ? 0 : random_.below(most_needed / 2));
        }
    }
}

}  // namespace muster::sim
