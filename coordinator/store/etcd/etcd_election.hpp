#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/log/log.hpp"
#include "coordinator/core/leadership/leadership.hpp"
#include "coordinator/store/election.hpp"
#include "coordinator/store/etcd/etcd_client.hpp"
#include "coordinator/store/etcd/etcd_follower.hpp"
#include "coordinator/store/etcd/etcd_health.hpp"
#include "coordinator/store/etcd/etcd_keys.hpp"
#include "coordinator/store/etcd/etcd_roster.hpp"
#include "coordinator/store/etcd/etcd_rules.hpp"
#include "coordinator/store/etcd/etcd_store.hpp"

namespace muster::coordinator::etcd {

struct ElectionOptions {
    Options etcd;
    std::string prefix;  ///< Of the cluster's keys, such as /muster/prod.
    Duration lease = 5s;
    LeaderId self;
    std::string name;  ///< Of this host, for people.
    std::string version;
    std::string key{};  ///< The fingerprint of what this coordinator proves; empty: it has no key.
    /// The cluster that the store must be of, and that a new store becomes.
    ClusterId cluster;
    bool may_differ = false;  ///< Without keys the id is only for a new store.
};

/// The election among coordinators that share a store in etcd: carries out what Leadership orders,
/// on a thread of its own.
class EtcdElection : public Election {
public:
    [[nodiscard]] static Result<std::unique_ptr<EtcdElection>> begin(
        const ElectionOptions& options);
    ~EtcdElection() override;

    [[nodiscard]] int fd() const override { return news_.get(); }
    [[nodiscard]] Result<std::optional<Lead>> take_lead() override;
    void stand(const OwnState& own) override;
    [[nodiscard]] std::optional<StoreImage> follow() override;
    [[nodiscard]] std::vector<CoordinatorView> coordinators() const override {
        return roster_->rows();
    }
    [[nodiscard]] LeaderSign leader() const override;
    [[nodiscard]] Instant leads_until() const override;
    [[nodiscard]] std::optional<std::string> over() const override;
    [[nodiscard]] std::optional<std::string> trouble() const override { return health_->trouble(); }
    void resign() override;

private:
    EtcdElection(ElectionOptions options, std::unique_ptr<Client> calls,
                 std::unique_ptr<Client> writes, std::unique_ptr<Client> reads);
    void run();
    [[nodiscard]] EtcdRoster::Present present() const;
    void on_older_store();
    /// Until this coordinator stands for the election it looks who leads.
    [[nodiscard]] election::Input wait_to_stand();
    /// Logs the error, too.
    [[nodiscard]] election::Failed failed(const Error& error);
    /// What etcd shows of the leader, or that it cannot be asked.
    [[nodiscard]] election::Input look();
    /// Waits for the next thing to happen.
    [[nodiscard]] election::Input wait_for_next();
    void carry_out(const election::AskLease& order);
    void carry_out(const election::Campaign& order);
    void carry_out(const election::Renew& order);
    void carry_out(const election::Release& order);
    static void carry_out(std::monostate /*order*/) {}
    [[nodiscard]] Result<election::Input> campaign(LeaseId lease);
    /// What this coordinator writes of itself when it leads.
    [[nodiscard]] LeaderKey own_key(Epoch epoch) const;
    void publish(const election::Output& output);
    void give_up(std::string why);
    void notify() const;

    ElectionOptions options_;
    Keys keys_;
    std::unique_ptr<Client> calls_;   ///< Of the election,
    std::unique_ptr<Client> writes_;  ///< and of the store: it is stopped with the leadership.
    FileDescriptor news_;

    // Only the thread's.
    Leadership core_;
    std::deque<election::Input> next_;
    Revision seen_{};  ///< The last state of the leader's key.
    Revision won_{};
    log::RateLimit complaints_{1, 10s};
    log::RateLimit foreign_key_complaints_{1, 10s};  ///< No other complaint hides these.

    mutable std::mutex mutex_;  ///< Guards what follows.
    std::condition_variable wake_;
    LeaderSign leader_;
    std::optional<OwnState> own_;  // Nothing: this coordinator does not stand yet.
    std::optional<Tenure> tenure_;
    std::optional<Error> fault_;
    std::optional<std::string> over_;
    Instant until_{};
    bool stopping_ = false;
    bool resigning_ = false;
    bool is_older_ = false;  // The store, than what this leader wrote.
    bool has_ended_ = false;

    std::unique_ptr<EtcdFollower> follower_;
    std::unique_ptr<EtcdRoster> roster_;
    std::unique_ptr<EtcdHealth> health_;
    Instant next_image_{};  // Only of who calls follow().
    std::thread thread_;
};

}  // namespace muster::coordinator::etcd
