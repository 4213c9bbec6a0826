#include "common/spec/spec_rules.hpp"

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
        return fail(Errc::invalid, "task '" + task.name.substr(0, limits::name_bytes) +
                                       "': " + std::string{fault->field} + ' ' + fault->what);
    }
    return {};
}

}  // namespace muster
