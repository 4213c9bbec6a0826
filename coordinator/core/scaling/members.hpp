#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::coordinator {

/// The nodes of each defined pool that serve, in the order in which they began to.
class Members {
public:
    struct OfPool {
        std::uint64_t version = 0;  ///< Higher with each change, also of a definition made anew.
        std::vector<std::string> nodes;
    };
    struct Change {
        std::vector<std::string> joined;
        std::vector<std::string> left;

        [[nodiscard]] bool empty() const { return joined.empty() && left.empty(); }
    };

    /// These serve now. Those that are new are added in their order here.
    Change update(const std::string& pool, const std::vector<std::string>& serving);
    void forget(const std::string& pool) { pools_.erase(pool); }
    /// Null: nothing is known of the pool yet.
    [[nodiscard]] const OfPool* find(const std::string& pool) const;

private:
    friend struct CoreFields;

    std::map<std::string, OfPool> pools_;
    std::uint64_t last_version_ = 0;  // Of all pools.
};

/// `joined: a, b; left: c`, with at most a few names.
[[nodiscard]] std::string describe(const Members::Change& change);
/// `a, b, c and 4 more`.
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace muster::coordinator
