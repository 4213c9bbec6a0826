#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/spec/spec.hpp"
#include "coordinator/core/ledger/overlay.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// A task as the next change finds it. Valid until the next change.
struct ProposedTask {
    std::uint32_t instances = 0;
    const TaskSpec* spec = nullptr;
    const PlacementRule* place = nullptr;
    Generation generation{};
    Generation created{};
};

/// What will be wanted once all that is pending is durable: the workload, overlaid with the writes
/// that the store has not confirmed yet. Changes are checked against this, so that two that follow
/// each other quickly do not both see the world before either.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator. Refers to its workload.
class Proposed {
public:
    explicit Proposed(const Workload& workload);

    [[nodiscard]] std::optional<ProposedTask> find(std::string_view name) const;
    /// All names, in order.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] std::size_t tasks() const { return tasks_; }
    [[nodiscard]] std::uint64_t instances() const { return instances_; }

    /// The change that removed this task last, if it is not there and that was not long ago.
    [[nodiscard]] std::optional<Generation> removed_by(std::string_view name) const;

    /// The Persist of this number puts or erases the task; `by`: the change it is part of.
    void put(std::uint64_t number, const StoredTask& task);
    void erase(std::uint64_t number, std::string_view name, Generation by);
    /// The workload itself now shows what was written up to this number.
    void durable(std::uint64_t number) { overlay_.confirm(number); }

private:
    friend struct CoreFields;  // Which records it.

    void overlay(std::uint64_t number, std::string_view name, std::optional<StoredTask> task);

    const Workload& workload_;
    Overlay<std::optional<StoredTask>> overlay_;  // None: it is being removed.
    std::map<std::string, Generation, std::less<>> removed_;
    std::deque<std::pair<std::string, Generation>> removals_;  // The oldest is forgotten first.
    std::size_t tasks_ = 0;
    std::uint64_t instances_ = 0;
};

}  // namespace muster::coordinator
