#pragma once

#include <sys/types.h>

#include "agent/shim/child.hpp"
#include "agent/shim/order.hpp"
#include "agent/shim/output.hpp"

namespace muster::shim {

/// The files that an agent passes to its shim, with these numbers.
inline constexpr int link_file = 3;    ///< Connected to the agent.
inline constexpr int listen_file = 4;  ///< For later agents.
inline constexpr int logs_file = 5;    ///< Directories.
inline constexpr int ends_file = 6;

/// The parent of one process of a task. It outlives the agent that ordered it:
///
///     waiting -> starting (pre_start, exec) -> running -> leaving (the rest is killed, post_stop)
///                                                              -> ended, until it is released
///
/// It sends its whole state after each change, to the agent that connected last. The shim ends once
/// the end of the task is on disk and an agent has released it. Until then it also keeps the end in
/// memory.
///
/// One thread decides, and never waits for the disk (see Outputs).
class Shim {
public:
    /// Returns when there is nothing left to do.
    void run();

private:
    enum class Stopping : uint8_t { no, asked, killed };

    bool open();
    void turn();
    void set_timer(uint64_t earliest);
    [[nodiscard]] bool is_over() const;

    // The agent.
    void receive();
    void accept_agent();
    void obey(const char* message, size_t size);
    void take_order(size_t size);
    void describe(Writer& state) const;
    void send_state();

    // The task.
    void begin(Command command);
    void not_started(Stage stage, int error_number);
    void on_child_report();
    void reap();
    void command_ended(int status);
    void stop(int number, uint64_t grace_ms);
    void kill_all();
    void leave();
    void carry_out_deadlines();
    void end();
    void drain();

    int signals_ = -1;
    int timer_ = -1;
    int link_ = link_file;
    Order order_;
    Outputs outputs_;
    int out_ = -1;  // The write ends for the task.
    int err_ = -1;

    Phase phase_ = Phase::waiting;
    Stopping stopping_ = Stopping::no;
    bool changed_ = false;
    bool sends_record_ = false;  // A new agent wants the record of its order.
    bool is_released_ = false;
    bool lease_over_ = false;
    bool is_recording_ = false;
    Command command_ = Command::program;  // The present command, if one runs.
    Child child_;
    bool has_begun_ = false;    // A command of the task ran, so post_stop has to clean up.
    bool has_cleaned_ = false;  // The post_stop command has run.
    Failure failure_;

    pid_t pid_ = 0;  // Of the program.
    uint64_t start_ticks_ = 0;
    uint64_t started_ms_ = 0;
    int exit_code_ = -1;
    int exit_signal_ = 0;
    uint64_t ended_ms_ = 0;

    // Boot time in ns; 0: none.
    uint64_t start_due_ = 0;
    uint64_t kill_due_ = 0;
    uint64_t lease_due_ = 0;
    uint64_t sweep_due_ = 0;
    uint64_t hook_due_ = 0;
    uint64_t drain_due_ = 0;
};

}  // namespace muster::shim
