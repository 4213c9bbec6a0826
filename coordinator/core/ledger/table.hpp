#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/ledger/overlay.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The durable rows of one kind, by name.
template <class Row>
class DurableRows {
public:
    /// Read access to a row; null: there is none.
    using View = const Row*;

    explicit DurableRows(std::span<const Row> stored) {
        for (const Row& row : stored) {
            rows_.emplace_hint(rows_.end(), key_of(row), row);
        }
    }

    [[nodiscard]] static View view(const Row& row) { return &row; }
    [[nodiscard]] View find(std::string_view name) const {
        const auto found = rows_.find(name);
        return found == rows_.end() ? nullptr : &*found->second;
    }
    /// Calls `visit(name, row)` for each, in the order of names.
    void each(auto&& visit) const {
        for (const auto& [name, row] : rows_) {
            visit(name, *row);
        }
    }
    /// A null row erases. Returns the row before. Fastest if rows come in the order of names.
    Shared<Row> put(std::string_view name, Shared<Row> row) {
        const auto place = rows_.emplace_hint(rows_.end(), name, Shared<Row>{});
        Shared<Row> before = std::exchange(place->second, std::move(row));
        if (!place->second) {
            rows_.erase(place);
        }
        return before;
    }

private:
    friend struct CoreFields;

    std::map<std::string, Shared<Row>, std::less<>> rows_;
};

/// What a table counts or finds beside the names of its rows. Most kinds of rows need nothing. A
/// row that is replaced is removed first.
template <class Row>
struct RowCount {
    void add(const Row& /*row*/) {}
    void remove(const Row& /*row*/) {}
};

/// A pending row; null: the row is erased.
template <class Row>
struct Proposal {
    Shared<Row> row{};
    bool ends = false;  ///< This write also deletes the record of the name.
};

/// The rows of one kind: as durable, and as proposed, that is, with all pending writes. Changes are
/// checked against the proposed rows, so that the second of two quick changes sees the first.
template <class Row>
class Table {
public:
    using View = typename DurableRows<Row>::View;

    explicit Table(DurableRows<Row> durable) : durable_{std::move(durable)} {
        durable_.each([&](std::string_view /*name*/, const auto& row) { now_.add(row); });
        soon_ = now_;
    }

    /// The row as durable, and as proposed; a default row if there is none.
    [[nodiscard]] Row durable(std::string_view name = {}) const {
        return copy_of(durable_.find(name), name);
    }
    [[nodiscard]] Row proposed(std::string_view name = {}) const {
        return copy_of(find(name), name);
    }
    /// The row as proposed; null: there is none.
    [[nodiscard]] View find(std::string_view name) const {
        if (const Proposal<Row>* const proposal = proposals_.find(name)) {
            return proposal->row ? DurableRows<Row>::view(*proposal->row) : View{};
        }
        return durable_.find(name);
    }
    /// Calls `visit(name, row)` for each row as proposed: first those that no pending write
    /// changes.
    void each(auto&& visit) const {
        durable_.each([&](std::string_view name, const auto& row) {
            if (proposals_.find(name) == nullptr) {
                visit(name, row);
            }
        });
        proposals_.each([&](std::string_view name, const Proposal<Row>& proposal) {
            if (proposal.row) {
                visit(name, *DurableRows<Row>::view(*proposal.row));
            }
        });
    }
    [[nodiscard]] const DurableRows<Row>& rows() const { return durable_; }
    [[nodiscard]] const Overlay<Proposal<Row>>& proposals() const { return proposals_; }
    /// The counts of the durable rows, and of the proposed rows.
    [[nodiscard]] const RowCount<Row>& count() const { return now_; }
    [[nodiscard]] const RowCount<Row>& count_soon() const { return soon_; }

    /// The Persist of this number holds these rows.
    void propose(std::uint64_t number, const Rows<Row>& rows) {
        for (const Shared<Row>& row : rows.put) {
            propose(number, key_of(*row), {.row = row});
        }
        for (const std::string& name : rows.erased) {
            propose(number, name, {});
        }
    }
    /// The record of the name ends with the Persist of this number.
    void propose_end(std::uint64_t number, std::string_view name) {
        proposals_.put(number, name, {.row = proposed(name), .ends = true});
    }
    /// These rows are durable now. Rows with another owner are changed by that owner.
    void apply(const Rows<Row>& rows) requires requires(DurableRows<Row> own) { own.put({}, {}); }
    {
        for (const Shared<Row>& row : rows.put) {
            apply(key_of(*row), is_default(*row) ? Shared<Row>{} : row);
        }
        for (const std::string& name : rows.erased) {
            erase(name);
        }
    }
    /// Drops a durable row that holds nothing worth keeping.
    void erase(std::string_view name) { apply(name, {}); }
    /// Everything up to this number is durable, and has taken effect.
    void confirm(std::uint64_t number) { proposals_.confirm(number); }

private:
    friend struct CoreFields;

    static Row copy_of(View row, std::string_view name) { return row ? *row : no_row<Row>(name); }
    void propose(std::uint64_t number, std::string_view name, Proposal<Row> proposal) {
        const Shared<Row> row = proposal.row;
        if (const auto before = proposals_.put(number, name, std::move(proposal))) {
            if (before->row) {
                soon_.remove(*DurableRows<Row>::view(*before->row));
            }
        } else if (const View durable = durable_.find(name)) {
            soon_.remove(*durable);
        }
        if (row) {
            soon_.add(*DurableRows<Row>::view(*row));
        }
    }
    void apply(std::string_view name, Shared<Row> row) {
        const Shared<Row> after = row;
        if (const auto before = durable_.put(name, std::move(row))) {
            now_.remove(*before);
        }
        if (after) {
            now_.add(*after);
        }
    }

    DurableRows<Row> durable_;
    Overlay<Proposal<Row>> proposals_;
    RowCount<Row> now_{};
    RowCount<Row> soon_{};
};

}  // namespace muster::coordinator
