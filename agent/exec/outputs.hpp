#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <sys/types.h>
#include <thread>

#include "common/file_descriptor.hpp"
#include "common/ids.hpp"
#include "common/limits.hpp"
#include "common/result.hpp"

namespace muster {

struct OutputBounds {
    std::size_t bytes = limits::output_bytes;  ///< A file above this is cut.
    std::size_t tail_bytes = limits::output_tail_bytes;
    std::size_t ended_kept = limits::ended_outputs;
};

/// The files that tasks write into, bounded while they are written and after.
///
///     <task>.<ordinal>.out, .err       appended by the task itself
///     <task>.<ordinal>.out.1, .err.1   the end of what was cut off last
///
/// The kernel says which files were written (inotify); one that is too large is cut: its end
/// becomes the `.1`, it is made empty, and a first line says so. A task holds its file open for
/// appending, so it goes on at the new beginning and notices nothing.
///
/// Of instances that are no more, the files of the last `ended_kept` stay.
///
/// A task can put anything in the place of its output: what is no regular file is neither opened
/// nor followed, and is removed when a file is needed there.
///
/// Weaknesses: a file grows past its bound by what is written until it is cut; what is written
/// between the copy of the end and the cut is lost (docs/adr/0005-outputs-are-cut-in-place.md).
///
/// A thread of its own cuts, because the kernel makes who cuts a file wait for who floods it. All
/// else is called by the owner's thread. SIGCHLD must be blocked before open().
class Outputs {
public:
    explicit Outputs(OutputBounds bounds) : bounds_{bounds} {}
    ~Outputs();
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;

    /// Makes the directory and bounds what an earlier life left in it.
    [[nodiscard]] Result<void> open(const std::string& directory);

    /// The file that one output (`.out`, `.err`) of this instance is appended to.
    [[nodiscard]] Result<FileDescriptor> open_for(const InstanceId& id, const char* kind);

    /// The instance is no more: its files stay until so many others have ended after it.
    void ended(const InstanceId& id);

private:
    // ---- by the thread, and before it ----
    void watch();
    void look_at_written();
    void look_at(const std::string& name);
    void look_at_all();
    void cut(const std::string& name);
    [[nodiscard]] bool keep_tail(const FileDescriptor& from, const std::string& name,
                                 off_t size) const;

    // ---- by both ----
    [[nodiscard]] FileDescriptor open_anew(const std::string& name, int flags) const;
    void remove(const std::string& name) const;

    void find_ended();
    void remember_ended(const std::string& instance);

    OutputBounds bounds_;
    std::string path_;
    FileDescriptor directory_;
    FileDescriptor written_;         // inotify, on the directory.
    FileDescriptor stop_;            // eventfd.
    FileDescriptor spare_;           // To cut also when no more files can be opened.
    std::deque<std::string> ended_;  // Instances without a process, in the order of their end.
    std::thread watcher_;            // Last: it uses what is above, and but for ended_.
};

}  // namespace muster
