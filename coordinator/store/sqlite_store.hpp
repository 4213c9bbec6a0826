#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/sqlite/sqlite.hpp"
#include "coordinator/store/rows.hpp"
#include "coordinator/store/store.hpp"

namespace muster::coordinator {

/// What stands under a path now: device and inode, or nothing.
using FileIdentity = std::optional<std::pair<std::uint64_t, std::uint64_t>>;

/// The wanted state in one SQLite file. WAL and synchronous=FULL: what is told durable survives
/// kill -9 and power loss.
///
/// Who opens it holds it: a second coordinator on the same file is refused until the first is gone.
/// A thread of its own writes; what waits meanwhile goes into one transaction (group commit). Each
/// transaction first looks whether the epoch is still ours. After the first failure nothing is
/// written: the file may not be what we think, and only opening it anew can tell. Nor is anything
/// told durable once the file was removed or replaced, for nobody will find it there.
class SqliteStore : public Store {
public:
    /// Opens or makes the file; its directory is made 0700. A new one gets `if_new` as cluster id.
    [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& path,
                                                                   const ClusterId& if_new);
    /// Writes what was submitted, and closes the file.
    ~SqliteStore() override;

    /// Writes epoch + 1 and the leader's id in one transaction, and returns all that is durable.
    /// Once, before the first submit().
    [[nodiscard]] Result<StoreImage> begin_leadership(const LeaderId& leader);

    void submit(Persist persist) override;
    [[nodiscard]] int fd() const override { return news_; }
    [[nodiscard]] std::optional<std::uint64_t> take_durable() override;
    [[nodiscard]] std::optional<std::string> failure() override;

private:
    explicit SqliteStore(std::unique_ptr<sqlite::Database> database);
    void write_until_stopped();
    [[nodiscard]] Result<void> commit(const std::vector<Persist>& group);
    [[nodiscard]] Result<void> check_place() const;
    [[nodiscard]] Result<void> write(const Persist& persist);
    void tell(const Result<void>& done, std::uint64_t number);

    std::unique_ptr<sqlite::Database> database_;  ///< The thread's alone, once it runs.
    std::optional<rows::Writer> writer_;          ///< Likewise.
    Meta leadership_;                             ///< Likewise.
    std::vector<FileIdentity> files_;             ///< Likewise: the store and its log.
    int news_ = -1;

    std::mutex mutex_;  ///< Guards what follows.
    std::condition_variable work_;
    std::vector<Persist> queue_;
    std::uint64_t durable_ = 0;
    std::uint64_t told_ = 0;
    std::optional<std::string> failure_;
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace muster::coordinator
