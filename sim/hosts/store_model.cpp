#include "sim/hosts/store_model.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::sim {

namespace {

using coordinator::Erase;

const RequestId& key_of(const coordinator::StoredRequest& request) { return request.id; }

template <class Row, class Key>
auto find_row(std::vector<Row>& rows, const Key& wanted) {
    return std::lower_bound(rows.begin(), rows.end(), wanted,
                            [](const Row& row, const Key& name) { return key_of(row) < name; });
}

template <class Row>
void put(std::vector<Row>& rows, const Row& row) {
    const auto at = find_row(rows, key_of(row));
    if (at != rows.end() && key_of(*at) == key_of(row)) {
        *at = row;
    } else {
        rows.insert(at, row);
    }
}

template <class Row>
void erase(std::vector<Row>& rows, const std::string& name) {
    const auto at = find_row(rows, name);
    if (at != rows.end() && key_of(*at) == name) {
        rows.erase(at);
    }
}

// A UUIDv7 begins with 48 bits of civil milliseconds.
CivilMs made_at(const RequestId& id) { return CivilMs{static_cast<std::int64_t>(id.high >> 16U)}; }

struct Writer {
    coordinator::StoreImage& image;

    void operator()(const coordinator::Meta& meta) const { image.meta = meta; }
    template <class Row>
    void operator()(const Row& row) const {
        put(rows<Row>(), row);
    }
    template <class Row>
    void operator()(const Shared<Row>& row) const {
        put(rows<Row>(), *row);
    }
    template <class Row>
    void operator()(const Erase<Row>& row) const {
        erase(rows<Row>(), row.name);
    }
    void operator()(const Erase<coordinator::StoredFreeze>& /*row*/) const { image.freeze.clear(); }
    void operator()(const coordinator::EraseOldRequests& old) const {
        std::erase_if(image.requests, [&](const coordinator::StoredRequest& request) {
            return made_at(request.id) <= old.horizon;
        });
    }
    // The coordinator reads no row of the audit but its head.
    void operator()(const Shared<coordinator::StoredAudit>& /*row*/) const {}
    void operator()(const coordinator::EraseOldAudit& /*rows*/) const {}
    void operator()(const coordinator::Continues& /*part*/) const {}

    template <class Row>
    [[nodiscard]] std::vector<Row>& rows() const {
        return std::get<std::vector<Row>&>(
            std::tie(image.tasks, image.nodes, image.requests, image.intents, image.settings,
                     image.freeze, image.ends, image.keys, image.tokens, image.secrets, image.pools,
                     image.pool_nodes, image.seasons, image.audit));
    }
};

}  // namespace

void apply(coordinator::StoreImage& image, const coordinator::Write& write) {
    std::visit(Writer{image}, write);
}

coordinator::StoreImage new_store(Random& random) {
    coordinator::StoreImage image{};
    image.meta.cluster = ClusterId{random.next(), random.next()};
    return image;
}

StoreModel::StoreModel(const ClusterOptions& options, EventQueue& queue)
    : options_{options},
      queue_{queue},
      random_{options.seed ^ 0x73746f7265ULL},
      image_{new_store(random_)} {
    if (!options.coordinator.providers.empty()) {
        constexpr std::uint32_t schema_of_pools = 11;
        image_.meta.schema = schema_of_pools;
    }
}

const coordinator::StoreImage& StoreModel::lead() {
    ensure(waiting_.empty() && in_progress_.empty(), "one process writes a store");
    image_.meta.epoch = next(image_.meta.epoch);
    image_.meta.leader = LeaderId{random_.next(), random_.next()};
    return image_;
}

void StoreModel::submit(Instant now, std::uint64_t life, coordinator::Persist persist) {
    waiting_.push_back(std::move(persist));
    begin_if_idle(now, life);
}

void StoreModel::begin_if_idle(Instant now, std::uint64_t life) {
    if (!in_progress_.empty()) {
        return;
    }
    in_progress_ = take_whole(waiting_);
    if (!in_progress_.empty()) {
        ++commits_;
        queue_.push(now + draw(random_, options_.commit), CommitDone{life});
    }
}

void StoreModel::make_durable(const std::vector<coordinator::Persist>& writes) {
    for (const coordinator::Persist& persist : writes) {
        for (const coordinator::Write& write : persist.writes) {
            apply(image_, write);
        }
    }
}

std::vector<coordinator::Persist> StoreModel::commit(Instant now, std::uint64_t life) {
    if (failing_ || failed_) {
        failed_ = true;
        return {};
    }
    auto done = std::exchange(in_progress_, {});
    make_durable(done);
    begin_if_idle(now, life);
    return done;
}

std::vector<coordinator::Persist> StoreModel::crash() {
    waiting_.clear();
    auto done = std::exchange(in_progress_, {});
    if (random_.chance(1, 2)) {
        done.clear();
    }
    make_durable(done);
    return done;
}

}  // namespace muster::sim
