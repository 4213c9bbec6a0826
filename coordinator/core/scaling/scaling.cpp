#include "coordinator/core/scaling/scaling.hpp"

#include <algorithm>
#include <chrono>

#include "coordinator/core/nodes/notes.hpp"
#include "coordinator/core/scaling/capacity.hpp"

namespace muster::coordinator {

namespace {

/// Demand may change with each message. A pool is looked at this often because of it.
constexpr Duration looked_at_every = 100ms;
/// And the changes of all pools are read this often.
constexpr Duration demand_read_every = 20ms;

/// A row has some 4 KB, and a write is not long.
constexpr std::size_t seasons_at_once = 16;
/// The schema of the store that has a table for them.
constexpr std::uint32_t schema_of_seasons = 12;

SizeLimits limits_of(const PoolSpec& spec) {
    const auto ms = [](std::uint64_t value) {
        return Duration{std::chrono::milliseconds{static_cast<std::int64_t>(value)}};
    };
    return {.min = spec.min,
            .max = spec.max,
            .step = spec.step,
            .up_cooldown = ms(spec.up_cooldown_ms),
            .down_cooldown = ms(spec.down_cooldown_ms)};
}

/// The one thing that a pool attempts: to get as many nodes as it asked for.
const std::string of_growth = "grow";

}  // namespace

Scaling::Scaling(Instant now, const CoordinatorOptions& options, const Rooms& rooms)
    : options_{options},
      in_{rooms},
      began_{now},
      nodes_{rooms.nodes, rooms.copies.placements.nodes()},
      providers_{options.providers},
      derived_{rooms.copies.workload} {
    in_.ledger.pools().rows().each([&](std::string_view name, const StoredPool& pool) {
        pools_.emplace(name, OfPool{.sizing = Sizing{limits_of(pool.spec), now},
                                    .spec = pool.spec,
                                    .is_inherited = true,
                                    .is_paused = pool.paused});
        in_.predictors.on_pool(pool);
        if (const StoredSeason* const season = in_.ledger.seasons().rows().find(name)) {
            in_.predictors.take_learned(*season);
        }
    });
    index_rows();
    looks_at_all();
}

void Scaling::index_rows() {
    rows_.clear();
    in_.ledger.pool_nodes().rows().each([&](std::string_view name, const StoredPoolNode& row) {
        rows_[row.pool].emplace_back(name);
    });
}

void Scaling::looks_at_all() {
    for (const auto& [name, of_pool] : pools_) {
        look_soon(name, of_pool);
    }
}

void Scaling::look_soon(const std::string& pool) {
    if (const auto found = pools_.find(pool); found != pools_.end()) {
        look_soon(pool, found->second);
    }
}

void Scaling::look_soon(const std::string& name, const OfPool& of_pool) {
    const Instant at = of_pool.looked_at ? *of_pool.looked_at + looked_at_every : Instant{};
    next_look_ = std::min(next_look_.value_or(at), at);
    due_.insert(name);
}

void Scaling::on_changed_node(NodeIndex index) {
    for (const std::string& pool : nodes_.on_changed(index)) {
        look_soon(pool);
    }
}

void Scaling::on_answer(StepContext& step, const OutsideAnswer& answer) {
    calls_are_due_ = true;
    if (const auto pool = in_.predictors.on_answer(step.now, answer)) {
        look_soon(*pool);
        return;
    }
    const auto answered = providers_.on_answer(step.now, answer);
    if (!answered) {
        return;
    }
    for (auto& [name, of_pool] : pools_) {
        const StoredPool* const pool = in_.ledger.pools().rows().find(name);
        if (pool == nullptr || pool->spec.provider != answered->provider) {
            continue;
        }
        look_soon(name, of_pool);
        // One that is listed again is missed the next time.
        if (answered->listed && !of_pool.accepted.empty()) {
            const auto missing = missing_of(name, pool->spec.provider);
            std::erase_if(of_pool.accepted,
                          [&](const std::string& node) { return !missing.contains(node); });
        }
        const auto rows = rows_.find(name);
        if (answered->granted_of.empty() || rows == rows_.end()) {
            continue;
        }
        for (const std::string& row : rows->second) {
            const StoredPoolNode* const node = in_.ledger.pool_nodes().rows().find(row);
            if (node->request == answered->granted_of) {
                note_grant(step.now, of_pool, *node, *answered);
            }
        }
    }
}

// A provider that has fewer nodes than it was asked for is asked again after a while, and not with
// each look: the next request has another id, so the attempts of calls do not see the repetition.
void Scaling::note_grant(Instant now, OfPool& of_pool, const StoredPoolNode& row,
                         const Providers::Answered& answered) {
    if (!of_pool.grants.emplace(row.request, answered.granted).second) {
        return;
    }
    if (answered.granted >= row.of_request) {
        of_pool.growth = {};
    } else {
        of_pool.growth.failed(now, of_growth,
                              "its provider granted " + std::to_string(answered.granted) + " of " +
                                  std::to_string(row.of_request) + " nodes");
    }
}

void Scaling::on_durable(StepContext& step, const Change& change) {
    if (!change.of<StoredTask>().empty() || !change.of<StoredEnds>().empty()) {
        derived_.on_tasks_changed();
    }
    const auto& pools = change.of<StoredPool>();
    const std::string cause = describe_cause(change.why.author, change.why.reason);
    for (const Shared<StoredPool>& pool : pools.put) {
        const auto known = pools_.find(pool->name);
        if (known == pools_.end()) {
            pools_.emplace(pool->name,
                           OfPool{.sizing = Sizing{limits_of(pool->spec)}, .spec = pool->spec});
            step.emit("pool.created", pool->name, cause);
        } else {
            OfPool& of_pool = known->second;
            of_pool.sizing.set_limits(limits_of(pool->spec));
            // A row with the same definition is of a pause or a resume.
            const bool is_changed = pool->spec != of_pool.spec;
            const char* const topic = is_changed     ? "pool.changed"
                                      : pool->paused ? "pool.paused"
                                                     : "pool.resumed";
            step.emit(topic, pool->name, cause);
            if (!is_changed && !pool->paused) {  // Resuming accepts the listing as it is.
                of_pool.accepted = missing_of(pool->name, pool->spec.provider);
            }
            of_pool.growth = {};
            if (pool->spec.unit != of_pool.spec.unit) {
                of_pool.seen_amount = 0;
            }
            of_pool.spec = pool->spec;
        }
        // At once: what an operator accepts is the present listing, and the next one may come soon.
        pools_.at(pool->name).looked_at.reset();
        pools_.at(pool->name).is_paused = pool->paused;
        in_.predictors.on_pool(*pool);
        look_soon(pool->name);
    }
    for (const std::string& name : pools.erased) {
        step.emit("pool.removed", name, cause);
        pools_.erase(name);
        due_.erase(name);
        members_.forget(name);
        in_.predictors.on_removed(name);
    }
    if (due_.empty()) {
        next_look_.reset();
    }
    if (!change.of<StoredPoolNode>().empty()) {
        index_rows();
    }
    if (!pools.empty() || !change.of<StoredPoolNode>().empty()) {
        calls_are_due_ = true;
        wanted_.clear();
    }
    if (change.origin == ChangeOrigin::pools) {
        for (auto& [topic, of] : std::exchange(events_, {})) {
            step.emit(std::move(topic), of.first, std::move(of.second));
        }
    }
}

void Scaling::run(StepContext& step) {
    if (in_.demand.has_changed() &&
        (!demand_read_ || step.now >= *demand_read_ + demand_read_every)) {
        demand_read_ = step.now;
        for (const std::string& pool : in_.demand.take_changed()) {
            look_soon(pool);
        }
    }
    if (pools_.empty() && rows_.empty()) {
        providers_.rest();
        return;
    }
    if (time_known_since_ == CivilMs{}) {
        time_known_since_ = step.civil();
    }
    if (!is_writing() && time_known_since_ != CivilMs{}) {
        Change change{.origin = ChangeOrigin::pools};
        if (next_look_ && step.now >= *next_look_) {
            look_at_due(step, change);
        }
        save_learned(change);
        if (!change.empty()) {
            in_.ledger.submit(std::move(change), step.output);
            last_write_ = in_.ledger.last_number();
        }
    }
    call(step);
    in_.predictors.ask(step.now, last_call_, step.output.calls);
}

void Scaling::look_at_due(StepContext& step, Change& change) {
    next_look_.reset();
    for (const std::string& name : std::exchange(due_, {})) {
        OfPool& of_pool = pools_.at(name);
        if (of_pool.looked_at && step.now < *of_pool.looked_at + looked_at_every) {
            look_soon(name, of_pool);
            continue;
        }
        if (is_changing(name)) {
            continue;  // It is due again once that is durable.
        }
        of_pool.looked_at = step.now;
        if (const StoredPool* const pool = in_.ledger.pools().rows().find(name)) {
            look(step, *pool, of_pool, change);
        }
    }
}

std::set<std::string> Scaling::missing_of(const std::string& pool,
                                          const std::string& provider) const {
    std::set<std::string> missing;
    const auto rows = rows_.find(pool);
    const auto& listed = providers_.listing(provider).nodes;
    for (const std::string& node :
         rows == rows_.end() ? std::vector<std::string>{} : rows->second) {
        if (!listed.contains(node)) {
            missing.insert(node);
        }
    }
    return missing;
}

void Scaling::look(StepContext& step, const StoredPool& pool, OfPool& of_pool, Change& change) {
    PoolSituation situation{.pool = pool,
                            .now = step.civil(),
                            .nodes = gather(pool),
                            .listing = providers_.listing(pool.spec.provider),
                            .accepted = of_pool.accepted};
    announce_members(step, pool.name, situation.nodes);
    situation.demand = in_.demand.total(pool.name);
    situation.derived = derived_.of(pool.name, pool.spec.unit);
    situation.wanted =
        std::max(in_.predictors.expected({step.now, step.civil()}, pool.name), situation.derived);
    const NewNode new_one = new_node(pool.spec, situation.nodes);
    of_pool.seen_amount = new_one.is_known ? new_one.amount : of_pool.seen_amount;
    situation.is_new_node_known = of_pool.seen_amount > 0;
    situation.of_new_node = of_pool.seen_amount > 0 ? of_pool.seen_amount : new_one.amount;
    situation.grants = std::exchange(of_pool.grants, {});
    situation.next_request =
        std::to_string(raw(in_.ledger.meta().epoch)) + "-" + std::to_string(last_request_ + 1);
    if (!of_pool.growth.may_begin(step.now, of_growth)) {
        situation.shortage = of_pool.growth.why_failed(of_growth);
    }
    hold(step.now, of_pool, situation);
    situation.foreign = foreign_of(situation);
    situation.is_predictor_awaited = in_.predictors.is_awaited(step.now, pool.name);
    const bool is_any_coming = std::ranges::any_of(situation.nodes, &PoolNode::is_slot);
    PoolChange decided = decide(step.now, std::move(situation), of_pool.sizing);
    const PoolDecision& decision = decided.decision;
    if (!is_any_coming && decision.up == 0 && decision.wanted <= decision.capacity) {
        of_pool.growth = {};  // Nothing is missing any more.
    }
    for (const std::string& why :
         {of_pool.growth.why_failed(of_growth), failure_of_calls(pool.name),
          in_.predictors.trouble(pool.name)}) {
        decided.alarm = decided.alarm.empty() ? why : decided.alarm;
    }
    if (decided.alarm != of_pool.alarm) {
        step.emit(decided.alarm.empty() ? "pool.alarm_over" : "pool.alarm", pool.name,
                  decided.alarm);
    }
    of_pool.alarm = decided.alarm;
    const bool has_acted = decided.decision.up > 0 || decided.decision.down > 0;
    if (!has_acted && of_pool.decision.code == decided.decision.code) {
        decided.decision.at = of_pool.decision.at;
    }
    of_pool.decision = decided.decision;
    apply(pool, decided, step.civil(), change);
}

void Scaling::announce_members(StepContext& step, const std::string& pool,
                               const std::vector<PoolNode>& nodes) {
    if (in_.liveness.recovery().runs()) {
        return;  // It is not known yet which nodes serve.
    }
    std::vector<const PoolNode*> serving;
    for (const PoolNode& node : nodes) {
        if (node.serves) {
            serving.push_back(&node);
        }
    }
    std::ranges::stable_sort(serving, {},
                             [](const PoolNode* node) { return raw(node->row.since); });
    std::vector<Members::Member> members;
    std::ranges::transform(serving, std::back_inserter(members), [](const PoolNode* node) {
        return Members::Member{node->row.name, node->address, node->amount};
    });
    if (const auto change = members_.update(pool, members); !change.empty()) {
        step.emit(
            "pool.members", pool,
            "version " + std::to_string(members_.find(pool)->version) + "; " + describe(change));
    }
}

void Scaling::apply(const StoredPool& pool, const PoolChange& decided, CivilMs now,
                    Change& change) {
    for (const auto& [topic, detail] : decided.events) {
        events_.push_back({topic, {pool.name, detail}});
    }
    if (!decided.changes_rows()) {
        return;
    }
    if (std::ranges::any_of(decided.put, [](const StoredPoolNode& row) {
            return row.id.empty() && row.state == PoolNodeState::requested && !row.granted;
        })) {
        ++last_request_;
    }
    auto& rows = change.of<StoredPoolNode>();
    for (const StoredPoolNode& row : decided.put) {
        rows.put.emplace_back(row);
    }
    rows.erased.insert(rows.erased.end(), decided.erased.begin(), decided.erased.end());
    auto& intents = change.of<StoredIntent>();
    for (const std::string& name : decided.drained) {
        StoredIntent row = in_.ledger.intents().proposed(name);
        row.intent = Intent::draining;
        row.reason = "the pool has more than it needs";
        row.author = author_of_drains(pool.name);
        row.since = now;
        row.deadline = CivilMs{};
        intents.put.emplace_back(std::move(row));
    }
    for (const std::string& name : decided.taken_back) {
        StoredIntent row = in_.ledger.intents().proposed(name);
        row.intent = Intent::active;
        row.reason.clear();
        row.author.clear();
        row.since = now;
        intents.put.emplace_back(std::move(row));
    }
    for (const std::string& name : decided.gone) {
        const StoredIntent before = in_.ledger.intents().proposed(name);
        auto after = no_row<StoredIntent>(name);
        after.admission = before.admission;
        if (after != before) {
            intents.put.emplace_back(std::move(after));
        }
        // The record of a name on the list stays, like the name.
        if (in_.nodes.find(name) && before.admission != Admission::listed) {
            change.of<StoredNode>().erased.push_back(name);
        }
        const StoredKey* const key = in_.ledger.keys().rows().find(name);
        // One that an admin has added is not of the pool.
        if (key != nullptr && key->role == Role::agent && key->author.starts_with("token ")) {
            change.of<StoredKey>().erased.push_back(name);
        }
    }
    std::ranges::sort(change.of<StoredNode>().erased);
    change.why = {.reason = "its provider has removed it", .author = author_of_drains(pool.name)};
}

void Scaling::save_learned(Change& change) {
    for (StoredSeason& row : in_.predictors.take_unsaved(seasons_at_once)) {
        const StoredSeason* const before = in_.ledger.seasons().rows().find(row.name);
        const bool is_new = before == nullptr || *before != row;
        if (is_new && !is_changing(row.name) && in_.ledger.meta().schema >= schema_of_seasons) {
            change.of<StoredSeason>().put.emplace_back(std::move(row));
        }
    }
}

std::optional<Instant> Scaling::next_deadline() const {
    std::optional<Instant> first = providers_.next_deadline();
    const auto note = [&](Instant at) { first = std::min(first.value_or(at), at); };
    if (in_.demand.has_changed() && demand_read_ && !pools_.empty()) {
        note(*demand_read_ + demand_read_every);
    }
    // Without the time nothing is decided, and its first input is a step.
    if (!is_writing() && time_known_since_ != CivilMs{}) {
        if (in_.predictors.has_unsaved()) {
            note(Instant{});
        }
        if (next_look_) {
            note(*next_look_);
        }
    }
    return first;
}

const PoolDecision* Scaling::decision_of(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() ? nullptr : &found->second.decision;
}

std::string Scaling::alarm_of(const std::string& pool) const {
    const auto found = pools_.find(pool);
    return found == pools_.end() ? std::string{} : found->second.alarm;
}

std::string Scaling::failure_of_calls(const std::string& pool) const {
    const auto rows = rows_.find(pool);
    if (rows == rows_.end()) {
        return {};
    }
    for (const std::string& name : rows->second) {
        const StoredPoolNode& row = *in_.ledger.pool_nodes().rows().find(name);
        const bool is_asked = row.state == PoolNodeState::removing ||
                              (row.state == PoolNodeState::requested && !row.granted);
        if (const std::string why = is_asked ? providers_.trouble(row) : ""; !why.empty()) {
            return "its provider fails: " + why;
        }
    }
    return {};
}

std::vector<PoolNode> Scaling::nodes_of(const std::string& pool) const {
    const StoredPool* const stored = in_.ledger.pools().rows().find(pool);
    return stored == nullptr ? gather(StoredPool{.name = pool}) : gather(*stored);
}

}  // namespace muster::coordinator
