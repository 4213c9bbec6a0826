#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "coordinator/core/ledger/overlay.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// True of a row that decides nothing: at most it says why there once was an intent.
[[nodiscard]] bool decides_nothing(const StoredIntent& row);
/// True of a drain whose deadline is over.
[[nodiscard]] bool is_past(const StoredIntent& row, CivilMs now);
/// True of a row that says no more than no row does: it is not stored.
[[nodiscard]] bool says_nothing(const StoredIntent& row);

/// What operators decided of names, as durable, and as it will be when all on its way is: so two
/// changes that follow each other quickly do not both see the world before either.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class Intents {
public:
    explicit Intents(std::span<const StoredIntent> stored);

    /// The row of a name, which says nothing if nobody decided anything.
    [[nodiscard]] StoredIntent durable(std::string_view name) const;
    [[nodiscard]] StoredIntent proposed(std::string_view name) const;
    /// Its record ends, or the name may not join, once all on its way is durable.
    [[nodiscard]] bool is_removed(std::string_view name) const;
    /// Names that may not join then.
    [[nodiscard]] std::size_t removed() const { return removed_; }
    /// Names that are listed, as durable.
    [[nodiscard]] std::size_t listed() const { return listed_; }
    /// The same once all on its way is durable.
    [[nodiscard]] std::size_t listed_soon() const { return listed_soon_; }
    /// The durable rows, in the order of their names.
    [[nodiscard]] const std::map<std::string, Shared<StoredIntent>, std::less<>>& rows() const {
        return rows_;
    }

    /// Calls `see(name)` for each name that is listed by a row on its way, in order.
    void each_coming(auto&& see) const {
        overlay_.each([&](const std::string& name, const Proposal& proposal) {
            if (proposal.row->admission == Admission::listed) {
                see(name);
            }
        });
    }

    /// The Persist of this number holds the row.
    void propose(std::uint64_t number, const Shared<StoredIntent>& row);
    /// With it the record of the name ends, whatever its row says.
    void propose_removal(std::uint64_t number, std::string_view name);
    /// It is durable now.
    void take_effect(const Shared<StoredIntent>& row);
    /// Its node is forgotten: what was decided stays, a reason given in the past does not.
    void forget(std::string_view name);
    /// Everything up to this number has taken effect.
    void confirm(std::uint64_t number) { overlay_.confirm(number); }

private:
    friend struct CoreFields;  // Which records it.

    struct Proposal {
        Shared<StoredIntent> row;
        bool removes = false;
    };

    std::map<std::string, Shared<StoredIntent>, std::less<>> rows_;
    Overlay<Proposal> overlay_;
    std::size_t removed_ = 0;
    std::size_t listed_ = 0;
    std::size_t listed_soon_ = 0;
};

}  // namespace muster::coordinator
