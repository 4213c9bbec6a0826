#pragma once

#include <string>
#include <string_view>

#include "agent/core/agent.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// The one directory an agent owns: its memory, and a lock that keeps a second agent off it.
///
/// The memory is a small text file that is replaced as a whole: written beside, synced, renamed,
/// and the directory synced. So after a power cut it is the old one or the new one.
class StateDirectory {
public:
    /// Makes and locks it. Refused when another agent holds it.
    [[nodiscard]] static Result<StateDirectory> open(const std::string& path);
    /// Waits until no agent holds it.
    static void await_release(const std::string& path);

    /// None yet: a memory of nothing. A damaged file is refused: what it held cannot be guessed.
    [[nodiscard]] Result<AgentMemory> read_memory() const;
    [[nodiscard]] Result<void> write_memory(const AgentMemory& memory);

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    StateDirectory(std::string path, FileDescriptor directory, FileDescriptor lock);
    [[nodiscard]] bool replace_memory(std::string_view text) const;

    std::string path_;
    FileDescriptor directory_;
    FileDescriptor lock_;
    FileDescriptor spare_ = spare_file();  // Without a memory nothing is obeyed any more.
};

/// The text of the file, and back.
[[nodiscard]] std::string to_text(const AgentMemory& memory);
[[nodiscard]] Result<AgentMemory> memory_from_text(std::string_view text);

}  // namespace muster::agent
