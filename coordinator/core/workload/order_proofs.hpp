#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/crypto/key.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// From which change on the cluster requires proofs, under which key. It is stored as a setting.
struct ProofRule {
    static constexpr std::string_view setting = "proofs_required_after";

    Generation after{};  ///< A copy of a later generation needs a proof.
    Digest key;          ///< Identifies the key, and does not reveal it.

    friend bool operator==(const ProofRule&, const ProofRule&) = default;
};
[[nodiscard]] std::string proof_rule_text(const std::optional<ProofRule>& rule);
/// Nothing for `none`, and for any text that proof_rule_text() does not make.
[[nodiscard]] std::optional<ProofRule> proof_rule_from(std::string_view text);

/// What the proof in a report shows.
enum class ProofVerdict : std::uint8_t {
    right,         ///< The present life of the agent was ordered to start the copy.
    earlier_life,  ///< An earlier life was.
    excused,       ///< Nothing, but the copy may be older than the rule.
    wrong,         ///< Nobody ordered the copy there.
};

/// Compared instead of a whole proof, to notice that a proof changed: a million are kept. A proof
/// of the same mark is not checked again, which gains its agent nothing.
[[nodiscard]] std::uint16_t proof_mark(const Proof& proof);

/// Makes the proofs of starts, and checks the proofs that agents repeat (ADR 23). Without a key
/// there are no proofs.
///
/// A cluster that has just got a key requires no proofs: its agents may be of an earlier version,
/// and its copies were started without proofs. Once the agents of all nodes keep proofs, the rule
/// says so, with the last change until then. From this change on an agent that keeps no proofs gets
/// no starts. The rule belongs to one key: under another key it begins again.
///
/// Owned by Copies.
class OrderProofs {
public:
    OrderProofs(const SecretKey& key, const StoreImage& image);

    [[nodiscard]] bool is_on() const { return !key_.is_none(); }

    /// The proof of a start; none without a key. `incarnation`: of the life that gets the order.
    [[nodiscard]] Proof make(const InstanceId& id, Generation generation, std::string_view node,
                             Incarnation incarnation);
    [[nodiscard]] bool is_right(const InstanceReport& report, std::string_view node);

    // ---- the rule ----
    /// A copy of this generation needs a proof.
    [[nodiscard]] bool is_required(Generation generation) const {
        return rule_ && generation > rule_->after;
    }
    /// Agents without proofs get no starts.
    [[nodiscard]] bool is_required_of_agents() const {
        return is_on() && (rule_.has_value() || is_change_pending_);
    }
    /// There is a key, and no rule yet: it waits for the agents.
    [[nodiscard]] bool awaits_agents() const { return is_on() && !rule_ && !is_change_pending_; }
    /// This leadership makes no proofs, so the stored rule must not hold after it.
    [[nodiscard]] bool must_end_rule() const {
        return !is_on() && has_stored_rule_ && !is_change_pending_;
    }
    /// The row with the rule that begins after this change; without a key: with none.
    [[nodiscard]] StoredSetting rule_after(Generation after) const;
    /// Such a row is on its way to the store.
    void note_change_pending() { is_change_pending_ = true; }
    /// The setting is durable.
    void on_durable(const StoredSetting& row);
    /// An operator accepted the store of this cluster.
    void on_cluster(const ClusterId& cluster) { cluster_ = cluster; }

    // ---- for the recorder, which does not record the key ----
    /// After a restoration, with the key of the saved core. None: it can only replay.
    void resume(const SecretKey& key);
    /// The results of the checks since the last call, one letter each: '+' right, '-' wrong.
    [[nodiscard]] std::string take_checks();
    /// The next checks have these results. More checks than results are right.
    void expect(std::string_view checks) { expected_.assign(checks.begin(), checks.end()); }

private:
    friend struct CoreFields;

    [[nodiscard]] Digest tag_of(const InstanceId& id, Generation generation, std::string_view node,
                                Incarnation incarnation);
    [[nodiscard]] bool has_tag(const InstanceReport& report, std::string_view node);

    SecretKey key_;
    Digest key_id_;           // As in the rule.
    bool is_replay_ = false;  // The key is a stand-in, and checks have the expected results.
    ClusterId cluster_;
    std::optional<ProofRule> rule_;  // If it is of our key.
    bool has_stored_rule_ = false;   // Of any key.
    bool is_change_pending_ = false;
    std::string checks_;
    std::deque<char> expected_;
    std::string text_;  // Its memory is used again.
};

/// Judges the proofs in one report.
struct ProofJudge {
    OrderProofs& proofs;
    std::string_view node;
    Incarnation incarnation{};  ///< Of the life that reports.
    bool is_ahead = false;      ///< Perhaps another store, with another key, ordered its copies.

    [[nodiscard]] ProofVerdict judge(const InstanceReport& report) const;
};

}  // namespace muster::coordinator
