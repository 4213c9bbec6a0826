#pragma once

#include <span>
#include <string>

#include "cli/screen/table.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

/// The cluster in a few lines; tasks and instances in tables.
namespace muster::cli {

[[nodiscard]] std::string render_status(const StatusReply& status, const Style& style);
[[nodiscard]] std::string render_instances(std::span<const InstanceView> instances, CivilMs now,
                                           const Style& style);
[[nodiscard]] std::string render_tasks(std::span<const TaskView> tasks, const Style& style);
[[nodiscard]] std::string render_task(const TaskShowReply& reply, CivilMs now, const Style& style);
[[nodiscard]] std::string render_groups(std::span<const GroupView> groups, const Style& style);
[[nodiscard]] std::string render_group(const GroupShowReply& reply, CivilMs now,
                                       const Style& style);

/// Whether rescheduling is stopped, since when, and what would change that.
[[nodiscard]] std::string render_freeze(const FreezeReply& reply, CivilMs now, const Style& style);

}  // namespace muster::cli
