#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/messages/operator/explain.hpp"
#include "common/messages/operator/views.hpp"
#include "common/spec/spec.hpp"

/// Asked about tasks or of them, and the answers.
namespace muster {

struct TaskListRequest {
    std::string pattern = "*";

    friend bool operator==(const TaskListRequest&, const TaskListRequest&) = default;
};

struct TaskShowRequest {
    std::string name;

    friend bool operator==(const TaskShowRequest&, const TaskShowRequest&) = default;
};

/// Answered when the tasks that match are as wanted and have run so for min_healthy, or with
/// `timeout`, or with `halted` if their roll-out is.
struct WaitRequest {
    std::string pattern;
    std::uint32_t timeout_ms = 30'000;
    /// Answered when every instance of the tasks has ended instead: well, or for good.
    bool finished = false;

    friend bool operator==(const WaitRequest&, const WaitRequest&) = default;
};

/// Adds and changes tasks; `replace` removes those not named. `dry_run`: only the diff.
struct ApplyRequest {
    std::vector<WantedTask> tasks;
    bool replace = false;
    bool dry_run = false;
    bool force = false;  ///< Take labels that no node has.

    friend bool operator==(const ApplyRequest&, const ApplyRequest&) = default;
};

/// As apply of one task, but refused with `exists` if it is there.
struct TaskAddRequest {
    WantedTask task;
    bool force = false;  ///< As in apply.

    friend bool operator==(const TaskAddRequest&, const TaskAddRequest&) = default;
};

struct TaskRemoveRequest {
    std::string pattern;

    friend bool operator==(const TaskRemoveRequest&, const TaskRemoveRequest&) = default;
};

struct TaskScaleRequest {
    std::string pattern;
    std::uint32_t instances = 1;

    friend bool operator==(const TaskScaleRequest&, const TaskScaleRequest&) = default;
};

struct TaskRestartRequest {
    std::string pattern;

    friend bool operator==(const TaskRestartRequest&, const TaskRestartRequest&) = default;
};

struct TaskView {
    std::string name;
    std::uint32_t instances = 0;
    std::uint32_t running = 0;
    Generation generation{};
    /// converged | rolling | halted | backoff | placing | unplaced | failed | stopping
    std::string state;
    std::string detail;
    /// Instances whose copy is of the generation, and has run for min_healthy or ended well.
    std::uint32_t updated = 0;
    bool halted = false;  ///< The roll-out goes no further by itself.

    friend bool operator==(const TaskView&, const TaskView&) = default;
};

struct TaskListReply {
    std::vector<TaskView> tasks;

    friend bool operator==(const TaskListReply&, const TaskListReply&) = default;
};

struct TaskShowReply {
    TaskView task;
    WantedTask wanted;
    std::vector<InstanceView> instances;
    std::vector<UnplacedReason> unplaced_reasons;
    /// Only if it is short: of every node on one more instance, by name; the first 1,000.
    std::vector<VerdictView> verdicts{};

    friend bool operator==(const TaskShowReply&, const TaskShowReply&) = default;
};

struct WaitReply {
    std::vector<TaskView> tasks;
    // Of a wait for the end of all instances:
    std::int32_t exit_code = 0;  ///< The highest; of one that a signal ended, 128 + the signal.
    std::string worst{};  ///< The first instance that ended so, and how. Empty: all are well.

    friend bool operator==(const WaitReply&, const WaitReply&) = default;
};

/// What an operator's change does (or would do) to one task.
struct TaskChange {
    std::string task;
    std::string action;  ///< add | change | scale | remove | restart | unchanged
    std::uint32_t instances_before = 0;
    std::uint32_t instances_after = 0;
    std::vector<std::string> fields;  ///< Of the spec that differ.
    Generation generation{};          ///< After the change; the old one when nothing changes.
    bool every_node = false;          ///< There are as many instances as there are nodes for it.

    friend bool operator==(const TaskChange&, const TaskChange&) = default;
};

struct ChangeReply {
    Generation counter{};
    bool dry_run = false;
    std::vector<TaskChange> changes;

    friend bool operator==(const ChangeReply&, const ChangeReply&) = default;
};

// ---- affinity groups ----

struct GroupListRequest {
    std::string pattern = "*";

    friend bool operator==(const GroupListRequest&, const GroupListRequest&) = default;
};

struct GroupShowRequest {
    std::string name;

    friend bool operator==(const GroupShowRequest&, const GroupShowRequest&) = default;
};

/// A group that a wanted task names, or that some node ran last.
struct GroupView {
    std::string name;
    std::uint32_t tasks = 0;      ///< Wanted tasks that name it,
    std::uint32_t instances = 0;  ///< and their instances.
    std::uint32_t warm = 0;       ///< Nodes that ran it last,
    std::uint32_t idle = 0;       ///< and of these, those that run nothing of any group.

    friend bool operator==(const GroupView&, const GroupView&) = default;
};

struct GroupListReply {
    std::vector<GroupView> groups;

    friend bool operator==(const GroupListReply&, const GroupListReply&) = default;
};

/// A node that is warm for the group.
struct WarmNodeView {
    std::string node;
    bool idle = false;
    CivilMs started{};  ///< When its last instance of the group did, by the node's own clock.

    friend bool operator==(const WarmNodeView&, const WarmNodeView&) = default;
};

struct GroupShowReply {
    GroupView group;
    std::vector<std::string> tasks;
    std::vector<WarmNodeView> nodes;

    friend bool operator==(const GroupShowReply&, const GroupShowReply&) = default;
};

}  // namespace muster
