#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "coordinator/core/workload/order_proofs.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

/// A cluster with a key of orders, over changes of its leadership.
namespace muster::coordinator::testing {

inline const SecretKey key_of_orders{{4, 7, 1, 1}};

inline CoordinatorOptions with_key(const SecretKey& key = key_of_orders) {
    CoordinatorOptions options = CoordinatorHarness::losing_quickly();
    options.order_key = key;
    return options;
}

inline FakeAgent& join_keeping(CoordinatorHarness& harness, const std::string& name) {
    FakeAgent& fake = harness.add(name);
    fake.keeps_proofs = true;
    harness.send_hello(fake);
    return fake;
}

/// The rows of this kind that were written, the last one of each name.
inline std::vector<StoredSetting> settings_of(const CoordinatorHarness& harness) {
    std::vector<StoredSetting> rows;
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            if (const auto* row = std::get_if<StoredSetting>(&write)) {
                rows = {*row};
            }
        }
    }
    return rows;
}

/// What the next leader finds in the store: these nodes, and one task in this generation.
inline StoreImage image_after(const CoordinatorHarness& harness,
                              const std::vector<std::string>& nodes, const WantedTask& task,
                              Generation generation) {
    StoreImage image = CoordinatorHarness::empty_store();
    image.meta.epoch = Epoch{4};
    image.meta.leader = LeaderId{0x2e, 0x2e};
    image.meta.counter = Generation{raw(generation) + 5};
    image.settings = settings_of(harness);
    image.tasks.push_back({task, generation, generation});
    for (const std::string& name : nodes) {
        image.nodes.push_back(CoordinatorHarness::stored(name, harness.fakes.at(name).incarnation));
    }
    return image;
}

/// The agent connects to the next leader, with all that it runs.
inline FakeAgent& follow(CoordinatorHarness& next_leader, const FakeAgent& before) {
    FakeAgent& fake = next_leader.add(before.name);
    fake.cluster = CoordinatorHarness::cluster;
    fake.epoch = Epoch{3};
    fake.leader = CoordinatorHarness::leader;
    fake.counter = before.counter;
    fake.incarnation = before.incarnation;
    fake.keeps_proofs = before.keeps_proofs;
    fake.instances = before.instances;
    next_leader.send_hello(fake);
    return fake;
}

inline std::string detail_of(const CoordinatorHarness& harness, const std::string& topic,
                             const std::string& name) {
    for (const Event& event : harness.events) {
        if (event.topic == topic && event.name == name) {
            return event.detail;
        }
    }
    return "";
}

}  // namespace muster::coordinator::testing
