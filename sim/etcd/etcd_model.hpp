#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"
#include "sim/model/world.hpp"

namespace muster::sim {

namespace etcd = coordinator::etcd;

// ---- the calls ----

struct ReadKey {
    std::string key;
};
/// All rows, as a new leader reads them.
struct ReadRows {};
struct CommitTo {
    etcd::Transaction transaction;
    std::vector<coordinator::Persist> rows;  ///< They take effect with it.
    std::uint32_t by = 0;                    ///< The control host,
    Epoch epoch{};                           ///< and the epoch in which it writes.
};
struct GrantLease {
    Duration lasts{};
};
struct RenewLease {
    coordinator::LeaseId lease{};
};
struct RevokeLease {
    coordinator::LeaseId lease{};
};
/// Of the leader's key.
struct AwaitChange {
    etcd::Revision since{};
};
using EtcdRequest =
    std::variant<ReadKey, ReadRows, CommitTo, GrantLease, RenewLease, RevokeLease, AwaitChange>;

/// Only the fields of the call are set.
struct EtcdAnswer {
    std::optional<Error> error{};
    etcd::Snapshot read{};
    coordinator::StoreImage rows{};
    etcd::Committed committed{};
    etcd::GrantedLease lease{};
};

/// A model of etcd, and of the wires between it and the control hosts.
///
/// Transactions take effect one after the other, when their request arrives. A request or its
/// answer may be lost or late: then the caller gives up at its deadline and does not know whether
/// the call took effect, or will. Leases end by the clock of etcd, which is the true one. While
/// etcd is down no lease ends; afterwards each lasts for its whole time again.
class EtcdModel {
public:
    explicit EtcdModel(World& world);

    /// Sends a request. Returns the number of the call.
    [[nodiscard]] std::uint64_t call(Instant now, std::uint32_t control, std::uint64_t life,
                                     Duration patience, EtcdRequest request);

    /// What reaches a control host.
    struct Arrival {
        std::uint32_t control = 0;
        std::uint64_t life = 0;
        EtcdAnswer answer;
    };
    [[nodiscard]] std::optional<Arrival> apply(Instant now, const EtcdDue& due);
    void end_lease(Instant now, const EtcdLeaseDue& due);
    /// The checkers learn which writes are durable: the leader knows it now, or it is over.
    void show_writes(Instant now);

    // Faults.
    void cut(Instant now, std::uint32_t control);
    void heal(Instant now, std::uint32_t control);
    void go_down(Instant now);
    void come_up(Instant now);
    /// Each message takes up to this long.
    void slow_down(Instant now, Duration most);
    /// This many of 1000 messages are lost.
    void lose(Instant now, std::uint32_t per_mille);
    /// Watches that begin at an older revision fail.
    void compact() { compacted_ = revision_; }
    void calm(Instant now);
    [[nodiscard]] bool is_reached_by(std::uint32_t control) const {
        return !is_down_ && !cut_.contains(control);
    }

    [[nodiscard]] const etcd::Keys& keys() const { return keys_; }
    [[nodiscard]] std::string meta_key() const { return keys_.row("meta", "1"); }
    [[nodiscard]] std::string meta_text(const coordinator::Meta& meta) const;

private:
    struct Call {
        std::uint32_t control = 0;
        std::uint64_t life = 0;
        std::optional<EtcdRequest> request;  ///< Until it arrives.
        std::optional<EtcdAnswer> answer;    ///< On its way.
        bool is_over = false;                ///< For the caller.
    };
    struct Lease {
        Duration lasts{};
        Instant ends{};
    };

    [[nodiscard]] bool passes(Instant now, std::uint32_t control);
    [[nodiscard]] Duration delay(Instant now);
    void disturbed(Instant now);
    void arrive(Instant now, std::uint64_t number);
    void answer(Instant now, std::uint64_t number, EtcdAnswer answer);
    [[nodiscard]] bool holds(const etcd::Condition& condition) const;
    [[nodiscard]] EtcdAnswer commit(Instant now, const CommitTo& call);
    void put(const etcd::Put& put);
    void remove_lease(Instant now, coordinator::LeaseId lease);
    void leader_changed(Instant now);
    void break_watches(Instant now, std::optional<std::uint32_t> control);
    [[nodiscard]] etcd::Snapshot read(const std::string& key) const;

    World& world_;
    etcd::Keys keys_{"/sim"};
    Random random_;
    std::vector<Call> calls_;
    std::map<std::string, etcd::Pair> pairs_;
    std::int64_t revision_ = 1;
    std::int64_t leader_changed_ = 1;
    std::int64_t compacted_ = 0;
    std::map<coordinator::LeaseId, Lease> leases_;
    std::int64_t last_lease_ = 0;
    std::vector<std::uint64_t> watches_;
    std::vector<coordinator::Persist> unshown_;
    std::set<std::uint32_t> cut_;
    bool is_down_ = false;
    Duration slowness_{};
    std::uint32_t loss_ = 0;
};

}  // namespace muster::sim
