#pragma once

#include <string>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/exec/log_reader.hpp"
#include "agent/worker.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Reads of the host what operators want to know of it, on a thread of its own, each in its turn.
class Readings {
public:
    /// `logs`: the directory of the files that shims write.
    explicit Readings(std::string logs)
        : logs_{std::move(logs)}, worker_{[this](const Reading& job) { return read(job); }} {}

    /// The answer, if it can be given at once: too many wait.
    [[nodiscard]] std::vector<AgentMessage> submit(Reading reading);

    /// Readable when collect() has something.
    [[nodiscard]] int fd() const { return worker_.fd(); }
    /// The answers, to be sent to the coordinator.
    [[nodiscard]] std::vector<AgentMessage> collect() { return worker_.collect(); }

private:
    [[nodiscard]] AgentMessage read(const Reading& job) const;

    LogReader logs_;
    Worker<Reading, AgentMessage> worker_;  // Last: it uses what is above.
};

}  // namespace muster::agent
