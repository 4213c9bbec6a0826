#include "coordinator/core/scaling/members.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator {

Members::Change Members::update(const std::string& pool, const std::vector<Member>& serving) {
    OfPool& known = pools_[pool];
    std::map<std::string_view, const Member*> joining;
    for (const Member& member : serving) {
        joining.emplace(member.node, &member);
    }
    Change change;
    std::erase_if(known.nodes, [&](const Joined& node) {
        const auto now = joining.find(node.member.node);
        if (now != joining.end() && *now->second == node.member) {
            joining.erase(now);
            return false;
        }
        change.left.push_back(node.member.node);
        return true;
    });
    if (change.left.empty() && joining.empty() && known.version != 0) {
        return change;
    }
    if (known.version == 0) {
        known.left_known_since = last_version_ + 1;
    }
    known.version = ++last_version_;
    for (const std::string& node : change.left) {
        known.left.push_back({node, known.version});
    }
    for (; known.left.size() > most_left; known.left.pop_front()) {
        known.left_known_since = known.left.front().in_version;
    }
    for (const Member& member : serving) {
        if (joining.contains(member.node)) {
            change.joined.push_back(member.node);
            known.nodes.push_back({member, known.version});
        }
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
