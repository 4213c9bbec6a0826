#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/log/log.hpp"
#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"
#include "coordinator/store/etcd/etcd_rows.hpp"
#include "coordinator/store/mirror.hpp"
#include "coordinator/store/store.hpp"
#include "coordinator/store/write_queue.hpp"

namespace muster::coordinator::etcd {

/// The leadership under which a store writes: the key of the leader, as it was when we won.
struct Tenure {
    Keys keys;
    ClusterId cluster;
    Revision won{};  ///< The revision that made the key.
};

/// The wanted state in etcd, one key a row. Each transaction compares the key of the leader, so
/// whoever was deposed writes nothing.
///
/// A thread of its own writes; writes that wait together share a transaction. A call without an
/// answer is repeated until it is clear whether it took effect, or until the leadership is over. A
/// change that is too large for one transaction is first written in parts, then takes effect by one
/// key, and then moves into the rows; a new leader carries on where that was broken off.
class EtcdStore : public Store {
public:
    /// Reads all rows. The client must outlive the store.
    [[nodiscard]] static Result<std::unique_ptr<EtcdStore>> open(Client& client,
                                                                 const Tenure& tenure);
    /// All that was durable when this leadership began.
    [[nodiscard]] Result<StoreImage> image() const { return mirror_->image(); }

    void submit(Persist persist) override { queue_.submit(std::move(persist)); }
    [[nodiscard]] int fd() const override { return queue_.fd(); }
    [[nodiscard]] std::optional<std::uint64_t> take_durable() override {
        return queue_.take_durable();
    }
    [[nodiscard]] std::optional<std::string> failure() override { return queue_.failure(); }
    [[nodiscard]] std::optional<std::string> trouble() const override;
    [[nodiscard]] Result<AuditPage> audit(std::optional<std::uint64_t> since,
                                          std::uint32_t limit) const override;

private:
    EtcdStore(Client& client, const Tenure& tenure, std::unique_ptr<Mirror> mirror);
    [[nodiscard]] Result<void> take_over(const Snapshot& snapshot);
    [[nodiscard]] Result<void> commit(const std::vector<Persist>& group);
    /// The changes of rows are in `rows_` then.
    [[nodiscard]] Result<void> apply_to_mirror(const std::vector<Persist>& group);
    /// If the write ends an upgrade.
    [[nodiscard]] Result<void> raise_schema(const Write& write);
    [[nodiscard]] Result<void> commit_whole(std::vector<Operation> operations);
    [[nodiscard]] Result<void> commit_in_parts(const std::vector<Operation>& operations);
    /// Into the rows, in as many transactions as that needs.
    [[nodiscard]] Result<void> move_into_rows(const std::vector<Operation>& operations);
    /// Why a write was refused.
    [[nodiscard]] Result<void> refused();
    /// As leader only. Repeats the call until it is clear whether it took effect.
    [[nodiscard]] Result<void> write_surely(Transaction transaction);
    /// Nothing: it is over.
    void note_trouble(const std::optional<std::string>& why);

    Client& client_;
    Tenure tenure_;
    std::string last_commit_;  ///< The value of the key of the last transaction; only the queue's.
    std::uint64_t commits_ = 0;
    RowWriter rows_;

    mutable std::mutex trouble_use_;
    std::optional<std::string> trouble_;
    log::RateLimit complaints_{1, 10s};

    mutable std::mutex mirror_use_;
    std::unique_ptr<Mirror> mirror_;

    WriteQueue queue_;
};

}  // namespace muster::coordinator::etcd
