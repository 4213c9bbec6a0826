#include "coordinator/core/planning/index/troubles.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator {

namespace {

constexpr Duration first_pause = 1s;
constexpr Duration longest_pause = 5min;
constexpr Duration good_conduct = 10min;
constexpr std::size_t sentence_most = 256;  // Of one refusal, kept for each instance.

Duration pause_after(std::uint32_t refusals) {
    Duration pause = first_pause;
    for (; refusals > 1 && pause < longest_pause; --refusals) {
        pause *= 2;
    }
    return std::min(pause, longest_pause);
}

}  // namespace

bool Trouble::shuns(NodeIndex node, Instant now) const {
    return has_failed_on(node) || std::ranges::any_of(refusals, [&](const Refusal& refusal) {
               return refusal.node == node && now < refusal.again;
           });
}

bool Trouble::has_vanished_on(NodeIndex node) const {
    const auto found = std::ranges::find(refusals, node, &Refusal::node);
    return found != refusals.end() && found->vanished;
}

bool Trouble::is_refused(Instant now) const {
    return std::ranges::any_of(refusals,
                               [&](const Refusal& refusal) { return now < refusal.again; });
}

std::uint32_t Trouble::refused() const {
    std::uint32_t count = 0;
    for (const Refusal& refusal : refusals) {
        count += refusal.count;
    }
    return count;
}

Trouble& Troubles::at(const Key& key, Generation generation) {
    Trouble& trouble = troubles_[key];
    if (trouble.generation != generation) {
        trouble = {};
        trouble.generation = generation;
    }
    return trouble;
}

void Troubles::failed(const Key& key, Generation generation, NodeIndex node) {
    Trouble& trouble = at(key, generation);
    trouble.good_since.reset();
    if (!trouble.has_failed_on(node)) {
        trouble.failed_on.push_back(node);
    }
}

void Troubles::refused(Instant now, const Key& key, Generation generation, NodeIndex node,
                       std::string why) {
    refuse(now, at(key, generation), node, std::move(why));
}

void Troubles::vanished(Instant now, const Key& key, Generation generation, NodeIndex node,
                        std::string why) {
    Trouble& trouble = at(key, generation);
    trouble.good_since.reset();
    refuse(now, trouble, node, std::move(why)).vanished = true;
}

Trouble::Refusal& Troubles::refuse(Instant now, Trouble& trouble, NodeIndex node, std::string why) {
    auto refusal = std::ranges::find(trouble.refusals, node, &Trouble::Refusal::node);
    if (refusal == trouble.refusals.end()) {
        refusal = trouble.refusals.insert(refusal, {.node = node});
    }
    refusal->count += 1;
    refusal->again = now + pause_after(refusal->count);
    why.resize(std::min(why.size(), sentence_most));
    trouble.last_refusal = std::move(why);
    return *refusal;
}

void Troubles::excuse(NodeIndex node) {
    for (auto at = troubles_.begin(); at != troubles_.end();) {
        Trouble& trouble = at->second;
        std::erase_if(trouble.refusals, [&](const Trouble::Refusal& refusal) {
            return refusal.vanished && refusal.node == node;
        });
        const bool is_over = trouble.failed_on.empty() && trouble.refusals.empty();
        at = is_over ? troubles_.erase(at) : std::next(at);
    }
}

void Troubles::reported(Instant now, const Key& key, bool runs) {
    const auto found = troubles_.find(key);
    if (found == troubles_.end()) {
        return;
    }
    Trouble& trouble = found->second;
    // A node where it comes and goes would else be asked first again whenever it comes.
    std::erase_if(trouble.refusals, [](const auto& refusal) { return !refusal.vanished; });
    if (!runs) {
        trouble.good_since.reset();
    } else if (!trouble.good_since) {
        trouble.good_since = now;
    }
    const bool is_over = trouble.failed_on.empty() && trouble.refusals.empty();
    if (is_over || (runs && now - *trouble.good_since >= good_conduct)) {
        troubles_.erase(found);
    }
}

void Troubles::keep(TaskIndex task, Generation generation, std::uint32_t instances) {
    auto at = troubles_.lower_bound({task, 0});
    while (at != troubles_.end() && at->first.first == task) {
        const bool stays = at->second.generation == generation && at->first.second < instances;
        at = stays ? std::next(at) : troubles_.erase(at);
    }
}

const Trouble* Troubles::find(const Key& key) const {
    const auto found = troubles_.find(key);
    return found == troubles_.end() ? nullptr : &found->second;
}

bool Troubles::has(TaskIndex task) const {
    const auto first = troubles_.lower_bound({task, 0});
    return first != troubles_.end() && first->first.first == task;
}

}  // namespace muster::coordinator
