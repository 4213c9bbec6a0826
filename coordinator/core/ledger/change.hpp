#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "common/base/shared.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// Rows of one kind that a change puts and erases, each list in the order of their names.
template <class Row>
struct Rows {
    std::vector<Shared<Row>> put;
    std::vector<std::string> erased;

    [[nodiscard]] bool empty() const { return put.empty() && erased.empty(); }
};

/// Each kind of row, in the order in which they are written.
using RowsOfEachKind = std::tuple<Rows<StoredNode>, Rows<StoredTask>, Rows<StoredIntent>,
                                  Rows<StoredSetting>, Rows<StoredFreeze>, Rows<StoredEnds>>;

/// Where a change comes from. What follows from its rows depends on it.
enum class ChangeOrigin : std::uint8_t {
    request,  ///< An operator asked for it.
    /// An operator accepted the store that nodes ahead of us know. Every task gets a new
    /// generation: nobody can say what the numbers of another store, or of a later one, stand for.
    accepted_store,
    drains,   ///< Our own decision: nothing runs any more on nodes that were drained.
    records,  ///< The records of nodes changed, and their rows follow.
};

/// What one change writes, and what the owners of its rows have to know besides. All of it takes
/// effect together, once it is durable.
struct Change {
    ChangeOrigin origin = ChangeOrigin::request;
    RowsOfEachKind rows{};
    Occasion why{};  ///< For records that end, scores that are cleared, and the end of a freeze.
    std::vector<std::string> forgiven{};  ///< Nodes whose scores are cleared.

    template <class Row>
    [[nodiscard]] Rows<Row>& of() {
        return std::get<Rows<Row>>(rows);
    }
    template <class Row>
    [[nodiscard]] const Rows<Row>& of() const {
        return std::get<Rows<Row>>(rows);
    }
    [[nodiscard]] bool empty() const {
        const auto is_empty = [](const auto&... of_kind) { return (of_kind.empty() && ...); };
        return forgiven.empty() && std::apply(is_empty, rows);
    }
};

/// What a request changes, and what is answered once that is durable.
struct Answered {
    Change change;
    ReplyBody reply;
};

}  // namespace muster::coordinator
