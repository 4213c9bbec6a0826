#include "coordinator/core/nodes/node_set.hpp"

#include <bit>

namespace muster::coordinator {

NodeSet::NodeSet(std::size_t nodes)
    : words_(nodes / word_bits + 1), summary_(words_.size() / word_bits + 1) {}

void NodeSet::grow(std::size_t nodes) {
    if (nodes / word_bits >= words_.size()) {
        words_.resize(nodes / word_bits + 1);
        summary_.resize(words_.size() / word_bits + 1);
    }
}

/// The first word at or after `from` that is not 0; the number of words if there is none.
std::uint32_t NodeSet::next_word(std::uint32_t from) const {
    const auto none = static_cast<std::uint32_t>(words_.size());
    std::uint32_t group = from / word_bits;
    if (from >= none) {
        return none;
    }
    std::uint64_t words = summary_[group] & (all_bits << (from % word_bits));
    while (words == 0) {
        if (++group >= summary_.size()) {
            return none;
        }
        words = summary_[group];
    }
    return group * word_bits + static_cast<std::uint32_t>(std::countr_zero(words));
}

Rank NodeSet::next(Rank from) const {
    std::uint32_t word = from / word_bits;
    if (count_ == 0 || word >= words_.size()) {
        return no_rank;
    }
    std::uint64_t bits = words_[word] & (all_bits << (from % word_bits));
    if (bits == 0) {
        word = next_word(word + 1);
        if (word >= words_.size()) {
            return no_rank;
        }
        bits = words_[word];
    }
    return word * word_bits + static_cast<std::uint32_t>(std::countr_zero(bits));
}

Rank NodeSet::next(Rank from, std::span<const NodeSet* const> others) const {
    if (count_ == 0) {
        return no_rank;
    }
    std::uint64_t mask = all_bits << (from % word_bits);
    for (std::uint32_t word = from / word_bits; word < words_.size(); word = next_word(word + 1)) {
        std::uint64_t bits = words_[word] & mask;
        for (const NodeSet* other : others) {
            bits &= other->words_[word];
        }
        if (bits != 0) {
            return word * word_bits + static_cast<std::uint32_t>(std::countr_zero(bits));
        }
        mask = all_bits;
    }
    return no_rank;
}

}  // namespace muster::coordinator
