#include "coordinator/store/etcd/etcd_rules.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace muster::coordinator::etcd {

std::string text_of(const LeaderKey& key) {
    return nlohmann::json{{"leader", to_string(key.leader)},
                          {"epoch", raw(key.epoch)},
                          {"name", key.name},
                          {"operators", key.operators},
                          {"key", key.key}}
        .dump();
}

static std::string text_in(const nlohmann::json& json, const char* name) {
    const auto at = json.find(name);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

std::optional<LeaderKey> leader_key_of(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("leader") || !json["leader"].is_string() ||
        !json.contains("epoch") || !json["epoch"].is_number_unsigned()) {
        return std::nullopt;
    }
    const auto leader = parse_id<LeaderId>(json["leader"].get<std::string>());
    return leader ? std::optional{LeaderKey{.leader = *leader,
                                            .epoch = Epoch{json["epoch"].get<std::uint64_t>()},
                                            .name = text_in(json, "name"),
                                            .operators = text_in(json, "operators"),
                                            .key = text_in(json, "key")}}
                  : std::nullopt;
}

std::optional<LeaderKey> leader_key_in(const Snapshot& leader) {
    return leader.pairs.empty() ? std::nullopt : leader_key_of(leader.pairs.front().value);
}

bool is_retired(const Snapshot& leader) {
    const auto key = leader_key_in(leader);
    return key && key->leader == LeaderId{} && leader.pairs.front().lease == LeaseId{};
}

std::optional<std::string> objection_to(const Keys& keys, const Snapshot& leader,
                                        const std::string& own_key) {
    const auto key = leader_key_in(leader);
    if (!key) {
        return std::nullopt;
    }
    if (is_retired(leader)) {
        return "the store below " + keys.prefix + " in etcd is not used any more: " + key->name +
               "; take [etcd] out of the configuration, or name another prefix";
    }
    if (!own_key.empty() && !key->key.empty() && key->key != own_key) {
        return "the coordinator on " + key->name + ", which leads, proves the key " + key->key +
               ", but coordinator.key here is " + own_key +
               ", so agents and operators would not know this coordinator; copy that file from "
               "there";
    }
    return std::nullopt;
}

election::Input seen_in(const Snapshot& leader) {
    if (leader.pairs.empty()) {
        return election::NobodyLeads{};
    }
    const auto key = leader_key_in(leader);
    return election::LeaderSeen{key ? key->leader : LeaderId{}};
}

Transaction campaign_of(const Keys& keys, const LeaderKey& self, LeaseId lease, MetaChange meta) {
    Transaction campaign;
    campaign.conditions.emplace_back(IsAbsent{keys.leader()});
    campaign.conditions.emplace_back(
        meta.before ? Condition{HasValue{.key = meta.key, .value = *meta.before}}
                    : Condition{IsAbsent{meta.key}});
    campaign.operations.emplace_back(
        Put{.key = keys.leader(), .value = text_of(self), .lease = lease});
    campaign.operations.emplace_back(
        Put{.key = std::move(meta.key), .value = std::move(meta.after)});
    return campaign;
}

std::optional<OwnKey> won_before(const Snapshot& leader, const LeaderId& self, LeaseId lease) {
    const auto key = leader_key_in(leader);
    if (!key || key->leader != self || leader.pairs.front().lease != lease) {
        return std::nullopt;
    }
    return OwnKey{.epoch = key->epoch, .made = leader.pairs.front().created};
}

SureWrite::SureWrite(const Keys& keys, Revision won, const std::string& last, std::uint64_t number,
                     Transaction write)
    : mark_{fmt::format("{}.{}", static_cast<std::int64_t>(won), number)},
      transaction_{std::move(write)} {
    transaction_.conditions.emplace_back(WasMade{.key = keys.leader(), .at = won});
    transaction_.conditions.emplace_back(
        last.empty() ? Condition{IsAbsent{keys.commit()}}
                     : Condition{HasValue{.key = keys.commit(), .value = last}});
    transaction_.operations.emplace_back(Put{.key = keys.commit(), .value = mark_});
}

SureWrite::Next SureWrite::on_commit(const Result<Committed>& answer) const {
    if (!answer) {
        const Errc code = answer.error().code;
        return code == Errc::unreachable || code == Errc::busy ? Next::again : Next::failed;
    }
    return answer->done ? Next::done : Next::read_mark;
}

// An earlier try that had no answer may be the one that took effect.
SureWrite::Next SureWrite::on_mark(const Result<Snapshot>& answer) const {
    if (!answer) {
        return Next::again;
    }
    const bool is_ours = !answer->pairs.empty() && answer->pairs.front().value == mark_;
    return is_ours ? Next::done : Next::refused;
}

}  // namespace muster::coordinator::etcd
