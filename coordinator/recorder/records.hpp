#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/io.hpp"

/// The records of a file, behind its state: an input, then what came of it, unless that is nothing.
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

/// What a core decided, whole; of what else it said, the checksum.
struct Outcome {
    std::uint64_t others = 0;  ///< Polls, writes for the store, answers to operators.
    bool closed_round = false;
    std::vector<ToAgent> messages;
    std::vector<Event> events;
    std::optional<std::string> resign;
};

}  // namespace muster::coordinator
