#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <etcd.grpc.pb.h>

#include "coordinator/store/etcd/etcd_transaction.hpp"

/// Parts of transactions as messages of etcd's, and changes from its messages. Only the client
/// includes it.
namespace muster::coordinator::etcd {

namespace pb = etcdserverpb;

inline pb::Compare compare_of(const Condition& condition) {
    pb::Compare compare;
    compare.set_result(pb::Compare::EQUAL);
    if (const auto* const absent = std::get_if<IsAbsent>(&condition)) {
        compare.set_target(pb::Compare::CREATE);
        compare.set_key(absent->key);
        compare.set_create_revision(0);
    } else if (const auto* const made = std::get_if<WasMade>(&condition)) {
        compare.set_target(pb::Compare::CREATE);
        compare.set_key(made->key);
        compare.set_create_revision(static_cast<std::int64_t>(made->at));
    } else {
        const auto& has = std::get<HasValue>(condition);
        compare.set_target(pb::Compare::VALUE);
        compare.set_key(has.key);
        compare.set_value(has.value);
    }
    return compare;
}

inline pb::RequestOp request_of(const Operation& operation) {
    pb::RequestOp request;
    if (const auto* const put = std::get_if<Put>(&operation)) {
        auto& into = *request.mutable_request_put();
        into.set_key(put->key);
        into.set_value(put->value);
        into.set_lease(static_cast<std::int64_t>(put->lease));
    } else {
        const auto& erased = std::get<Delete>(operation);
        auto& into = *request.mutable_request_delete_range();
        into.set_key(erased.key);
        into.set_range_end(erased.end);
    }
    return request;
}

/// What the events of an answer changed. Their texts are moved out of it.
inline std::vector<Change> take_changes(pb::WatchResponse& response) {
    std::vector<Change> changes;
    for (auto& event : *response.mutable_events()) {
        auto& change = changes.emplace_back();
        change.key = std::move(*event.mutable_kv()->mutable_key());
        change.at = static_cast<Revision>(event.kv().mod_revision());
        if (event.type() == pb::Event::PUT) {
            change.value = std::move(*event.mutable_kv()->mutable_value());
        }
    }
    return changes;
}

}  // namespace muster::coordinator::etcd
