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
using RowsOfEachKind =
    std::tuple<Rows<StoredNode>, Rows<StoredTask>, Rows<StoredIntent>, Rows<StoredSetting>,
               Rows<StoredFreeze>, Rows<StoredEnds>, Rows<StoredKey>, Rows<StoredToken>,
               Rows<StoredSecret>, Rows<StoredPool>, Rows<StoredPoolNode>, Rows<StoredSeason>>;

/// The origin of a change. The effects of its rows depend on it.
enum class ChangeOrigin : std::uint8_t {
    request,  ///< An operator asked for it.
    /// An operator accepted the store that nodes ahead of us know. Every task gets a new
    /// generation, because the numbers of another or later store have no meaning here.
    accepted_store,
    drains,       ///< Our own decision: drained nodes have no instances any more.
    records,      ///< The records of nodes changed, and their rows must follow.
    pools,        ///< Our own decision about the size of pools.
    resignation,  ///< An operator wants another coordinator to lead.
};

/// The rows that one change writes, and what their owners need besides. All of it takes effect
/// together, once it is durable.
struct Change {
    ChangeOrigin origin = ChangeOrigin::request;
    RowsOfEachKind rows{};
    Occasion why{};  ///< For deleted records, cleared scores, and the end of a freeze.
    std::vector<std::string> forgiven{};  ///< Nodes whose flap scores are cleared.

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

/// The change of a request, and its answer once that change is durable.
struct Answered {
    Change change;
    ReplyBody reply;
};

}  // namespace muster::coordinator
