#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/recorder/record_file.hpp"
#include "coordinator/recorder/step_record.hpp"

namespace muster::coordinator {

struct RecordOptions {
    std::string directory;
    std::uint64_t most_bytes = std::uint64_t{256} << 20U;  ///< Of all files; the oldest go first.
    std::string version{};                                 ///< Of the program.
};

/// The flight recorder: every input of a core with its time, and its outcome, so that Replay
/// repeats the run exactly. Each file begins with the whole state of the core, so any file is
/// enough. Inputs are written before the core sees them: the record of a crash ends with the input
/// that caused it.
///
/// A failed write never stops the coordinator: recording ends, and begins again after a while.
class Recorder {
public:
    explicit Recorder(RecordOptions options);

    /// Called before the core steps.
    void record_input(Instant now, const Input& input, const Coordinator& core);
    /// Called after the core stepped.
    void record_output(const Output& output);

    /// Why nothing is recorded at present.
    [[nodiscard]] const std::optional<std::string>& trouble() const { return trouble_; }

    static constexpr Duration retry_after = 10s;
    static constexpr Duration check_interval = 5s;  ///< How often the file is checked.

private:
    struct Kept {
        std::string path;
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] Result<void> begin_file(Instant now, const Coordinator& core);
    void end_file();
    void check_record_file(Instant now);
    void give_up(const Error& why, Instant again);
    void find_files();
    void drop_oldest(std::uint64_t needed);
    void add(std::string_view record);

    RecordOptions options_;
    std::optional<RecordFile> file_;
    std::string path_;               // Of the file.
    std::uint64_t file_most_ = 0;    // At this size the next file begins.
    std::vector<Kept> kept_;         // Earlier files, the oldest first.
    std::uint64_t last_number_ = 0;  // The number of the last file.
    std::optional<std::string> trouble_;
    Instant again_{};  // The next attempt after trouble.
    Instant next_check_{};
    Instant now_{};
    StepEncoder encoder_;
};

}  // namespace muster::coordinator
