#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/cluster.hpp"
#include "coordinator/store/election.hpp"
#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"

namespace muster::coordinator::etcd {

/// Which coordinators there are: each writes what it says of itself under a key that lasts as long
/// as a lease of its own, and reads the keys of all.
///
/// A thread of its own does so, every second.
class EtcdRoster {
public:
    static constexpr Duration interval = 1s;

    /// What the thread asks each time.
    struct Present {
        bool leads = false;
        Epoch epoch{};
        Revision applied{};  ///< Of a leader: the last transaction that it knows to be its own.
        Revision at{};       ///< The state of the store that its copy has.
    };
    struct Self {
        LeaderId id;
        std::string name;  ///< Of this host.
        std::string version;
        std::uint32_t schema = 0;  ///< The newest that it knows.
        Duration lease{};
    };

    /// `on_older` is called when the store is older than the copy, or than what the leader wrote:
    /// it is another store.
    EtcdRoster(Client& client, Keys keys, Self self, std::function<Present()> present,
               std::function<void()> on_older);
    /// Its entry is gone at once.
    ~EtcdRoster();
    EtcdRoster(const EtcdRoster&) = delete;
    EtcdRoster& operator=(const EtcdRoster&) = delete;

    /// From now on this coordinator has an entry.
    void enter(const OwnState& own);
    /// As last read, the leader first. Empty: etcd does not answer.
    [[nodiscard]] std::vector<CoordinatorView> rows() const;

private:
    void run();
    /// Writes the own entry, and reads all.
    [[nodiscard]] Result<std::vector<CoordinatorView>> renew(bool is_entered);
    [[nodiscard]] Result<void> keep_lease();
    [[nodiscard]] Result<void> write(const Present& present, Revision head);
    [[nodiscard]] Result<std::vector<CoordinatorView>> read() const;

    Client& client_;
    Keys keys_;
    Self self_;
    std::function<Present()> present_;
    std::function<void()> on_older_;

    // Only the thread's.
    std::optional<LeaseId> lease_;
    std::string written_;            // What the key says.
    std::optional<Instant> behind_;  // Since then the store has a later change.

    mutable std::mutex mutex_;  ///< Guards what follows.
    std::condition_variable wake_;
    std::optional<OwnState> own_;
    std::vector<CoordinatorView> rows_;
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace muster::coordinator::etcd
