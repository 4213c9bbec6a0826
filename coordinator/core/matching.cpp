#include "coordinator/core/matching.hpp"

#include <utility>

#include "common/pattern.hpp"

namespace muster {

Result<std::vector<std::string>> names_matching(std::string_view wish,
                                                std::vector<std::string> names) {
    if (const auto sound = pattern::check(wish); !sound) {
        return tl::unexpected{sound.error()};
    }
    std::erase_if(names, [&](const std::string& name) { return !pattern::matches(wish, name); });
    return names;
}

Result<std::vector<std::string>> wanted_names_matching(std::string_view wish,
                                                       const Workload& workload) {
    std::vector<std::string> names;
    for (const TaskIndex task : workload.wanted()) {
        names.push_back(workload.name(task));
    }
    return names_matching(wish, std::move(names));
}

}  // namespace muster
