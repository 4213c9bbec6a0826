#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::coordinator {

/// A node's position among all known nodes in the order of their names. A rank, not an index, so
/// that the order in which nodes joined does not affect a plan.
using Rank = std::uint32_t;
inline constexpr Rank no_rank = ~Rank{0};

/// A set of nodes by rank: a bit for each, and a summary with a bit for each word that is not 0. So
/// the next member is found in a few steps at 20,000 nodes, and adding or removing a member changes
/// two bits.
///
/// A value. Sets that are used together have the same number of nodes.
class NodeSet {
public:
    NodeSet() : NodeSet{0} {}
    explicit NodeSet(std::size_t nodes);
    /// Makes room for this many nodes. A set never shrinks.
    void grow(std::size_t nodes);

    void set(Rank at) {
        std::uint64_t& word = words_[at / word_bits];
        if ((word & bit(at)) == 0) {
            word |= bit(at);
            summary_[at / word_bits / word_bits] |= bit(at / word_bits);
            count_ += 1;
        }
    }
    void reset(Rank at) {
        std::uint64_t& word = words_[at / word_bits];
        if ((word & bit(at)) == 0) {
            return;
        }
        word &= ~bit(at);
        count_ -= 1;
        if (word == 0) {
            summary_[at / word_bits / word_bits] &= ~bit(at / word_bits);
        }
    }
    [[nodiscard]] bool test(Rank at) const {
        return at / word_bits < words_.size() && (words_[at / word_bits] & bit(at)) != 0;
    }
    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }

    /// The first member at or after `from`.
    [[nodiscard]] Rank next(Rank from) const;
    /// The first member at or after `from` that is also in each of the others.
    [[nodiscard]] Rank next(Rank from, std::span<const NodeSet* const> others) const;

    friend bool operator==(const NodeSet&, const NodeSet&) = default;

private:
    friend struct CoreFields;

    static constexpr std::uint32_t word_bits = 64;
    static constexpr std::uint64_t all_bits = ~std::uint64_t{0};
    [[nodiscard]] static constexpr std::uint64_t bit(std::uint32_t at) {
        return std::uint64_t{1} << (at % word_bits);
    }
    [[nodiscard]] std::uint32_t next_word(std::uint32_t from) const;

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> summary_;
    std::uint32_t count_ = 0;
};

}  // namespace muster::coordinator
