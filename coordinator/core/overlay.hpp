#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/ensure.hpp"

namespace muster {

/// What is on its way to the store, the latest of each name.
///
/// Pure: no clock, no I/O, no thread.
template <class Row>
class Overlay {
public:
    /// The row that is on its way, or null.
    [[nodiscard]] const Row* find(std::string_view name) const {
        const auto found = rows_.find(name);
        return found == rows_.end() ? nullptr : &found->second.row;
    }
    /// Calls `see(name, row)` for each, in the order of names.
    void each(auto&& see) const {
        for (const auto& [name, entry] : rows_) {
            see(name, entry.row);
        }
    }

    /// The Persist of this number holds the row.
    void put(std::uint64_t number, std::string_view name, Row row) {
        ensure(written_.empty() || written_.back().first <= number, "writes come in order");
        written_.emplace_back(number, name);
        // What comes together comes in order: it is the last, and is confirmed as the first.
        rows_.insert_or_assign(rows_.end(), std::string{name}, Entry{number, std::move(row)});
    }
    /// Everything up to this number has taken effect.
    void confirm(std::uint64_t number) {
        while (!written_.empty() && written_.front().first <= number) {
            const std::string& name = written_.front().second;
            auto found = rows_.begin();
            if (found != rows_.end() && found->first != name) {
                found = rows_.find(name);
            }
            // A later row of the same name is still pending: that one stays in sight.
            if (found != rows_.end() && found->second.number <= number) {
                rows_.erase(found);
            }
            written_.pop_front();
        }
    }

private:
    struct Entry {
        std::uint64_t number = 0;
        Row row;
    };

    std::map<std::string, Entry, std::less<>> rows_;
    std::deque<std::pair<std::uint64_t, std::string>> written_;  // In the order of the numbers.
};

}  // namespace muster
