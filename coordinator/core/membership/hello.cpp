#include "coordinator/core/membership/hello.hpp"

namespace muster::coordinator {

namespace {

// The most starts that an agent can make between two received hellos, and before the first one. A
// higher incarnation would leave no number for the next honest life of that name.
constexpr std::uint64_t starts_unheard = std::uint64_t{1} << 24U;
constexpr std::uint64_t starts_before = std::uint64_t{1} << 63U;

bool is_too_far_ahead(const Node& node, const Hello& hello) {
    const std::uint64_t known = raw(node.incarnation);
    const std::uint64_t possible = known == 0 ? starts_before : starts_unheard;
    return hello.incarnation > node.incarnation && raw(hello.incarnation) - known > possible;
}

}  // namespace

HelloVerdict judge(const Node& node, const Hello& hello) {
    const bool first_meeting = node.life.is_none();
    if (!first_meeting && hello.life == node.life && hello.incarnation == node.incarnation) {
        return HelloVerdict::same_life;
    }
    const bool is_known_number =
        first_meeting && hello.incarnation == node.incarnation && node.incarnation != Incarnation{};
    const bool is_above = hello.incarnation > node.incarnation || is_known_number;
    if (!is_above) {
        return HelloVerdict::stale_incarnation;
    }
    if (is_too_far_ahead(node, hello)) {
        return HelloVerdict::too_far_ahead;
    }
    const bool may_answer = node.session && node.connection_misses == 0;
    return may_answer && hello.life != node.life ? HelloVerdict::name_in_use
                                                 : HelloVerdict::new_life;
}

bool is_ahead(const Hello& hello, const Meta& ours) {
    const bool is_foreign = !hello.cluster.is_none() && hello.cluster != ours.cluster;
    const bool is_rival = hello.epoch == ours.epoch && hello.leader != ours.leader;
    return is_foreign || is_rival || hello.epoch > ours.epoch || hello.counter > ours.counter;
}

bool NameConflicts::open(NodeIndex index, Instant until) {
    if (nodes_[index].in_conflict) {
        return false;
    }
    nodes_.edit(index, WriteKey<ConflictFacts>{}).in_conflict = true;
    open_.push_back({index, until});
    return true;
}

void NameConflicts::end(NodeIndex index) {
    if (nodes_[index].in_conflict) {
        nodes_.edit(index, WriteKey<ConflictFacts>{}).in_conflict = false;
        std::erase_if(open_, [&](const Conflict& conflict) { return conflict.node == index; });
    }
}

void NameConflicts::close_overdue(Instant now) {
    while (!open_.empty() && open_.front().until <= now) {
        const NodeIndex index = open_.front().node;
        end(index);
        nodes_.detach(index);
    }
}

std::optional<Instant> NameConflicts::next_deadline() const {
    return open_.empty() ? std::nullopt : std::optional{open_.front().until};
}

}  // namespace muster::coordinator
