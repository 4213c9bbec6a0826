#include "agent/core/instances/specs.hpp"

namespace muster::agent {

Result<void> Specs::learn(const SpecVersion& version, const std::set<Key>& used) {
    // Without the unknown field the process might run as root, or without its limits.
    if (!version.unknown_key.empty()) {
        return fail(Errc::spec_unsupported, "the spec has the field " +
                                                in_quotes(version.unknown_key) +
                                                ", which this agent does not know; upgrade it");
    }
    if (auto sound = validate({.name = version.task, .instances = 1, .spec = version.spec});
        !sound) {
        return sound;
    }
    if (full()) {
        std::erase_if(specs_, [&](const auto& entry) { return !used.contains(entry.first); });
    }
    if (full()) {
        return fail(Errc::too_large, "the agent holds " + std::to_string(bound) + " specs");
    }
    specs_.insert_or_assign({version.task, digest_of(version.spec)}, version.spec);
    return {};
}

const TaskSpec* Specs::find(const std::string& task, Digest digest) const {
    const auto found = specs_.find({task, digest});
    return found == specs_.end() ? nullptr : &found->second;
}

}  // namespace muster::agent
