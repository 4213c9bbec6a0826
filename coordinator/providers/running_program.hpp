#pragma once

#include <array>
#include <cstddef>
#include <poll.h>
#include <span>
#include <string>
#include <utility>

#include "coordinator/providers/contract.hpp"
#include "coordinator/providers/start_program.hpp"

namespace muster::coordinator {

/// One program from its start until it was reaped. It is fed, and what it prints is kept, within
/// bounds. Nothing here blocks.
///
/// The program has ended when its first process has. Then its answer is complete, whoever else
/// holds its standard output, and what is left of its group is killed: else each call could leave
/// processes behind. A process that is to live on begins a session of its own.
class RunningProgram {
public:
    static constexpr std::size_t files = 4;

    RunningProgram(StartedProgram started, std::string input)
        : started_{std::move(started)}, unsent_{std::move(input)} {}
    /// Kills it, unless it has ended.
    ~RunningProgram();
    RunningProgram(const RunningProgram&) = delete;
    RunningProgram& operator=(const RunningProgram&) = delete;

    /// What to wait for.
    [[nodiscard]] std::array<pollfd, files> waits_for() const;
    /// Does what is possible now.
    void work(std::span<const pollfd, files> ready);

    /// With its whole group. What it still prints is not read.
    void kill();
    [[nodiscard]] bool has_printed_too_much() const;
    [[nodiscard]] bool has_ended() const { return has_ended_; }
    /// Once it has.
    [[nodiscard]] const ProgramEnd& end() const { return end_; }

private:
    void write_input();
    bool read_output();
    bool read_errors();
    void finish();

    StartedProgram started_;
    std::string unsent_;
    bool has_ended_ = false;
    ProgramEnd end_;
};

}  // namespace muster::coordinator
