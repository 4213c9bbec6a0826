#include "common/spec/spec_rules.hpp"

namespace muster::spec_rules {

namespace {

Fault check_stop(const TaskSpec& spec) {
    if (const auto number = stop_signal_number(spec.stop_signal); !number) {
        return wrong("stop_signal", number.error().detail);
    }
    return fault_of_range("grace", "is", spec.grace, Duration::zero(), limits::grace_max);
}

Fault check_start_timeout(const TaskSpec& spec) {
    return fault_of_range("start_timeout", "is", spec.start_timeout, Duration::zero(),
                          limits::start_timeout_max);
}

Fault check_restart(const TaskSpec& spec) {
    const auto& rule = spec.restart;
    if (rule.max == 0 || rule.max > limits::starts_most) {
        return wrong("restart", "has max " + std::to_string(rule.max) + "; it is 1 to " +
                                    std::to_string(limits::starts_most));
    }
    if (auto fault = fault_of_range("restart", "has backoff", rule.backoff, limits::backoff_least,
                                    limits::backoff_max)) {
        return fault;
    }
    return fault_of_range("restart", "has window", rule.window, limits::start_window_least,
                          limits::start_window_most);
}

Fault check_max_per_node(const TaskSpec& spec) {
    if (spec.max_per_node == 0 || spec.max_per_node > limits::instances_per_node) {
        return wrong("max_per_node", "is " + std::to_string(spec.max_per_node) + "; it is 1 to " +
                                         std::to_string(limits::instances_per_node));
    }
    return std::nullopt;
}

Fault check_update(const TaskSpec& spec) {
    const auto& [max_surge, max_unavailable, min_healthy] = spec.update;
    for (const auto number : {max_surge, max_unavailable}) {
        if (number > limits::instances_per_task) {
            return wrong("update", "has the number " + std::to_string(number) + "; at most " +
                                       std::to_string(limits::instances_per_task) + " is allowed");
        }
    }
    if (spec.exclusive && max_surge > 0) {
        return wrong("update", "has max_surge " + std::to_string(max_surge) +
                                   " beside exclusive, which never has two copies of an instance; "
                                   "leave max_surge out, or write 0");
    }
    if (spec.exclusive && max_unavailable == 0) {
        return wrong("update",
                     "has max_unavailable 0 beside exclusive, which makes max_surge 0, so that no "
                     "roll-out could ever begin; max_unavailable is 1 or more");
    }
    if (max_surge == 0 && max_unavailable == 0) {
        return wrong("update",
                     "has max_surge and max_unavailable 0, so that no roll-out could ever begin; "
                     "one of them is 1 or more");
    }
    return fault_of_range("update", "has min_healthy", min_healthy, Duration::zero(),
                          limits::min_healthy_max);
}

}  // namespace

Fault fault_of_life(const TaskSpec& spec) {
    return first_fault(
        spec, {check_max_per_node, check_update, check_stop, check_start_timeout, check_restart});
}

}  // namespace muster::spec_rules

namespace muster {

namespace {

std::optional<FieldFault> check_name_and_count(const WantedTask& task) {
    if (!is_valid_name(task.name)) {
        return FieldFault{"name", "is not allowed; " + std::string{name_rule()}};
    }
    if (task.instances > limits::instances_per_task) {
        return FieldFault{"instances", "is " + std::to_string(task.instances) + "; at most " +
                                           std::to_string(limits::instances_per_task) +
                                           " are allowed"};
    }
    if (task.place.every_node && task.instances > 1) {
        return FieldFault{"instances", "is " + std::to_string(task.instances) +
                                           " beside every_node; leave it out, or write 0 for "
                                           "nowhere"};
    }
    return std::nullopt;
}

}  // namespace

std::optional<FieldFault> fault_of(const WantedTask& task) {
    if (auto fault = check_name_and_count(task)) {
        return fault;
    }
    using namespace spec_rules;
    auto fault = first_fault(task.spec, {fault_of_texts, fault_of_process, fault_of_life});
    return fault ? fault : fault_of(task.place);
}

Result<void> validate(const WantedTask& task) {
    if (const auto fault = fault_of(task)) {
        return fail(Errc::invalid, "task " + in_quotes(task.name) + ": " +
                                       std::string{fault->field} + ' ' + fault->what);
    }
    return {};
}

}  // namespace muster
