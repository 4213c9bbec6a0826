#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/store/mirror.hpp"

namespace muster::coordinator {

/// All rows of a store at one moment.
struct WholeContent {
    std::unique_ptr<Mirror> rows;
    std::vector<std::string> notes;  ///< What else a person may want to know, in sentences.
};

/// A durable store as operators' tools use it, one for each kind of store: read whole, or written
/// whole, without a coordinator.
class WholeStore {
public:
    WholeStore() = default;
    virtual ~WholeStore() = default;
    WholeStore(const WholeStore&) = delete;
    WholeStore& operator=(const WholeStore&) = delete;

    /// For sentences: `the store '/x/store.sqlite'`.
    [[nodiscard]] virtual std::string name() const = 0;

    /// Also while a coordinator leads. `not_found`: there is none.
    [[nodiscard]] virtual Result<WholeContent> read() = 0;
    /// `refused`: something is there already.
    [[nodiscard]] virtual Result<void> check_empty() = 0;
    /// `refused`: a coordinator leads.
    [[nodiscard]] virtual Result<void> check_unled() = 0;

    /// From now on no coordinator leads, until this object ends. `refused`: one does.
    [[nodiscard]] virtual Result<void> claim() = 0;
    /// Of an empty store that was claimed: all rows, or none.
    [[nodiscard]] virtual Result<void> write(const Mirror& rows) = 0;
    /// Of a store that was claimed: it stays, but no coordinator will lead with it, because all
    /// moved to `successor`. How to undo that.
    [[nodiscard]] virtual Result<std::string> retire(const std::string& successor) = 0;
};

}  // namespace muster::coordinator
