#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/crypto/hash.hpp"
#include "sim/faults/chaos.hpp"
#include "sim/model/generators.hpp"

// Keys that end, and those who have no right to the keys and names that they use.
namespace muster::sim {

namespace {

constexpr std::array operator_names{"ada", "olga", "otto"};
constexpr std::array secrets{"first", "second"};
constexpr Duration keys_answered_within = 30s;
constexpr Duration hosts_return_within = 30s;
constexpr std::uint64_t longest_validity_ms = 15'000;
constexpr std::uint64_t longest_delay_ms = 2'000;
constexpr std::uint64_t first_key_after_faults = 1'000;

std::string hash_text(std::string_view secret) { return to_string(PublicKey{hash_of(secret)}); }

}  // namespace

void Chaos::inject_key_fault() {
    const auto labels = cluster_.labels();
    const std::string label = labels[keys_random_.below(labels.size())];
    const auto dice = keys_random_.below(16);
    if (dice < 3) {
        end_key(label);
    } else if (dice < 5) {
        cluster_.admit(label);
    } else if (dice < 7) {
        rotate_key(label);
    } else if (dice < 10) {
        use_keys_of_others(label);
    } else if (dice < 12) {
        enrol(label);
    } else {
        operate_by_key();
    }
}

void Chaos::end_key(const std::string& label) {
    const std::string name = keys_random_.chance(1, 10) ? "*" : cluster_.host(label).name();
    if (keys_random_.chance(1, 2)) {
        cluster_.revoke(name);
    } else {
        cluster_.ask(KeyRemoveRequest{name, {}});
    }
}

// The host may take its next key before it is admitted, and the key may end.
void Chaos::rotate_key(const std::string& label) {
    const PublicKey key = key_of_host(label, ++last_key_);
    const std::uint64_t valid_ms =
        keys_random_.chance(1, 2) ? 1 + keys_random_.below(longest_validity_ms) : 0;
    cluster_.ask(KeyAddRequest{.name = cluster_.host(label).name(),
                               .role = Role::agent,
                               .key = to_string(key),
                               .valid_ms = valid_ms});
    cluster_.run(std::chrono::milliseconds{keys_random_.below(longest_delay_ms)});
    if (!cluster_.host(label).is_scrapped()) {
        cluster_.set_key(label, key);
    }
}

void Chaos::use_keys_of_others(const std::string& label) {
    const auto labels = cluster_.labels();
    const std::string other = labels[keys_random_.below(labels.size())];
    const AgentHost& victim = cluster_.host(other);
    switch (keys_random_.below(4)) {
        case 0: cluster_.set_key(label, key_of_host("stranger", ++last_key_)); break;
        case 1: cluster_.set_key(label, victim.key()); break;
        default:
            if (victim.name() != cluster_.host(label).name()) {
                cluster_.steal_name(label, victim.name());
            }
    }
}

// With a token of somebody, or with none.
void Chaos::enrol(const std::string& label) {
    const AgentHost& host = cluster_.host(label);
    const std::string secret = secrets.at(keys_random_.below(secrets.size()));
    const bool is_secret = !keys_random_.chance(1, 4);
    switch (keys_random_.below(3)) {
        case 0:
            cluster_.ask(
                TokenCreateRequest{.pattern = keys_random_.chance(1, 2) ? host.name() : "n*",
                                   .hash = hash_text(secret),
                                   .ttl_ms = 1 + keys_random_.below(longest_validity_ms),
                                   .uses = static_cast<std::uint32_t>(1 + keys_random_.below(2)),
                                   .why = {}});
            break;
        case 1: cluster_.ask(NodeAcceptRequest{host.name(), fingerprint(host.key()), {}}); break;
        default:
            cluster_.ask(EnrolRequest{.name = host.name(),
                                      .secret = is_secret ? hash_text(secret) : "",
                                      .now = civil(cluster_.now())},
                         {.is_enrolling = true, .key = host.key()});
    }
}

void Chaos::operate_by_key() {
    const std::string name = operator_names.at(keys_random_.below(operator_names.size()));
    switch (keys_random_.below(8)) {
        case 0:
        case 1: admit_operator(name); break;
        case 2: cluster_.ask(KeyRevokeRequest{name, {}}); break;
        case 3: cluster_.ask(KeyRemoveRequest{name, {}}); break;
        default: cluster_.ask(any_request(), operator_with_key(name));
    }
}

void Chaos::admit_operator(const std::string& name) {
    static constexpr std::array roles{Role::observer, Role::operator_, Role::operator_,
                                      Role::admin};
    KeyAddRequest request{.name = name,
                          .role = roles.at(keys_random_.below(roles.size())),
                          .key = to_string(operator_with_key(name).key)};
    if (keys_random_.chance(1, 3)) {
        request.valid_ms = 1 + keys_random_.below(longest_validity_ms);
    }
    if (keys_random_.chance(1, 3)) {
        request.pools = {"edge"};
    }
    if (keys_random_.chance(1, 3)) {
        request.tasks = {"a*", "web"};
    }
    cluster_.ask(std::move(request));
}

RequestBody Chaos::any_request() {
    static constexpr std::array tasks{"api", "cache", "db", "web"};
    const std::string task = tasks.at(keys_random_.below(tasks.size()));
    const auto labels = cluster_.labels();
    const std::string node = cluster_.host(labels[keys_random_.below(labels.size())]).name();
    const auto count = static_cast<std::uint32_t>(keys_random_.below(5));
    switch (keys_random_.below(10)) {
        case 0:
        case 1: return TaskScaleRequest{task, count};
        case 2: return TaskRestartRequest{task};
        case 3: return TaskRemoveRequest{task};
        case 4: {
            WantedTask wanted{task, count, any_spec(keys_random_), any_rule(keys_random_)};
            if (wanted.place.every_node) {
                wanted.instances = std::min(wanted.instances, 1U);
            }
            return ApplyRequest{.tasks = {std::move(wanted)}};
        }
        case 5: return NodeDrainRequest{.pattern = node, .why = {}};
        case 6: return NodeOnlineRequest{node, {}};
        case 7: return KeyRevokeRequest{node, {}};
        case 8: return LimitSetRequest{"starts_per_round", 3};
        default: return StatusRequest{};
    }
}

// ---- the end ----

// Its own, not copied from another host, nor that of a stranger.
bool Chaos::is_own_key(const std::string& label) const {
    const PublicKey& key = cluster_.host(label).key();
    for (std::uint64_t number = 0; number <= last_key_; ++number) {
        if (key == key_of_host(label, number)) {
            return true;
        }
    }
    return false;
}

// A name may have got the key of another host in the meantime, so hosts take new ones.
void Chaos::admit_hosts() {
    if (!may(Fault::keys)) {
        return;
    }
    std::uint64_t number = first_key_after_faults;
    bool is_anyone_new = false;
    for (const std::string& label : cluster_.labels()) {
        const bool is_fine =
            is_own_key(label) && cluster_.is_admitted_for_ever(cluster_.find(label));
        if (!cluster_.host(label).is_scrapped() && !is_fine) {
            cluster_.set_key(label, key_of_host(label, ++number));
            cluster_.admit_anew(label);
            is_anyone_new = true;
        }
    }
    if (is_anyone_new) {
        (void)cluster_.run_until([&] { return cluster_.all_answered(); }, keys_answered_within);
        cluster_.run(hosts_return_within);
    }
}

}  // namespace muster::sim
