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

/// The agent's number for one process it ordered; never used again while its state is kept.
enum class ProcessId : std::uint64_t {};

/// Which process of the host it is: a pid is used again, the two together are not.
struct ProcessIdentity {
    std::int32_t pid = 0;           ///< 0: not known yet.
    std::uint64_t start_ticks = 0;  ///< Field 22 of /proc/PID/stat.

    friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

/// When an instance was started and how long it waits for the next start (see RestartRecord).
struct RestartHistory {
    std::vector<Instant> starts;  ///< Within the window.
    std::optional<Instant> running_since;
    Duration delay{};  ///< Before the next start; 0: the first.

    friend bool operator==(const RestartHistory&, const RestartHistory&) = default;
};

/// One instance as the journal knows it. Instants are of the boot that the journal names.
struct InstanceImage {
    InstanceReport report;
    Digest digest;
    ProcessId process{};              ///< 0: none.
    ProcessIdentity identity;         ///< Of the process, once it runs.
    bool leaving = false;             ///< The process was told to end for good.
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

/// A process that runs, or ran, for an earlier life of this agent, as its shim tells.
struct FoundProcess {
    ProcessId process{};
    InstanceId id;
    Generation generation{};
    TaskSpec spec;
};

/// Changes that are durable together, or not at all. What instances use of the specs stays; the
/// others of their tasks go.
struct JournalWrite {
    std::vector<InstanceImage> instances;
    std::vector<InstanceId> gone;
    std::vector<SpecImage> specs;
};

/// What is to be written of the instances, one write at a time, and what waits for it: a process is
/// made after the journal has its instance with it, and released after the journal has it without.
///
/// What changes while a write is under way goes into the next one. What could not be written goes
/// into the next one too, unless it has changed since.
///
/// Owned by Lifecycle.
class Journal {
public:
    /// Writes this image next; nothing: the instance is gone.
    void note(const InstanceId& id, std::optional<InstanceImage> image) {
        next_.instances.insert_or_assign(id, std::move(image));
    }
    void note(const std::string& task, const TaskSpec& spec) {
        next_.specs.insert_or_assign({task, digest_of(spec)}, spec);
    }
    /// To be released once what was noted of this instance is written.
    void note_ended(const InstanceId& id, ProcessId process) { next_.ended[id].push_back(process); }

    /// What is to be written, if anything is and no write is under way.
    [[nodiscard]] std::optional<JournalWrite> take();
    [[nodiscard]] bool is_writing() const { return is_writing_; }
    /// All that was noted is written.
    [[nodiscard]] bool is_done() const { return !is_writing_ && next_.instances.empty(); }

    /// What the write that ended was about.
    struct Outcome {
        std::set<ProcessId> noted;        ///< Processes that instances had in it.
        std::vector<ProcessId> released;  ///< Ended ones, if it was written.
        std::vector<InstanceId> gone;     ///< Likewise.
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
