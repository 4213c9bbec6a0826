#pragma once

#include <cstddef>
#include <cstdint>

#include "common/messages/operator.hpp"
#include "coordinator/core/ledger/pending.hpp"

namespace muster::coordinator {

/// A large write that goes to the store in parts, so that no step takes longer than one part. The
/// first part has the Meta, the last has the reply, and the store makes all parts durable together.
///
/// Only a request that changes tasks is divided: by the lines of its reply, which are in the order
/// of its rows.
class WriteInParts {
public:
    /// `before`: the number of the last write before this one.
    WriteInParts(PendingWrite whole, std::size_t lines_of_part, std::uint64_t before);

    [[nodiscard]] std::uint64_t before() const { return before_; }

    /// All parts were taken.
    [[nodiscard]] bool is_over() const { return is_over_; }
    /// Takes the next part. A part may be empty only if it is the whole write.
    [[nodiscard]] PendingWrite take();
    /// Takes all that was not taken yet, with the tickets.
    [[nodiscard]] PendingWrite take_rest();

private:
    PendingWrite whole_;
    const ChangeReply* reply_ = nullptr;  // None: the write is not divided.
    std::size_t lines_of_part_;
    std::uint64_t before_;
    std::size_t line_ = 0;
    std::size_t put_ = 0;
    std::size_t erased_ = 0;
    bool is_over_ = false;
};

}  // namespace muster::coordinator
