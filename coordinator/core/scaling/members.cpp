#include "coordinator/core/scaling/members.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace muster::coordinator {

Members::Change Members::update(const std::string& pool, const std::vector<std::string>& serving) {
    OfPool& known = pools_[pool];
    Change change;
    const std::set<std::string_view> now{serving.begin(), serving.end()};
    const std::set<std::string> before{known.nodes.begin(), known.nodes.end()};
    for (std::string& node : known.nodes) {
        if (!now.contains(node)) {
            change.left.push_back(node);
        }
    }
    std::erase_if(known.nodes, [&](const std::string& node) { return !now.contains(node); });
    for (const std::string& node : serving) {
        if (!before.contains(node)) {
            change.joined.push_back(node);
            known.nodes.push_back(node);
        }
    }
    if (!change.empty() || known.version == 0) {
        known.version = ++last_version_;
    }
    return change;
}

const Members::OfPool* Members::find(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() ? nullptr : &found->second;
}

std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t at = 0; at < std::min(most, names.size()); ++at) {
        text += (at == 0 ? "" : ", ") + names[at];
    }
    return names.size() <= most ? text
                                : text + " and " + std::to_string(names.size() - most) + " more";
}

std::string describe(const Members::Change& change) {
    std::string text;
    if (!change.joined.empty()) {
        text = "joined: " + some_of(change.joined);
    }
    if (!change.left.empty()) {
        text += (text.empty() ? "left: " : "; left: ") + some_of(change.left);
    }
    return text;
}

}  // namespace muster::coordinator
