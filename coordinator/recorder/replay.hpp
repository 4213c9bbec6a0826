#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "coordinator/recorder/record_file.hpp"
#include "coordinator/recorder/step_record.hpp"

namespace muster::coordinator {

/// Repeats a recorded run: the same inputs at the same times, to a core with the recorded state.
class Replay {
public:
    /// Of a whole file, whose bytes outlive this. `malformed`: it is not a record, or its beginning
    /// cannot be read.
    [[nodiscard]] static Result<Replay> open(std::string_view bytes);

    /// An input, its recorded outcome, and the outcome now.
    struct Done {
        RecordedInput recorded;
        std::optional<Outcome> was{};  ///< Nothing: the outcome was empty.
        std::optional<Outcome> is{};

        /// The outcome of the very last input is unknown: the coordinator may have died of the
        /// input. An unknown outcome differs from an empty one.
        bool output_differs = false;    ///< Any byte differs.
        bool decision_differs = false;  ///< Orders, events or the end of its leadership.
    };
    /// The next input. Nothing at the end, and when the next one is later than `until`.
    [[nodiscard]] Result<std::optional<Done>> step(Instant until = Instant::max());

    [[nodiscard]] const RecordHead& head() const { return head_; }
    /// The time of the last input.
    [[nodiscard]] Instant now() const { return now_; }
    /// The civil time of the coordinator's host; 0: the record has none.
    [[nodiscard]] CivilMs civil(Instant at) const;
    [[nodiscard]] Coordinator& core() { return *core_; }
    [[nodiscard]] const Coordinator& core() const { return *core_; }

private:
    Replay(RecordReader reader, RecordHead head, std::unique_ptr<Coordinator> core)
        : reader_{reader}, head_{std::move(head)}, core_{std::move(core)}, now_{head_.began} {}

    void find_civil_time();
    void take_civil_time(const RecordedInput& recorded);
    [[nodiscard]] Result<std::optional<std::string_view>> peek();
    [[nodiscard]] Result<void> expect_checks();
    [[nodiscard]] Result<std::optional<Done>> compare(Done done);

    RecordReader reader_;
    RecordHead head_;
    std::unique_ptr<Coordinator> core_;
    Instant now_;
    std::optional<std::string_view> ahead_;     // Read, but not returned yet.
    std::optional<std::int64_t> civil_offset_;  // Milliseconds from now() to civil time.
    StepEncoder encoder_;
    std::string_view is_;  // The outcome of the last input now.
};

}  // namespace muster::coordinator
