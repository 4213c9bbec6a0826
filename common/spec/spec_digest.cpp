#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "common/base/fnv.hpp"
#include "common/spec/description.hpp"
#include "common/spec/spec.hpp"

namespace muster {

namespace {

void hash_into(Fnv& fnv, std::unsigned_integral auto number) { fnv.number(number); }
void hash_into(Fnv& fnv, std::int32_t number) { fnv.number(static_cast<std::uint64_t>(number)); }
void hash_into(Fnv& fnv, Duration duration) {
    fnv.number(static_cast<std::uint64_t>(to_ms(duration)));
}
void hash_into(Fnv& fnv, const std::string& text) { fnv.text(text); }

void hash_into(Fnv& fnv, const std::vector<std::string>& texts) {
    fnv.number(texts.size());
    for (const auto& text : texts) {
        fnv.text(text);
    }
}

void hash_into(Fnv& fnv, const std::map<std::string, std::string>& texts) {
    fnv.number(texts.size());
    for (const auto& [key, value] : texts) {
        fnv.text(key);
        fnv.text(value);
    }
}

void hash_into(Fnv& fnv, RlimitValue value) { fnv.number(raw(value)); }
void hash_into(Fnv& fnv, Named auto value) { fnv.text(to_string(value)); }

void hash_into(Fnv& fnv, const std::vector<Constraint>& constraints) {
    fnv.number(constraints.size());
    for (const Constraint& constraint : constraints) {
        fnv.text(to_string(constraint));
    }
}

template <Described T>
void hash_into(Fnv& fnv, const T& value) {
    for_each_field<T>([&](const auto& field) { hash_into(fnv, value.*field.member); });
}

void hash_into(Fnv& fnv, const std::map<std::string, Rlimit>& rlimits) {
    fnv.number(rlimits.size());
    for (const auto& [name, limit] : rlimits) {
        fnv.text(name);
        hash_into(fnv, limit);
    }
}

/// Only the policy existed in the first release.
void hash_into(Fnv& fnv, const RestartRule& rule) { hash_into(fnv, rule.policy); }

/// Only these two numbers existed in the first release.
void hash_into(Fnv& fnv, const UpdatePolicy& update) {
    hash_into(fnv, update.max_surge);
    hash_into(fnv, update.max_unavailable);
}

void hash_rest(Fnv& fnv, const UpdatePolicy& update) {
    if (update.min_healthy != UpdatePolicy{}.min_healthy) {
        fnv.text("min_healthy");
        hash_into(fnv, update.min_healthy);
    }
}

void hash_rest(Fnv& fnv, const RestartRule& rule) {
    if (rule != RestartRule{.policy = rule.policy}) {
        fnv.text("restart");
        hash_into(fnv, rule.backoff);
        fnv.number(rule.max);
        hash_into(fnv, rule.window);
    }
}

}  // namespace

/// A later field is added after its name, and only if it differs from its default: so older digests
/// stay, and an upgrade restarts nothing.
Digest digest_of(const TaskSpec& spec) {
    Fnv fnv;
    for_each_field<TaskSpec>([&](const auto& field) {
        if (field.rule.presence != Presence::unless_default) {
            hash_into(fnv, spec.*field.member);
        }
    });
    hash_rest(fnv, spec.restart);
    hash_rest(fnv, spec.update);
    const TaskSpec unsaid;
    for_each_field<TaskSpec>([&](const auto& field) {
        if (field.rule.presence == Presence::unless_default &&
            !(spec.*field.member == unsaid.*field.member)) {
            fnv.text(field.name());
            hash_into(fnv, spec.*field.member);
        }
    });
    return fnv.digest();
}

void hash_placement(Fnv& fnv, const PlacementRule& rule) {
    for_each_field<PlacementRule>([&](const auto& field) {
        if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(field)>::Value,
                                     std::int32_t>) {
            fnv.text(std::to_string(rule.*field.member));
        } else {
            hash_into(fnv, rule.*field.member);
        }
    });
}

}  // namespace muster
