#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/core/pools/forecast/need_sample.hpp"

namespace muster::coordinator {

/// The nodes of each defined pool that serve, in the order in which they began to.
class Members {
public:
    struct Member {
        std::string node;
        std::string address;
        Amount amount = 0;

        friend bool operator==(const Member&, const Member&) = default;
    };
    struct Joined {
        Member member;
        std::uint64_t in_version = 0;
    };
    struct Left {
        std::string node;
        std::uint64_t in_version = 0;
    };
    struct OfPool {
        std::uint64_t version = 0;  ///< Higher with each change, also of a pool defined again.
        std::vector<Joined> nodes;  ///< By their versions.
        std::deque<Left> left{};    ///< The last ones, by their versions.
        std::uint64_t left_known_since = 0;  ///< After this version `left` has all.
    };
    struct Change {
        std::vector<std::string> joined;
        std::vector<std::string> left;

        [[nodiscard]] bool empty() const { return joined.empty() && left.empty(); }
    };
    static constexpr std::size_t most_left = 256;  ///< Of each pool are kept.

    /// These serve now. Those that are new are added in their order here. One with another address
    /// or amount has left, and is added again.
    Change update(const std::string& pool, const std::vector<Member>& serving);
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
