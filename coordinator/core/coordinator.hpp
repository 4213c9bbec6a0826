#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

class Listing;
class Rooms;

/// The leader's whole mind: who is there, what is wanted, what is reported, what to order.
///
///     message or request -> state -> plan -> commands, polls, persist, replies, events
///
/// Pure: no clock, no I/O, no thread. One instance is one leadership: `image.meta` already holds
/// its epoch and leader id, written by the store in the transaction that won it.
class Coordinator {
public:
    Coordinator(Instant now, CoordinatorOptions options, const StoreImage& image);
    ~Coordinator();
    Coordinator(const Coordinator&) = delete;
    Coordinator& operator=(const Coordinator&) = delete;

    [[nodiscard]] Output step(Instant now, const Input& input);

    /// Adds some rows to a list. False: it is whole. It changes nothing, so it is no step.
    [[nodiscard]] bool go_on(Instant now, Listing& list) const;

    /// When step() wants to be called next, if no input comes earlier.
    [[nodiscard]] Instant next_deadline() const;

    /// A large change is only begun: its state is not to be recorded.
    [[nodiscard]] bool is_amid_change() const;

    /// The number of the last write that became durable and is in effect: what is ordered follows
    /// from it and from those before it alone.
    [[nodiscard]] std::uint64_t last_in_effect() const;

    /// What the core holds in two places and does not agree on, a sentence each: its bugs.
    [[nodiscard]] std::vector<std::string> contradictions() const;

private:
    friend struct CoreFields;  // Which records it.

    std::unique_ptr<Rooms> rooms_;
};

}  // namespace muster::coordinator
