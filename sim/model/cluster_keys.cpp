#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/codec/codec.hpp"
#include "common/crypto/hash.hpp"
#include "sim/model/cluster.hpp"

// Keys of hosts and operators, and those who use the keys and names of others.
namespace muster::sim {

namespace {

constexpr Duration taken_within = 30s;

const coordinator::StoredKey* row_of(const coordinator::StoreImage& store, std::string_view name) {
    const auto found = std::ranges::find(store.keys, name, &coordinator::StoredKey::name);
    return found == store.keys.end() ? nullptr : &*found;
}

const coordinator::AdmittedKey* find_key(const coordinator::StoredKey* row, const PublicKey& key) {
    if (row == nullptr || row->revoked || row->role != Role::agent) {
        return nullptr;
    }
    const auto found = std::ranges::find(row->keys, key, &coordinator::AdmittedKey::key);
    return found == row->keys.end() ? nullptr : &*found;
}

}  // namespace

PublicKey key_of_host(std::string_view label, std::uint64_t number) {
    return PublicKey{hash_of(fmt::format("host {} key {}", label, number))};
}

coordinator::Caller operator_with_key(std::string_view name) {
    return {.key = PublicKey{hash_of(fmt::format("operator {}", name))}};
}

// They enrolled before the story begins.
void Cluster::enrol_first_hosts() {
    if (!world_.options.coordinator.keys) {
        return;
    }
    coordinator::StoreImage image = store();
    for (std::uint32_t host = 0; host < world_.options.nodes; ++host) {
        const std::string name = fmt::format("n{}", host);
        image.keys.push_back({.name = name,
                              .role = Role::agent,
                              .keys = {{.key = key_of_host(name), .since = civil(now_)}},
                              .author = "token"});
    }
    std::ranges::sort(image.keys, {}, &coordinator::StoredKey::name);
    world_.store.replace(std::move(image));
}

void Cluster::add_host(const std::string& label, Offer offer) {
    add(label, label, std::move(offer));
    if (!is_key_admitted(find(label))) {
        admit(label);
    }
}

void Cluster::add_twin(const std::string& name) {
    add(name + "'", name, {});
    if (!is_key_admitted(find(name + "'"))) {
        admit(name + "'");
    }
}

std::size_t Cluster::admit(std::string_view label, Duration valid) {
    const AgentHost& one = host(label);
    return ask(KeyAddRequest{.name = one.name(),
                             .role = Role::agent,
                             .key = to_string(one.key()),
                             .valid_ms = static_cast<std::uint64_t>(to_ms(valid))});
}

void Cluster::admit_anew(std::string_view label) {
    const std::size_t removed = ask(KeyRemoveRequest{host(label).name(), {}});
    (void)run_until([&] { return answer(removed).has_value(); }, taken_within);
    admit(label);
}

void Cluster::set_key(std::string_view label, const PublicKey& key) {
    note(label, "takes the key " + fingerprint(key));
    at(find(label)).set_key(key);
    world_.network.reset(now_, find(label));
}

void Cluster::steal_name(std::string_view label, const std::string& name) {
    const AgentHost& thief = host(label);
    Hello hello;
    hello.name = name;
    hello.cluster = store().meta.cluster;
    hello.boot = BootId{raw(find(label)) + 1U, 1};
    hello.life = LifeId{raw(find(label)) + 1U, 2};
    hello.incarnation = Incarnation{raw(thief.disk().incarnation) + 100};
    hello.epoch = store().meta.epoch;
    hello.leader = store().meta.leader;
    hello.counter = store().meta.counter;
    hello.keeps_proofs = true;
    forge_from(label, hello);
}

void Cluster::clone_host(const std::string& name) {
    const PublicKey key = host(name).key();
    add(name + "'", name, {});
    set_key(name + "'", key);
}

bool Cluster::is_key_admitted(HostIndex host) const {
    if (!world_.options.coordinator.keys) {
        return true;
    }
    const AgentHost& agent = *agents_[raw(host)];
    const coordinator::AdmittedKey* const key =
        find_key(row_of(store(), agent.name()), agent.key());
    return key != nullptr && (key->until == CivilMs{} || key->until > civil(now_));
}

bool Cluster::is_admitted_for_ever(HostIndex host) const {
    const AgentHost& agent = *agents_[raw(host)];
    const coordinator::AdmittedKey* const key =
        find_key(row_of(store(), agent.name()), agent.key());
    return !world_.options.coordinator.keys || (key != nullptr && key->until == CivilMs{});
}

}  // namespace muster::sim
