#include "coordinator/core/workload/order_proofs.hpp"

#include <algorithm>
#include <utility>

#include "common/base/number.hpp"
#include "common/crypto/hash.hpp"

namespace muster::coordinator {

namespace {

constexpr std::string_view no_rule = "none";

/// Distinct from every text that a tag covers.
Digest id_of(const SecretKey& key) { return short_hash_of(key, "muster key of orders"); }

std::optional<ProofRule> stored_rule(const StoreImage& image) {
    const auto row = std::ranges::find(image.settings, ProofRule::setting, &StoredSetting::name);
    return row == image.settings.end() ? std::nullopt : proof_rule_from(row->value);
}

}  // namespace

std::string proof_rule_text(const std::optional<ProofRule>& rule) {
    return rule ? std::to_string(raw(rule->after)) + " " + to_string(rule->key)
                : std::string{no_rule};
}

std::optional<ProofRule> proof_rule_from(std::string_view text) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) {
        return std::nullopt;
    }
    const auto after = number_in<std::uint64_t>(text.substr(0, space));
    const auto key = parse_id<Digest>(text.substr(space + 1));
    return after && key ? std::optional{ProofRule{Generation{*after}, *key}} : std::nullopt;
}

std::uint16_t proof_mark(const Proof& proof) {
    if (proof.is_none()) {
        return 0;
    }
    const std::uint64_t all = proof.tag.high ^ proof.tag.low ^ raw(proof.incarnation);
    const std::uint64_t folded = all ^ all >> 32U;
    return static_cast<std::uint16_t>((folded ^ folded >> 16U) | 1U);
}

OrderProofs::OrderProofs(const SecretKey& key, const StoreImage& image)
    : key_{key}, key_id_{key.is_none() ? Digest{} : id_of(key)}, cluster_{image.meta.cluster} {
    const auto stored = stored_rule(image);
    has_stored_rule_ = stored.has_value();
    if (is_on() && stored && stored->key == key_id_) {
        rule_ = stored;
    }
}

Proof OrderProofs::make(const InstanceId& id, Generation generation, std::string_view node,
                        Incarnation incarnation) {
    return is_on() ? Proof{incarnation, tag_of(id, generation, node, incarnation)} : Proof{};
}

bool OrderProofs::is_right(const InstanceReport& report, std::string_view node) {
    const bool is_right = has_tag(report, node);
    checks_.push_back(is_right ? '+' : '-');
    return is_right;
}

bool OrderProofs::has_tag(const InstanceReport& report, std::string_view node) {
    if (!is_replay_) {
        return report.proof.tag ==
               tag_of(report.id, report.generation, node, report.proof.incarnation);
    }
    if (expected_.empty()) {
        return true;
    }
    const bool was_right = expected_.front() == '+';
    expected_.pop_front();
    return was_right;
}

// No name contains a line break, so two different orders never have the same text.
Digest OrderProofs::tag_of(const InstanceId& id, Generation generation, std::string_view node,
                           Incarnation incarnation) {
    text_.assign("order\n");
    text_ += to_string(cluster_);
    text_ += '\n';
    text_ += id.task;
    text_ += '\n';
    text_ += std::to_string(id.ordinal);
    text_ += '\n';
    text_ += std::to_string(raw(generation));
    text_ += '\n';
    text_ += node;
    text_ += '\n';
    text_ += std::to_string(raw(incarnation));
    return short_hash_of(key_, text_);
}

// ---- the rule ----

StoredSetting OrderProofs::rule_after(Generation after) const {
    const auto rule = is_on() ? std::optional{ProofRule{after, key_id_}} : std::nullopt;
    return {std::string{ProofRule::setting}, proof_rule_text(rule)};
}

void OrderProofs::on_durable(const StoredSetting& row) {
    if (row.name != ProofRule::setting) {
        return;
    }
    is_change_pending_ = false;
    rule_ = is_on() ? proof_rule_from(row.value) : std::nullopt;
    has_stored_rule_ = rule_.has_value();
}

void OrderProofs::resume(const SecretKey& key) {
    if (is_on() && !key.is_none()) {
        key_ = key;
        is_replay_ = false;
    }
}

std::string OrderProofs::take_checks() { return std::exchange(checks_, {}); }

ProofVerdict ProofJudge::judge(const InstanceReport& report) const {
    if (!report.proof.is_none() && proofs.is_right(report, node)) {
        return report.proof.incarnation == incarnation ? ProofVerdict::right
                                                       : ProofVerdict::earlier_life;
    }
    return is_ahead || !proofs.is_required(report.generation) ? ProofVerdict::excused
                                                              : ProofVerdict::wrong;
}

}  // namespace muster::coordinator
