#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/io.hpp"

/// The records of a file after its state: an input, then its outcome, unless that is empty.
namespace muster::coordinator {

/// The first record of each file; the second is what save_core() gave.
struct RecordHead {
    std::string version;  ///< Of the program that wrote it.
    Instant began{};
};

struct RecordedInput {
    Instant now{};
    Input input;
};

/// Decisions of a core in full, and the checksum of its other outputs. A start has no tag: a record
/// must not contain the key, so a replay could not make it.
struct Outcome {
    std::uint64_t others = 0;  ///< Polls, writes for the store, answers to operators.
    bool closed_round = false;
    std::vector<ToAgent> messages;
    std::vector<Event> events;
    std::optional<std::string> resign;
    std::string proof_checks{};  ///< As in Output.
};

}  // namespace muster::coordinator
