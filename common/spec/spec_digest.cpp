#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fnv.hpp"
#include "common/spec/spec.hpp"

namespace muster {

namespace {

void feed(Fnv& fnv, std::unsigned_integral auto number) { fnv.number(number); }
void feed(Fnv& fnv, std::int32_t number) { fnv.number(static_cast<std::uint64_t>(number)); }
void feed(Fnv& fnv, Duration duration) { fnv.number(static_cast<std::uint64_t>(to_ms(duration))); }
void feed(Fnv& fnv, const std::string& text) { fnv.text(text); }

void feed(Fnv& fnv, const std::vector<std::string>& texts) {
    fnv.number(texts.size());
    for (const auto& text : texts) {
        fnv.text(text);
    }
}

void feed(Fnv& fnv, const std::map<std::string, std::string>& texts) {
    fnv.number(texts.size());
    for (const auto& [key, value] : texts) {
        fnv.text(key);
        fnv.text(value);
    }
}

void feed(Fnv& fnv, const std::map<std::string, Rlimit>& rlimits) {
    fnv.number(rlimits.size());
    for (const auto& [name, limit] : rlimits) {
        fnv.text(name);
        fnv.number(raw(limit.soft));
        fnv.number(raw(limit.hard));
    }
}

void feed(Fnv& fnv, const CgroupLimits& limits) {
    fnv.number(limits.cpu_milli);
    fnv.number(limits.memory_bytes);
    fnv.number(limits.pids);
}

/// Its policy is fed before, as long as there have been specs.
void feed(Fnv& fnv, const RestartRule& rule) {
    feed(fnv, rule.backoff);
    fnv.number(rule.max);
    feed(fnv, rule.window);
}

void feed(Fnv& fnv, const LogRule& log) {
    fnv.number(log.max_bytes);
    feed(fnv, log.max_age);
}

template <class T>
void feed_unless_default(Fnv& fnv, std::string_view name, const T& value, const T& by_default) {
    if (!(value == by_default)) {
        fnv.text(name);
        feed(fnv, value);
    }
}

/// What came after the first release, behind its name and only if it is not as in a spec that does
/// not say it: so the digests of older specs stay, and an upgrade restarts nothing.
void feed_later_fields(Fnv& fnv, const TaskSpec& spec) {
    const TaskSpec plain;
    feed_unless_default(fnv, "restart", spec.restart, RestartRule{.policy = spec.restart.policy});
    feed_unless_default(fnv, "env_files", spec.env_files, plain.env_files);
    feed_unless_default(fnv, "user", spec.user, plain.user);
    feed_unless_default(fnv, "user_group", spec.user_group, plain.user_group);
    feed_unless_default(fnv, "umask", spec.umask, plain.umask);
    feed_unless_default(fnv, "nice", spec.nice, plain.nice);
    feed_unless_default(fnv, "rlimits", spec.rlimits, plain.rlimits);
    feed_unless_default(fnv, "limits", spec.limits, plain.limits);
    feed_unless_default(fnv, "start_timeout", spec.start_timeout, plain.start_timeout);
    feed_unless_default(fnv, "pre_start", spec.pre_start, plain.pre_start);
    feed_unless_default(fnv, "post_stop", spec.post_stop, plain.post_stop);
    feed_unless_default(fnv, "secrets", spec.secrets, plain.secrets);
    feed_unless_default(fnv, "exclusive", spec.exclusive, plain.exclusive);
    feed_unless_default(fnv, "log", spec.log, plain.log);
}

}  // namespace

Digest digest_of(const TaskSpec& spec) {
    Fnv fnv;
    feed(fnv, spec.argv);
    feed(fnv, spec.env);
    feed(fnv, spec.workdir);
    feed(fnv, spec.stop_signal);
    feed(fnv, spec.grace);
    fnv.text(to_string(spec.restart.policy));
    fnv.number(spec.max_per_node);
    fnv.number(spec.update.max_surge);
    fnv.number(spec.update.max_unavailable);
    feed_later_fields(fnv, spec);
    return fnv.digest();
}

}  // namespace muster
