#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/log/log.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"
#include "coordinator/store/mirror.hpp"

namespace muster::coordinator::etcd {

/// A copy of a store in etcd that is kept up to date: it reads all rows once, and then watches.
/// What a watch cannot give is read again: changes that etcd has forgotten, changes in parts, and a
/// store that is older than the copy.
///
/// A thread of its own talks to etcd.
class EtcdFollower {
public:
    /// `cluster`: of a store that is still empty. `notify`, from the thread: the copy changed.
    EtcdFollower(std::unique_ptr<Client> client, Keys keys, const ClusterId& cluster,
                 std::function<void()> notify);
    ~EtcdFollower() { stop(); }
    EtcdFollower(const EtcdFollower&) = delete;
    EtcdFollower& operator=(const EtcdFollower&) = delete;

    /// The copy stays as it is.
    void stop();

    /// If the copy changed since the last call.
    [[nodiscard]] std::optional<StoreImage> take_image();
    /// Why this version cannot have a copy.
    [[nodiscard]] std::optional<std::string> fault();
    /// The last transaction in the copy; 0: there is no copy yet.
    [[nodiscard]] Revision applied() const { return applied_; }
    /// The state of the store that the copy has; 0: none.
    [[nodiscard]] Revision at() const { return at_; }
    /// The store is older than the copy was, so it is another one: it is read again.
    void read_again();

private:
    void run();
    [[nodiscard]] Result<void> read_all();
    [[nodiscard]] Result<void> watch();
    /// False: the rows must be read again.
    [[nodiscard]] bool apply(const std::vector<Change>& changes);
    /// True: rows have changed.
    [[nodiscard]] Result<bool> apply_to_mirror(const std::vector<Change>& changes);
    [[nodiscard]] Result<void> apply_row(const Change& change);
    /// With the mutex.
    void complain(const Error& error);

    std::unique_ptr<Client> client_;
    Keys keys_;
    ClusterId cluster_;
    std::function<void()> notify_;
    std::atomic<Revision> at_{};
    std::atomic<Revision> applied_{};
    std::atomic<bool> must_read_ = true;

    std::mutex mutex_;  ///< Guards what follows.
    std::unique_ptr<Mirror> mirror_;
    bool has_changed_ = false;
    std::optional<std::string> fault_;
    log::RateLimit complaints_{1, 10s};
    bool stopping_ = false;
    std::condition_variable wake_;

    std::thread thread_;
};

}  // namespace muster::coordinator::etcd
