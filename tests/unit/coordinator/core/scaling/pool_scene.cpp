#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

#include <algorithm>
#include <utility>

namespace muster::coordinator::testing {

namespace {

constexpr std::uint64_t megabyte = 1'000'000;
constexpr Duration slice = 100ms;

/// Puts or erases a row by its key.
template <class Row>
void put(std::vector<Row>& rows, const Row& row) {
    std::erase_if(rows, [&](const Row& other) { return key_of(other) == key_of(row); });
    rows.push_back(row);
    std::ranges::sort(rows, {}, [](const Row& one) { return std::string{key_of(one)}; });
}
template <class Row>
void erase(std::vector<Row>& rows, const std::string& name) {
    std::erase_if(rows, [&](const Row& row) { return key_of(row) == name; });
}

struct ApplyTo {
    StoreImage& image;

    void operator()(const Meta& meta) const { image.meta = meta; }
    void operator()(const StoredNode& node) const { put(image.nodes, node); }
    void operator()(const Shared<StoredIntent>& row) const { put(image.intents, *row); }
    void operator()(const Shared<StoredPool>& row) const { put(image.pools, *row); }
    void operator()(const Shared<StoredPoolNode>& row) const { put(image.pool_nodes, *row); }
    void operator()(const Shared<StoredSeason>& row) const { put(image.seasons, *row); }
    void operator()(const Erase<StoredSeason>& row) const { erase(image.seasons, row.name); }
    void operator()(const Erase<StoredNode>& row) const { erase(image.nodes, row.name); }
    void operator()(const Erase<StoredIntent>& row) const { erase(image.intents, row.name); }
    void operator()(const Erase<StoredPool>& row) const { erase(image.pools, row.name); }
    void operator()(const Erase<StoredPoolNode>& row) const { erase(image.pool_nodes, row.name); }
    void operator()(const auto& /*other*/) const {}
};

}  // namespace

CoordinatorOptions PoolScene::with_programs() {
    CoordinatorOptions options = CoordinatorHarness::losing_quickly();
    options.providers = {"local", "other"};
    options.predictors = {"oracle"};
    return options;
}

Result<PoolChangeReply> PoolScene::create(PoolChanges changes) {
    changes.provider = changes.provider.value_or("local");
    changes.node_amount = changes.node_amount.value_or(100);
    return change(PoolCreateRequest{"web", std::move(changes)});
}

Result<PoolChangeReply> PoolScene::change(CoreRequestBody request) {
    const auto reply = harness.ask(std::move(request), harness.fresh_id());
    REQUIRE(reply);
    if (!reply->result) {
        return tl::unexpected{reply->result.error()};
    }
    return std::get<PoolChangeReply>(*reply->result);
}

void PoolScene::make_nodes(Amount nodes, PoolChanges changes) {
    REQUIRE(create(std::move(changes)));
    need(nodes * 100);
    pass(5s);
    REQUIRE(in_state("active").size() == nodes);
}

void PoolScene::make_busy(std::uint32_t instances) {
    WantedTask task = CoordinatorHarness::wanted("work", instances);
    task.place.pool = "web";
    REQUIRE(harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id()));
    pass(3s);
    REQUIRE(harness.running("work") == instances);
    for (auto& [name, fake] : harness.fakes) {
        fake.obeys = false;
    }
}

void PoolScene::need(Amount amount) {
    need_ = amount;
    has_need_ = true;
    repeat_need();
}

void PoolScene::repeat_need() {
    needed_ = harness.now;
    const auto reply = harness.ask(DemandSetRequest{.reporter = "lb", .needs = {{"web", need_}}});
    REQUIRE(reply);
    REQUIRE(reply->result);
}

void PoolScene::pass(Duration duration) {
    const Instant end = harness.now + duration;
    while (harness.now < end) {
        harness.pass(std::min(slice, end - harness.now));
        harness.give(CivilTime{CivilMs{raw(CoordinatorHarness::civil_start) +
                                       to_ms(harness.now - CoordinatorHarness::start)},
                               zones});
        if (has_need_ && harness.now >= needed_ + 1s) {
            repeat_need();
        }
        answer_calls();
    }
}

void PoolScene::answer_calls() {
    if (local.is_slow) {
        return;
    }
    for (const OutsideCall& call : std::exchange(harness.calls, {})) {
        harness.give(OutsideAnswer{call.number, answer_to(call)});
    }
}

OutsideResult PoolScene::answer_to(const OutsideCall& call) {
    if (std::holds_alternative<ListNodes>(call.what)) {
        ++local.listings;
        if (!local.cannot_list.empty()) {
            return CallFailed{local.cannot_list};
        }
        NodesListed listed;
        for (const auto& [name, node] : local.nodes) {
            listed.nodes.push_back(node);
        }
        return listed;
    }
    if (const auto* const provision = std::get_if<ProvisionNodes>(&call.what)) {
        return provide(*provision);
    }
    if (const auto* const remove = std::get_if<RemoveNode>(&call.what)) {
        local.removals.push_back(*remove);
        if (!local.removes) {
            return CallFailed{"the machine does not stop"};
        }
        if (local.keeps) {
            return NodeRemoved{};
        }
        for (auto node = local.nodes.begin(); node != local.nodes.end();) {
            const bool is_it = node->second.id == remove->id;
            if (is_it && harness.fakes.contains(node->first)) {
                die(node->first);
            }
            node = is_it ? local.nodes.erase(node) : std::next(node);
        }
        return NodeRemoved{};
    }
    local.questions.push_back(std::get<PredictNeed>(call.what));
    return local.predicts ? OutsideResult{NeedPredicted{*local.predicts}}
                          : OutsideResult{CallFailed{"it knows nothing"}};
}

OutsideResult PoolScene::provide(const ProvisionNodes& provision) {
    local.provisions.push_back(provision);
    if (!local.refuses.empty()) {
        return CallFailed{local.refuses};
    }
    const std::uint32_t granted = std::min(provision.count, local.grants);
    if (local.requests.insert(provision.request).second) {
        for (std::uint32_t at = 0; at < std::min(granted, local.brings); ++at) {
            const std::string number = std::to_string(++local.made);
            const std::string name = "web-" + (number.size() < 2 ? "0" + number : number);
            local.nodes[name] = {.id = "i-" + number,
                                 .node = name,
                                 .pool = provision.pool,
                                 .request = local.names_requests ? provision.request : ""};
            if (local.is_joined) {
                join(name, provision.pool);
            }
        }
    }
    return NodesGranted{granted};
}

FakeAgent& PoolScene::join(const std::string& node, const std::string& pool) {
    FakeAgent& fake = harness.add(node);
    fake.offer.pool = pool;
    fake.offer.capacity.memory_bytes = 100 * megabyte;
    harness.send_hello(fake);
    return fake;
}

void PoolScene::die(const std::string& node) {
    const Session session = harness[node].session;
    harness.fakes.erase(node);
    harness.give(SessionClosed{session});
}

std::vector<std::string> PoolScene::in_state(const std::string& state) {
    std::vector<std::string> names;
    for (const PoolNodeView& node : shown().nodes) {
        if (node.state == state && !node.node.empty()) {
            names.push_back(node.node);
        }
    }
    std::ranges::sort(names);
    return names;
}

std::size_t PoolScene::slots() {
    const auto nodes = shown().nodes;
    return static_cast<std::size_t>(
        std::ranges::count_if(nodes, [](const PoolNodeView& node) { return node.node.empty(); }));
}

std::vector<std::string> PoolScene::member_names() {
    std::vector<std::string> names;
    for (const PoolMemberView& member : members().members) {
        names.push_back(member.node);
    }
    return names;
}

std::string PoolScene::explained() {
    return harness.read<ExplainReply>(ExplainRequest{Subject::pool, "web"}).detail;
}

bool PoolScene::has_alarm(const std::string& text) {
    const auto alarms = harness.status().alarms;
    return std::ranges::any_of(alarms, [&](const std::string& alarm) {
        return alarm.starts_with("pool 'web': ") && alarm.find(text) != std::string::npos;
    });
}

std::size_t PoolScene::count_of_events(const std::string& topic) const {
    return static_cast<std::size_t>(std::ranges::count(harness.events, topic, &Event::topic));
}

std::uint32_t PoolScene::asked() const {
    std::map<std::string, std::uint32_t> all;
    for (const ProvisionNodes& provision : local.provisions) {
        all[provision.request] = provision.count;
    }
    std::uint32_t sum = 0;
    for (const auto& [request, count] : all) {
        sum += count;
    }
    return sum;
}

StoreImage PoolScene::image() const {
    StoreImage image = CoordinatorHarness::empty_store();
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            std::visit(ApplyTo{image}, write);
        }
    }
    image.meta.epoch = next(image.meta.epoch);
    return image;
}

}  // namespace muster::coordinator::testing
