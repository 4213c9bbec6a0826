#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/providers/program_table.hpp"
#include "coordinator/providers/provider_options.hpp"

namespace muster::coordinator {

/// Runs the programs of providers and predictors. A thread of its own starts and watches them, so
/// that none delays the loop:
///
///     call() --> the thread: a program for each call --> fd() is readable --> take()
///
/// Each call has exactly one answer, unless its leadership ends before. One thread calls all
/// functions. Without a provider or predictor there is no thread.
class ProviderPrograms {
public:
    explicit ProviderPrograms(const OutsideOptions& options);
    /// Waits a little for provisions and removals, then kills what still runs.
    ~ProviderPrograms();
    ProviderPrograms(const ProviderPrograms&) = delete;
    ProviderPrograms& operator=(const ProviderPrograms&) = delete;

    /// A leadership of this cluster begins.
    void begin(const ClusterId& cluster);
    void call(OutsideCall call);
    /// Readable when take() has something.
    [[nodiscard]] int fd() const { return news_.get(); }
    [[nodiscard]] std::vector<OutsideAnswer> take();
    /// The leadership is over. No call of it is answered any more. Lists and predictions are
    /// killed; a provision or a removal goes on until its deadline.
    void cancel_all();

private:
    [[nodiscard]] bool knows(const OutsideCall& call) const;
    void work();
    /// Waits, and does what is then possible. False: the thread is to end.
    [[nodiscard]] bool turn(ProgramTable& table, std::optional<Instant> deadline);
    void deliver(std::vector<ProgramAnswer> answers);

    OutsideOptions options_;
    std::vector<std::string> environment_;
    FileDescriptor news_;    ///< For the loop.
    FileDescriptor orders_;  ///< For the thread.
    ClusterId cluster_{};

    std::vector<pollfd> files_;  ///< Of the thread, as the next one.
    std::uint64_t seen_ = 0;     ///< The leadership of its last turn.

    std::mutex mutex_;  ///< Guards what follows.
    std::uint64_t leadership_ = 0;
    std::vector<ProgramCall> calls_;
    std::vector<OutsideAnswer> answers_;  ///< Of this leadership.
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace muster::coordinator
