#include "coordinator/core/membership/hello.hpp"

namespace muster::coordinator {

namespace {

// More starts than an agent makes between two hellos that are heard, and of a name never heard of.
// Whoever claims more would leave no number above it to the next honest life of that name.
constexpr std::uint64_t starts_unheard = std::uint64_t{1} << 24U;
constexpr std::uint64_t starts_before = std::uint64_t{1} << 63U;

bool is_too_far_ahead(const Node& node, const Hello& hello) {
    const std::uint64_t known = raw(node.incarnation);
    const std::uint64_t possible = known == 0 ? starts_before : starts_unheard;
    return hello.incarnation > node.incarnation && raw(hello.incarnation) - known > possible;
}

}  // namespace

Standing judge(const Node& node, const Hello& hello) {
    const bool first_meeting = node.life.is_none();
    if (!first_meeting && hello.life == node.life && hello.incarnation == node.incarnation) {
        return Standing::same_life;
    }
    const bool is_known_number =
        first_meeting && hello.incarnation == node.incarnation && node.incarnation != Incarnation{};
    const bool is_above = hello.incarnation > node.incarnation || is_known_number;
    if (!is_above) {
        return Standing::stale_incarnation;
    }
    if (is_too_far_ahead(node, hello)) {
        return Standing::too_far_ahead;
    }
    const bool may_answer = node.session && node.route_misses == 0;
    return may_answer && hello.life != node.life ? Standing::name_in_use : Standing::new_life;
}

bool is_ahead(const Hello& hello, const Meta& ours) {
    const bool is_foreign = !hello.cluster.is_none() && hello.cluster != ours.cluster;
    const bool is_rival = hello.epoch == ours.epoch && hello.leader != ours.leader;
    return is_foreign || is_rival || hello.epoch > ours.epoch || hello.counter > ours.counter;
}

bool Contests::open(Node& node, NodeIndex index, Instant until) {
    if (node.contested) {
        return false;
    }
    node.contested = true;
    open_.push_back({index, until});
    return true;
}

void Contests::end(Node& node, NodeIndex index) {
    if (node.contested) {
        node.contested = false;
        std::erase_if(open_, [&](const Contest& contest) { return contest.node == index; });
    }
}

void Contests::close_overdue(Instant now, NodeRegistry& nodes) {
    while (!open_.empty() && open_.front().until <= now) {
        const NodeIndex index = open_.front().node;
        end(nodes.edit(index), index);
        nodes.detach(index);
    }
}

std::optional<Instant> Contests::next_deadline() const {
    return open_.empty() ? std::nullopt : std::optional{open_.front().until};
}

}  // namespace muster::coordinator
