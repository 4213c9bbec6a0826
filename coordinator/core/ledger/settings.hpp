#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The switches of the cluster, as durable, and as they will be when all on its way is. One that
/// nobody ever set is empty.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class Settings {
public:
    explicit Settings(std::span<const StoredSetting> stored) {
        for (const StoredSetting& row : stored) {
            take_effect(row);
            propose(row);
        }
    }

    [[nodiscard]] std::string_view durable(std::string_view name) const {
        return value(durable_, name);
    }
    [[nodiscard]] std::string_view proposed(std::string_view name) const {
        return value(proposed_, name);
    }
    void propose(const StoredSetting& row) { proposed_.insert_or_assign(row.name, row.value); }
    void take_effect(const StoredSetting& row) { durable_.insert_or_assign(row.name, row.value); }

private:
    friend struct CoreFields;  // Which records it.

    using Values = std::map<std::string, std::string, std::less<>>;
    [[nodiscard]] static std::string_view value(const Values& values, std::string_view name) {
        const auto found = values.find(name);
        return found == values.end() ? std::string_view{} : found->second;
    }

    Values durable_;
    Values proposed_;
};

}  // namespace muster::coordinator
