#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/ids.hpp"
#include "common/operator.hpp"
#include "common/spec.hpp"
#include "common/time.hpp"

/// What the coordinator keeps for ever. Placements are not among it: they come from reports.
namespace muster {

/// The one row of its kind.
struct Meta {
    ClusterId cluster;
    Epoch epoch{};
    LeaderId leader;
    Generation counter{};       ///< The last number given to a durable change.
    CivilMs request_horizon{};  ///< Request ids not later than this are refused.

    friend bool operator==(const Meta&, const Meta&) = default;
};

struct StoredTask {
    WantedTask wanted;
    Generation generation{};  ///< Of the spec.
    Generation created{};     ///< Its first generation since it was last added.

    friend bool operator==(const StoredTask&, const StoredTask&) = default;
};

struct StoredNode {
    std::string name;
    Incarnation incarnation{};  ///< The last one welcomed.
    bool lost = false;          ///< Decided lost, and not heard since.
    bool gone = false;          ///< Said goodbye, and not heard since.
    bool ahead = false;         ///< Knows a later or another store: no command goes there.

    friend bool operator==(const StoredNode&, const StoredNode&) = default;
};

/// The first answer to a change, for its retries.
struct StoredRequest {
    RequestId id;
    Reply reply;
    Digest asked{};  ///< Of the change: another one does not get this answer.
};

/// All that was durable when a leadership began. Each list is sorted by its key.
struct StoreImage {
    Meta meta;
    std::vector<StoredTask> tasks;
    std::vector<StoredNode> nodes;
    std::vector<StoredRequest> requests;
};

struct EraseTask {
    std::string name;
};
struct EraseNode {
    std::string name;
};
/// Drops requests whose id is not later than the horizon of the Meta in the same Persist.
struct EraseOldRequests {
    CivilMs horizon{};
};

/// One row to write or to erase; putting is inserting or replacing by key.
using Write = std::variant<Meta, StoredTask, StoredNode, StoredRequest, EraseTask, EraseNode,
                           EraseOldRequests>;

/// Writes that become durable together, in the order of their numbers. Nothing that follows from
/// them is said or done before the input Persisted of this number.
struct Persist {
    std::uint64_t number = 0;
    std::vector<Write> writes;
};

}  // namespace muster
