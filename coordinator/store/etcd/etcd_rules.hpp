#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coordinator/core/leadership/leadership.hpp"
#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"

/// What decides whether a coordinator may lead and write, without a call to etcd. The simulator
/// runs the same rules on a model of etcd.
namespace muster::coordinator::etcd {

/// The value of the leader's key.
struct LeaderKey {
    LeaderId leader;
    Epoch epoch{};
    std::string name{};       ///< Of its host, for people.
    std::string operators{};  ///< Its endpoint for operators.
    std::string key{};        ///< The fingerprint of what it proves; empty: it has no key.
};

[[nodiscard]] std::string text_of(const LeaderKey& key);
[[nodiscard]] std::optional<LeaderKey> leader_key_of(const std::string& text);
/// What the leader's key, as read, says of who leads. Nothing: there is no such key.
[[nodiscard]] std::optional<LeaderKey> leader_key_in(const Snapshot& leader);
/// The key is of no coordinator and lasts: all was moved to another store.
[[nodiscard]] bool is_retired(const Snapshot& leader);
/// Why a coordinator that proves this key must not stand by for the one that leads. Nothing: it
/// may.
[[nodiscard]] std::optional<std::string> objection_to(const Keys& keys, const Snapshot& leader,
                                                      const std::string& own_key);
[[nodiscard]] election::Input seen_in(const Snapshot& leader);

/// The row of Meta, which a campaign replaces. It must not have changed meanwhile.
struct MetaChange {
    std::string key;
    std::optional<std::string> before;  ///< Nothing: there was no such row.
    std::string after;
};

/// Takes the lead if nobody has it, and with it the next epoch, which is in `meta`.
[[nodiscard]] Transaction campaign_of(const Keys& keys, const LeaderKey& self, LeaseId lease,
                                      MetaChange meta);

/// The revision that made our key.
struct OwnKey {
    Epoch epoch{};
    Revision made{};
};
/// The campaign was refused, and this is the leader's key. Nothing: another coordinator was faster.
/// Otherwise an earlier try of ours, which had no answer, took effect.
[[nodiscard]] std::optional<OwnKey> won_before(const Snapshot& leader, const LeaderId& self,
                                               LeaseId lease);

/// One write of a leader, which is repeated until it is clear whether it took effect.
///
///     commit it -> done, failed, again (after a pause), or read_mark -> done, refused or again
///
class SureWrite {
public:
    enum class Next : std::uint8_t {
        done,
        again,      ///< Commit it again, after a pause.
        read_mark,  ///< A condition did not hold: read the key of the last commit.
        refused,    ///< Another coordinator leads.
        failed,     ///< For a reason that does not go away.
    };

    /// `won`: the revision that made our key. `last`: the mark of the last commit; empty: there was
    /// none. `number`: of this write in this leadership.
    SureWrite(const Keys& keys, Revision won, const std::string& last, std::uint64_t number,
              Transaction write);

    [[nodiscard]] const Transaction& transaction() const { return transaction_; }
    /// The value that the key of the last commit gets with this write.
    [[nodiscard]] const std::string& mark() const { return mark_; }
    [[nodiscard]] Next on_commit(const Result<Committed>& answer) const;
    [[nodiscard]] Next on_mark(const Result<Snapshot>& answer) const;

private:
    std::string mark_;
    Transaction transaction_;
};

}  // namespace muster::coordinator::etcd
