#pragma once

#include <cstdint>
#include <poll.h>
#include <string>
#include <utility>
#include <variant>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/store/store.hpp"

/// Durable changes like an operator's `task add`, for the benchmarks of each kind of store.
namespace muster::bench {

/// A task, the counter, and the answer for retries.
inline coordinator::Persist change(std::uint64_t number, const coordinator::Meta& before) {
    coordinator::StoredTask task;
    task.wanted.name = "task-" + std::to_string(number);
    task.wanted.spec.argv = {"/usr/bin/sleep", "1000"};
    task.generation = task.created = Generation{number};
    coordinator::Meta meta = before;
    meta.counter = Generation{number};
    const RequestId id{number << 16U, number};
    TaskChange what;
    what.task = task.wanted.name;
    what.action = "add";
    return {number,
            {task, meta,
             coordinator::StoredRequest{id, Reply{id, ChangeReply{meta.counter, false, {what}}}}}};
}

/// The content of the change, without the overhead of a database.
inline std::string bytes_of(const coordinator::Persist& persist) {
    std::string all;
    std::string encoded;
    codec::encode(
        Request{
            {},
            TaskAddRequest{(*std::get<Shared<coordinator::StoredTask>>(persist.writes[0])).wanted}},
        encoded);
    all += encoded;
    codec::encode(*std::get<coordinator::StoredRequest>(persist.writes[2]).reply, encoded);
    all += encoded;
    all.append(sizeof(coordinator::Meta), 'm');
    return all;
}

/// From submit() to the confirmation that the change is durable.
inline double commit_ms(coordinator::Store& store, coordinator::Persist persist) {
    const auto number = persist.number;
    const double begin = wall_ms();
    store.submit(std::move(persist));
    while (true) {
        pollfd news{store.fd(), POLLIN, 0};
        poll(&news, 1, -1);
        if (store.take_durable() == number) {
            return wall_ms() - begin;
        }
        ensure(!store.failure(), "the store writes");
    }
}

}  // namespace muster::bench
