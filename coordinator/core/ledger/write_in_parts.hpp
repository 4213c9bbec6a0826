#pragma once

#include <cstddef>
#include <cstdint>

#include "common/messages/operator.hpp"
#include "coordinator/core/ledger/pending.hpp"

namespace muster::coordinator {

/// A write on its way to the store in parts, so that no step is longer than one part takes. The
/// first brings the Meta, the last the reply, and the store makes all of them durable together.
///
/// Only a change of tasks that was asked for is divided: by the lines of its reply, which are in
/// the order of its rows.
class WriteInParts {
public:
    /// `before`: the number of the last write that was given before it.
    WriteInParts(PendingWrite whole, std::size_t lines_of_part, std::uint64_t before);

    [[nodiscard]] std::uint64_t before() const { return before_; }

    /// All of it was taken.
    [[nodiscard]] bool is_over() const { return is_over_; }
    /// The next part. Only one that is the whole write may write nothing.
    [[nodiscard]] PendingWrite take();
    /// All that was not taken, with the tickets.
    [[nodiscard]] PendingWrite take_rest();

private:
    PendingWrite whole_;
    const ChangeReply* told_ = nullptr;  // None: the write is not divided.
    std::size_t lines_of_part_;
    std::uint64_t before_;
    std::size_t line_ = 0;
    std::size_t put_ = 0;
    std::size_t erased_ = 0;
    bool is_over_ = false;
};

}  // namespace muster::coordinator
