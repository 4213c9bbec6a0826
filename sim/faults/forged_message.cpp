#include "sim/faults/forged_message.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/hosts/agent_host.hpp"

namespace muster::sim {

namespace {

/// A number near the right one, or as far away as possible.
std::uint64_t any_number(Random& random, std::uint64_t right) {
    switch (random.below(6)) {
        case 0: return 0;
        case 1: return ~std::uint64_t{0};
        case 2: return std::uint64_t{1} << random.below(64);
        case 3: return right + random.below(4);
        case 4: return right - std::min<std::uint64_t>(right, random.below(4));
        default: return right;
    }
}

template <class Number>
Number any(Random& random, Number right) {
    return Number{any_number(random, raw(right))};
}

InstanceId any_instance(Random& random, const coordinator::StoreImage& store) {
    const std::uint64_t task = random.below(store.tasks.size() + 1);
    std::string name = task < store.tasks.size() ? store.tasks[task].wanted.name : "ghost";
    return {std::move(name), static_cast<Ordinal>(random.below(6))};
}

Hello any_hello(Random& random, const AgentHost& host, const coordinator::StoreImage& store) {
    const agent::AgentMemory& disk = host.disk();
    Hello hello;
    hello.name = random.chance(1, 8) ? "ghost" : host.name();
    hello.cluster = random.chance(1, 8) ? ClusterId{random.next(), 1} : store.meta.cluster;
    hello.boot = BootId{random.next(), 1};
    hello.life = LifeId{random.next(), 1};
    hello.incarnation = any(random, disk.incarnation);
    hello.epoch = any(random, store.meta.epoch);
    hello.leader = random.chance(1, 4) ? LeaderId{random.next(), 1} : store.meta.leader;
    hello.counter = any(random, store.meta.counter);
    hello.keeps_proofs = true;
    return hello;
}

Report any_report(Random& random, const AgentHost& host, const coordinator::StoreImage& store) {
    Report report;
    report.kind = static_cast<ReportKind>(random.below(3));
    report.epoch = random.chance(1, 4) ? any(random, store.meta.epoch) : store.meta.epoch;
    report.round = random.chance(1, 2) ? Round{} : Round{1 + random.below(90)};
    report.incarnation =
        random.chance(1, 4) ? any(random, host.disk().incarnation) : host.disk().incarnation;
    report.from = any(random, Revision{random.below(40)});
    report.to = any(random, next(report.from));
    report.obeyed = any(random, Sequence{random.below(40)});
    report.host.spawn_failing = random.chance(1, 8);
    report.host.journal_failing = random.chance(1, 8);
    report.host.readiness = static_cast<Readiness>(random.below(4));
    report.host.checks = any_number(random, 1);
    report.host.unable = random.chance(1, 8);
    report.stamp = any(random, BootMs{random.below(100'000)});
    for (std::uint64_t count = random.below(5); count > 0; --count) {
        InstanceReport instance;
        instance.id = any_instance(random, store);
        instance.generation = any(random, store.meta.counter);
        instance.state = static_cast<InstanceState>(random.below(7));
        instance.restarts = static_cast<std::uint32_t>(random.next());
        instance.started = CivilMs{static_cast<std::int64_t>(random.next())};
        report.instances.push_back(std::move(instance));
    }
    for (std::uint64_t count = random.below(3); count > 0; --count) {
        report.gone.push_back(any_instance(random, store));
    }
    return report;
}

Ack any_ack(Random& random, const AgentHost& host, const coordinator::StoreImage& store) {
    Ack ack;
    ack.epoch = random.chance(1, 4) ? any(random, store.meta.epoch) : store.meta.epoch;
    ack.incarnation = host.disk().incarnation;
    ack.obeyed = any(random, Sequence{random.below(40)});
    for (std::uint64_t count = random.below(4); count > 0; --count) {
        static constexpr std::array codes{Errc::refused, Errc::spec_unknown, Errc::stale_epoch,
                                          Errc::foreign_cluster, Errc::lease_over};
        Refusal refusal;
        refusal.id = any_instance(random, store);
        refusal.generation = any(random, store.meta.counter);
        refusal.code = codes.at(random.below(codes.size()));
        ack.refusals.push_back(std::move(refusal));
    }
    return ack;
}

}  // namespace

AgentMessage forged_message(Random& random, const AgentHost& host,
                            const coordinator::StoreImage& store) {
    switch (random.below(8)) {
        case 0: return any_hello(random, host, store);
        case 1:
            return Departure{any(random, host.disk().incarnation),
                             static_cast<std::uint32_t>(random.below(3))};
        case 2:
        case 3: return any_ack(random, host, store);
        default: return any_report(random, host, store);
    }
}

}  // namespace muster::sim
