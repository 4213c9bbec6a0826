#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

/// Pending rows, the latest of each name.
template <class Row>
class Overlay {
public:
    /// The pending row, or null.
    [[nodiscard]] const Row* find(std::string_view name) const {
        const auto found = rows_.find(name);
        return found == rows_.end() ? nullptr : &found->second.row;
    }
    /// Calls `visit(name, row)` for each, in the order of names.
    void each(auto&& visit) const {
        for (const auto& [name, entry] : rows_) {
            visit(name, entry.row);
        }
    }

    /// The Persist of this number holds the row. Returns the pending row that it replaces. Fastest
    /// if rows come in the order of names.
    std::optional<Row> put(std::uint64_t number, std::string_view name, Row row) {
        ensure(written_.empty() || written_.back().first <= number, "writes come in order");
        const std::size_t others = rows_.size();
        const auto place = rows_.emplace_hint(rows_.end(), name, Entry{});
        Entry& entry = place->second;
        if (std::exchange(entry.number, number) != number) {
            written_.emplace_back(number, place);
        }
        std::optional before{std::exchange(entry.row, std::move(row))};
        return rows_.size() > others ? std::nullopt : std::move(before);
    }
    /// Everything up to this number has taken effect.
    void confirm(std::uint64_t number) {
        while (!written_.empty() && written_.front().first <= number) {
            const auto [written, place] = written_.front();
            written_.pop_front();
            // A later row of the same name is still pending and stays.
            if (place->second.number == written) {
                rows_.erase(place);
            }
        }
    }

private:
    friend struct CoreFields;

    struct Entry {
        std::uint64_t number = 0;  // The last Persist that holds the name.
        Row row{};
    };
    using Rows = std::pmr::map<std::string, Entry, std::less<>>;
    using Pool = std::pmr::unsynchronized_pool_resource;

    std::unique_ptr<Pool> pool_ = std::make_unique<Pool>();  // Many rows come and go at once.
    Rows rows_{pool_.get()};
    std::deque<std::pair<std::uint64_t, typename Rows::iterator>> written_;  // In their order.
};

}  // namespace muster::coordinator
