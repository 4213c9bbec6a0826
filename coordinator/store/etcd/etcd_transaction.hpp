#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "coordinator/core/leadership/leadership.hpp"

namespace muster::coordinator::etcd {

/// A number of a state of etcd's: each change raises it.
enum class Revision : std::int64_t {};

/// What must hold for a transaction to take effect.
struct IsAbsent {
    std::string key;
};
struct WasMade {
    std::string key;
    Revision at{};
};
struct HasValue {
    std::string key;
    std::string value;
};
using Condition = std::variant<IsAbsent, WasMade, HasValue>;

struct Put {
    std::string key;
    std::string value;
    LeaseId lease{};  ///< 0: none.
};
/// Of all keys from `key` on, before `end`.
struct Delete {
    std::string key;
    std::string end;
};
using Operation = std::variant<Put, Delete>;

/// Takes effect whole if all conditions hold, and otherwise not at all.
struct Transaction {
    /// As etcd has it by default; no more are accepted.
    static constexpr std::size_t most_operations = 128;
    static constexpr std::size_t most_bytes = 1'500'000;

    std::vector<Condition> conditions;
    std::vector<Operation> operations;
};

/// What a watch saw of one key.
struct Change {
    std::string key;
    std::optional<std::string> value;  ///< Nothing: it was deleted.
    Revision at{};
};

}  // namespace muster::coordinator::etcd
