#pragma once

#include <cstdint>

#include "coordinator/core/pools/sizing.hpp"
#include "coordinator/core/scaling/pool_situation.hpp"

namespace muster::coordinator {

/// How many nodes of a pool count, and which of them come and go.
class Resizing {
public:
    Resizing(PoolSituation& at, PoolChange& change);

    [[nodiscard]] const Holding& has() const { return has_; }
    [[nodiscard]] bool is_any_coming() const { return coming_ > 0; }
    /// What those that were asked for will have.
    [[nodiscard]] Amount coming() const { return coming_ * at_.of_new_node; }
    /// Nodes are missing, and may not be asked for now.
    [[nodiscard]] bool lacks() const { return lacks_; }

    /// Drains end again, the last one that began first; what is still missing is asked for.
    void grow(std::uint32_t count);
    /// The emptiest nodes go, among equals the newest. Never one whose capacity is needed until
    /// those that were asked for have come.
    void shrink(std::uint32_t count);

private:
    /// So many nodes must come until there is enough.
    [[nodiscard]] std::uint32_t missing() const;

    PoolSituation& at_;
    PoolChange& change_;
    Holding has_;
    Amount real_ = 0;  // Of the nodes that are there, and answer.
    std::uint32_t real_nodes_ = 0;
    std::uint32_t draining_ = 0;
    std::uint32_t coming_ = 0;
    bool lacks_ = false;
};

}  // namespace muster::coordinator
