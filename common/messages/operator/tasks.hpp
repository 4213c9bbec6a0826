#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/messages/operator/explain.hpp"
#include "common/messages/operator/views.hpp"
#include "common/spec/spec.hpp"

/// Requests about tasks and to tasks, and the answers.
namespace muster {

struct TaskListRequest {
    std::string pattern = "*";

    friend bool operator==(const TaskListRequest&, const TaskListRequest&) = default;
};

struct TaskShowRequest {
    std::string name;

    friend bool operator==(const TaskShowRequest&, const TaskShowRequest&) = default;
};

/// Answered when the matching tasks are converged and have run for min_healthy, or with `timeout`,
/// or with `halted` if their roll-out is halted.
struct WaitRequest {
    std::string pattern;
    std::uint32_t timeout_ms = 30'000;
    /// Answered instead when every instance of the tasks has ended for good.
    bool finished = false;

    friend bool operator==(const WaitRequest&, const WaitRequest&) = default;
};

/// Adds and changes tasks; `replace` removes all others. `dry_run`: only the diff.
struct ApplyRequest {
    std::vector<WantedTask> tasks;
    bool replace = false;
    bool dry_run = false;
    bool force = false;  ///< Accept labels that no node has.

    friend bool operator==(const ApplyRequest&, const ApplyRequest&) = default;
};

/// Like apply of one task, but `exists` if the task is there.
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
    /// Instances with a copy of this generation that ran for min_healthy or ended well.
    std::uint32_t updated = 0;
    bool halted = false;  ///< The roll-out does not continue by itself.

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
    /// Only for a task short of nodes: each node's verdict on one more instance, by name; the first
    /// 1,000.
    std::vector<VerdictView> verdicts{};

    friend bool operator==(const TaskShowReply&, const TaskShowReply&) = default;
};

struct WaitReply {
    std::vector<TaskView> tasks;
    // Of a wait for the end of all instances:
    std::int32_t exit_code = 0;  ///< The highest; 128 + the signal, if one ended it.
    std::string worst{};  ///< The first such instance, and how it ended. Empty: all ended well.

    friend bool operator==(const WaitReply&, const WaitReply&) = default;
};

/// The effect of an operator's change on one task.
struct TaskChange {
    std::string task;
    std::string action;  ///< add | change | scale | remove | restart | unchanged
    std::uint32_t instances_before = 0;
    std::uint32_t instances_after = 0;
    std::vector<std::string> fields;  ///< Spec fields that differ.
    Generation generation{};          ///< After the change; the old one when nothing changes.
    bool every_node = false;          ///< As many instances as nodes fit.

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
    std::uint32_t idle = 0;       ///< and those of them that now run no group.

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
    CivilMs started{};  ///< Start of its last instance of the group, by the node's clock.

    friend bool operator==(const WarmNodeView&, const WarmNodeView&) = default;
};

struct GroupShowReply {
    GroupView group;
    std::vector<std::string> tasks;
    std::vector<WarmNodeView> nodes;

    friend bool operator==(const GroupShowReply&, const GroupShowReply&) = default;
};

}  // namespace muster
