#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/ids.hpp"
#include "common/spec.hpp"
#include "coordinator/core/durable.hpp"

namespace muster {

/// A task the coordinator has a name for: wanted, or only reported by some node.
struct Task {
    std::string name;
    bool wanted = false;
    std::uint32_t instances = 0;  ///< 0 unless wanted.
    TaskSpec spec;
    Digest digest;
    Generation generation{};
    Generation created{};
};

/// What is wanted, in dense indices. A name keeps its index while it is wanted or some copy of it
/// is reported; then the index is used again.
class Workload {
public:
    [[nodiscard]] std::optional<TaskIndex> find(std::string_view name) const;
    [[nodiscard]] const Task& operator[](TaskIndex index) const;
    /// Indices of the wanted tasks, in the order of their names.
    [[nodiscard]] std::vector<TaskIndex> wanted() const;
    [[nodiscard]] std::size_t wanted_count() const;

    /// Adds or changes a wanted task.
    TaskIndex put(const StoredTask& task);
    /// No longer wanted; the name stays known until release().
    void unwant(TaskIndex index);
    /// The index of a name, made known if it was not.
    TaskIndex intern(std::string_view name);
    /// Nothing refers to it any more: the index may be given to another name.
    void release(TaskIndex index);
};

}  // namespace muster
