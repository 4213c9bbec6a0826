#include "coordinator/core/coordinator.hpp"

#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/check.hpp"
#include "coordinator/core/queries/lists/listing.hpp"
#include "coordinator/core/queries/read_scope.hpp"
#include "coordinator/core/rooms.hpp"
#include "coordinator/core/security/rotation.hpp"

namespace muster::coordinator {

Coordinator::Coordinator(Instant now, CoordinatorOptions options, const StoreImage& image)
    : rooms_{std::make_unique<Rooms>(now, std::move(options), image)} {}

Coordinator::~Coordinator() = default;

void Coordinator::follow(Instant now, const StoreImage& image) {
    const CivilClock clock = rooms_->memory().clock;
    rooms_ = std::make_unique<Rooms>(now, CoordinatorOptions{rooms_->memory().options}, image);
    rooms_->set(clock);
}

void Coordinator::lead(Instant now, const StoreImage& image) {
    rooms_ = std::make_unique<Rooms>(now, CoordinatorOptions{rooms_->memory().options}, image);
    stands_by_ = false;
}

Output Coordinator::step(Instant now, const Input& input) {
    if (stands_by_) {
        return rooms_->step_standing_by(now, input);
    }
    Output output = rooms_->step(now, input);
#ifndef NDEBUG
    // The check reads every node and every copy after every step.
    constexpr std::size_t most = 50;
    if (rooms_->memory().nodes.count() <= most) {
        const auto found = contradictions();
        ensure(found.empty(), found.empty() ? "" : found.front().c_str());
    }
#endif
    return output;
}

bool Coordinator::go_on(Instant now, Listing& list) const {
    return list.go_on(rooms_->memory().facts(now));
}

std::vector<std::string> Coordinator::contradictions() const {
    return coordinator::contradictions(rooms_->memory());
}

std::uint64_t Coordinator::last_in_effect() const { return rooms_->memory().ledger.durable(); }

Result<void> Coordinator::may_send(Instant now, const Caller& caller,
                                   const RequestBody& request) const {
    const Memory& memory = rooms_->memory();
    return memory.access.may_send(caller, request, memory.clock.at(now)).map([](const auto&) {});
}

bool Coordinator::is_first_use(const Caller& caller) const {
    const Keys& keys = rooms_->memory().ledger.keys();
    const StoredKey* const row = caller.is_local ? nullptr : owner_of(keys, caller.key);
    const auto soon = row == nullptr ? nullptr : keys.find(row->name);
    return soon != nullptr && coordinator::is_first_use(*soon, caller.key);
}

std::vector<PublicKey> Coordinator::admitted_keys(bool agents) const {
    return rooms_->memory().access.admitted(agents);
}

std::vector<std::string> Coordinator::zones() const { return rooms_->memory().predictors.zones(); }

std::map<PublicKey, Coordinator::Reader> Coordinator::readers(Instant now) const {
    const Memory& memory = rooms_->memory();
    std::map<PublicKey, Reader> all;
    for (const PublicKey& key : admitted_keys(false)) {
        const StoredKey& row = *owner_of(memory.ledger.keys(), key);
        if (memory.access.may_send({.key = key}, CoreRequestBody{EventsRequest{}},
                                   memory.clock.at(now))) {
            all.emplace(key, Reader{row.name, is_limited(row)});
        }
    }
    return all;
}

bool Coordinator::may_see(Instant now, std::string_view name, const Event& event) const {
    return ReadScope{rooms_->memory().facts(now), name}.sees(event);
}

std::uint64_t Coordinator::keys_version() const {
    return rooms_->memory().ledger.keys().count().version;
}

bool Coordinator::is_enrolment_open(Instant now) const {
    const Memory& memory = rooms_->memory();
    return memory.enrolments.is_open(memory.clock.at(now));
}

bool Coordinator::has_incomplete_change() const { return rooms_->has_incomplete_change(); }

Instant Coordinator::next_deadline() const {
    return stands_by_ ? Instant::max() : rooms_->next_deadline();
}

}  // namespace muster::coordinator
