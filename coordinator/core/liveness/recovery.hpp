#pragma once

#include <cstddef>
#include <optional>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// The start of a leadership. We know what is wanted but not yet what runs, so nothing of an older
/// generation is started or stopped until every stored node that was neither lost nor gone has sent
/// all it runs (S11). Those still silent when `grace` has passed are judged as at any other time;
/// until one of them is lost, what it runs may well be what we miss (S7). Only a node that is ahead
/// is not waited for any longer: it may be there and never report, and one liar must not hold up
/// all others. What is new since is not held back.
///
/// A node of the store is not called lost before `grace` has passed, even when recovery ended
/// earlier: it needs that long to find us. A node that first came in this leadership has found us.
class Recovery {
public:
    Recovery(Instant now, Duration grace, Generation counter, NodeRegistry& nodes);

    /// The node has reported or is lost, or need not be waited for any more.
    void resolved(NodeIndex index);
    /// True once, when it is over.
    [[nodiscard]] bool end_if_due();

    [[nodiscard]] bool runs() const { return runs_; }
    [[nodiscard]] std::size_t awaited() const { return awaited_; }
    /// The highest generation that is held back; none when it is over.
    [[nodiscard]] std::optional<Generation> held_back() const;
    [[nodiscard]] bool may_be_lost(Instant now, const Node& node) const;
    [[nodiscard]] Instant grace_ends() const { return grace_ends_; }

private:
    friend struct CoreFields;

    NodeRegistry& nodes_;
    Instant grace_ends_;
    Generation counter_;
    std::size_t awaited_ = 0;
    bool runs_ = true;
};

}  // namespace muster::coordinator
