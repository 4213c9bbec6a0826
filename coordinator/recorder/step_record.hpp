#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/coordinator.hpp"

/// The records of a file, behind its state: an input, then what came of it, unless that is nothing.
namespace muster::coordinator {

/// The first record of each file; the second is what save_core() gave.
struct RecordHead {
    std::string version;  ///< Of the program that wrote it.
    Instant began{};
};

struct Heard {
    Instant now{};
    Input input;
};

/// What a core decided, whole; of what else it said, the checksum.
struct Outcome {
    std::uint64_t others = 0;  ///< Polls, writes for the store, answers to operators.
    bool closed_term = false;
    std::vector<ToAgent> messages;
    std::vector<Event> events;
    std::optional<std::string> resign;
};

[[nodiscard]] bool same_decisions(const Outcome& a, const Outcome& b);

using Step = std::variant<Heard, Outcome>;

/// Makes records. Its memory is used again: each is valid until the next.
class StepEncoder {
public:
    [[nodiscard]] std::string_view head(const RecordHead& head);
    [[nodiscard]] std::string_view input(Instant now, const Input& input);
    /// Empty: nothing came of it. Equal outputs have equal bytes.
    [[nodiscard]] std::string_view outcome(const Output& output);

private:
    std::string bytes_;
    std::string others_;
    std::string scratch_;
};

[[nodiscard]] Result<RecordHead> decode_head(std::string_view record);
[[nodiscard]] Result<Step> decode_step(std::string_view record);

}  // namespace muster::coordinator
