#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/sqlite/sqlite.hpp"
#include "coordinator/store/rows.hpp"
#include "coordinator/store/store.hpp"
#include "coordinator/store/write_queue.hpp"

namespace muster::coordinator {

/// The file under a path now: device and inode, or nothing.
using FileIdentity = std::optional<std::pair<std::uint64_t, std::uint64_t>>;

/// The wanted state in one SQLite file. WAL and synchronous=FULL: a write that was reported durable
/// survives kill -9 and power loss.
///
/// The process that opens the file owns it: a second coordinator on the same file is refused until
/// the first is gone. A thread of its own writes; waiting writes go into one transaction (group
/// commit). Each transaction first checks that the epoch is still ours. After the first failure
/// nothing is written: the content of the file is uncertain until it is opened again. After the
/// file was removed or replaced, nothing is reported durable, because nobody would find it.
class SqliteStore : public Store {
public:
    /// Opens or makes the file; its directory gets mode 0700. A new file gets `if_new` as cluster
    /// id.
    [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& path,
                                                                   const ClusterId& if_new);
    /// Writes epoch + 1 and the leader's id in one transaction, and returns all that is durable. To
    /// be called once, before the first submit().
    [[nodiscard]] Result<StoreImage> begin_leadership(const LeaderId& leader);

    void submit(Persist persist) override { queue_.submit(std::move(persist)); }
    [[nodiscard]] int fd() const override { return queue_.fd(); }
    [[nodiscard]] std::optional<std::uint64_t> take_durable() override {
        return queue_.take_durable();
    }
    [[nodiscard]] std::optional<std::string> failure() override { return queue_.failure(); }
    [[nodiscard]] Result<AuditPage> audit(std::optional<std::uint64_t> since,
                                          std::uint32_t limit) const override;

private:
    explicit SqliteStore(std::unique_ptr<sqlite::Database> database);
    [[nodiscard]] Result<void> commit(const std::vector<Persist>& group);
    [[nodiscard]] Result<void> check_place() const;
    [[nodiscard]] Result<void> write(const Persist& persist);

    /// Held while the file is read or written. No other connection may read it: the lock of a
    /// coordinator excludes those of its own process, too.
    mutable std::mutex file_;
    std::unique_ptr<sqlite::Database> database_;  ///< Once the queue runs, under that mutex only.
    std::optional<rows::Writer> writer_;          ///< Only the queue's, once it runs.
    Meta leadership_;                             ///< Likewise.
    std::vector<FileIdentity> files_;             ///< Likewise: the store and its log.
    WriteQueue queue_;
};

}  // namespace muster::coordinator
