#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "common/spec/spec.hpp"

namespace muster::agent {

/// The agent's number for one process that it ordered. It is never used again while the state
/// exists.
enum class ProcessId : std::uint64_t {};

/// Identifies a process of the host: the kernel reuses a pid, but not both values together.
struct ProcessIdentity {
    std::int32_t pid = 0;           ///< 0: not known yet.
    std::uint64_t start_ticks = 0;  ///< Field 22 of /proc/PID/stat.

    friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

/// When an instance was started and how long it waits for the next start (see RestartRecord).
struct RestartHistory {
    std::vector<Instant> starts;  ///< Within the window.
    std::optional<Instant> running_since;
    Duration delay{};  ///< Before the next start. 0: before the first one.

    friend bool operator==(const RestartHistory&, const RestartHistory&) = default;
};

/// One instance as the journal has it. Instants belong to the boot that the journal names.
struct InstanceImage {
    InstanceReport report;
    Digest digest;
    ProcessId process{};              ///< 0: there is none.
    ProcessIdentity identity;         ///< Of the process, once it runs.
    bool leaving = false;             ///< The process was ordered to end for good.
    std::optional<Instant> retry_at;  ///< The end of its back-off.
    RestartHistory history;

    friend bool operator==(const InstanceImage&, const InstanceImage&) = default;
};

struct SpecImage {
    std::string task;
    TaskSpec spec;

    friend bool operator==(const SpecImage&, const SpecImage&) = default;
};

struct JournalImage {
    std::vector<InstanceImage> instances;
    std::vector<SpecImage> specs;

    friend bool operator==(const JournalImage&, const JournalImage&) = default;
};

/// A process that runs, or ran, for an earlier life of this agent, as its shim reports it.
struct FoundProcess {
    ProcessId process{};
    InstanceId id;
    Generation generation{};
    TaskSpec spec;
    Proof proof{};  ///< Of the order to start it.
};

/// Changes that become durable together, or not at all. Specs that an instance uses stay; the other
/// specs of their tasks are deleted.
struct JournalWrite {
    std::vector<InstanceImage> instances;
    std::vector<InstanceId> gone;
    std::vector<SpecImage> specs;
};

/// The changes to write into the journal, one write at a time, and what waits for each write. A
/// process is created once the journal has it in its instance. It is released once the journal has
/// its end.
///
/// Changes during a write go into the next write. So do the changes of a failed write, unless they
/// have changed since.
///
/// Owned by Lifecycle.
class Journal {
public:
    /// Writes this image next. Nothing: the instance is gone.
    void note(const InstanceId& id, std::optional<InstanceImage> image) {
        next_.instances.insert_or_assign(id, std::move(image));
    }
    void note(const std::string& task, const TaskSpec& spec) {
        next_.specs.insert_or_assign({task, digest_of(spec)}, spec);
    }
    /// The process is released once the change of this instance is written.
    void note_ended(const InstanceId& id, ProcessId process) { next_.ended[id].push_back(process); }

    /// The next write, if there is something to write and no write is under way.
    [[nodiscard]] std::optional<JournalWrite> take();
    [[nodiscard]] bool is_writing() const { return is_writing_; }
    /// Every change is written.
    [[nodiscard]] bool is_done() const { return !is_writing_ && next_.instances.empty(); }

    /// The content of the write that ended.
    struct Outcome {
        std::set<ProcessId> noted;        ///< Processes that instances have in it.
        std::vector<ProcessId> released;  ///< Ended processes, if the write succeeded.
        std::vector<InstanceId> gone;     ///< Instances that are gone, if the write succeeded.
    };
    [[nodiscard]] Outcome written();
    [[nodiscard]] Outcome failed();

private:
    struct Changes {
        std::map<InstanceId, std::optional<InstanceImage>> instances;
        std::map<std::pair<std::string, Digest>, TaskSpec> specs;
        std::map<InstanceId, std::vector<ProcessId>> ended;
    };

    [[nodiscard]] static std::set<ProcessId> noted_in(const Changes& changes);

    Changes next_;
    Changes writing_;
    bool is_writing_ = false;
};

}  // namespace muster::agent
