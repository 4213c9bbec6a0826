#include "cli/subjects/nodes/drain_watch.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace muster::cli {

bool can_stay_for_ever(const DrainBlocker& blocker) {
    constexpr std::array<std::string_view, 13> codes{
        "no_nodes", "not_serving",  "pool",    "label",  "cpu",   "memory",    "slots",
        "full",     "max_per_node", "refused", "silent", "stray", "every_node"};
    return std::ranges::find(codes, blocker.code) != codes.end();
}

DrainChanges DrainWatch::update(const NodeShowReply& seen) {
    DrainChanges news;
    std::set<InstanceId> there;
    for (const InstanceView& instance : seen.instances) {
        there.insert(instance.id);
    }
    std::ranges::set_difference(there_, there, std::back_inserter(news.left));
    there_ = std::move(there);
    std::map<std::string, std::string> codes;
    for (const DrainBlocker& blocker : seen.drain.blocked_by) {
        const auto before = codes_.find(blocker.instance);
        if (before == codes_.end() || before->second != blocker.code) {
            news.blockers.push_back(blocker);
        }
        codes[blocker.instance] = blocker.code;
    }
    codes_ = std::move(codes);
    const auto endless = std::ranges::find_if(seen.drain.blocked_by, can_stay_for_ever);
    const bool is_bounded = seen.drain.deadline != CivilMs{};
    if (!is_bounded && endless != seen.drain.blocked_by.end() && !std::exchange(is_warned_, true)) {
        news.endless = *endless;
    }
    return news;
}

}  // namespace muster::cli
