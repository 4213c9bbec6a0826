#pragma once

#include <string>
#include <string_view>

#include "agent/core/agent.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// The directory of one agent: its memory, and a lock that excludes a second agent.
///
/// The memory is a small text file that is replaced as a whole: written beside, synced and renamed,
/// then the directory is synced. After a power failure it is the old one or the new one.
class StateDirectory {
public:
    /// Creates and locks the directory. Refused if another agent holds it.
    [[nodiscard]] static Result<StateDirectory> open(const std::string& path);
    /// Waits until no agent holds the directory.
    static void await_release(const std::string& path);

    /// No file yet: an empty memory. A damaged file is an error, because its content cannot be
    /// guessed.
    [[nodiscard]] Result<AgentMemory> read_memory() const;
    [[nodiscard]] Result<void> write_memory(const AgentMemory& memory);

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    StateDirectory(std::string path, FileDescriptor directory, FileDescriptor lock);
    [[nodiscard]] bool replace_memory(std::string_view text) const;

    std::string path_;
    FileDescriptor directory_;
    FileDescriptor lock_;
    FileDescriptor spare_ = spare_file();  // For the memory: without it the agent obeys no command.
};

/// The text of the file, and back.
[[nodiscard]] std::string to_text(const AgentMemory& memory);
[[nodiscard]] Result<AgentMemory> memory_from_text(std::string_view text);

}  // namespace muster::agent
