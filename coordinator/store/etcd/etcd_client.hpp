#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/leadership/leadership.hpp"
#include "coordinator/store/etcd/etcd_transaction.hpp"

/// The calls to etcd that muster makes.
namespace muster::coordinator::etcd {

struct Options {
    std::vector<std::string> endpoints;  ///< `host:port`; all members of one etcd cluster.
    std::string ca_file{};               ///< Certificates of who signed etcd's. Empty: no TLS.
    std::string certificate_file{};      ///< Ours, with its
    std::string key_file{};              ///< key.
    std::string user{};
    std::string password{};
    Duration deadline = 2s;  ///< Of one call, over all endpoints.
    /// The id of the etcd cluster, once a member has said it; for all clients of a process. A
    /// member of another etcd cluster counts as one that does not answer.
    std::shared_ptr<std::atomic<std::uint64_t>> cluster =
        std::make_shared<std::atomic<std::uint64_t>>(0);
};

struct Pair {
    std::string key;
    std::string value;
    Revision created{};  ///< When the key was made.
    Revision changed{};  ///< When it was written last.
    LeaseId lease{};     ///< 0: none.
};

/// All pairs of a range at one revision, sorted by key.
struct Snapshot {
    Revision at{};
    std::vector<Pair> pairs;
};

struct Committed {
    bool done = false;  ///< False: a condition did not hold.
    Revision at{};
};

struct GrantedLease {
    LeaseId id{};
    Duration lasts{};
};

/// The first key that has not this prefix, and is after those that have it.
[[nodiscard]] std::string end_of(std::string prefix);

/// Blocking calls. Each tries the endpoints in turn until one answers or its deadline passes. An
/// error says what was asked, of whom, and why it failed:
///
///     unreachable   no answer: what was asked may have happened, or happen yet
///     busy          etcd takes no changes for the time being, such as for want of space
///     denied        etcd does not let us
///     not_found     a lease that etcd does not know
///     stale_request etcd has forgotten what was asked for, by compactions in quick succession
///     store_failed  all else
///
/// Any thread may call it.
class Client {
public:
    /// Reads the files of certificates. Does not wait for a connection.
    [[nodiscard]] static Result<std::unique_ptr<Client>> open(const Options& options);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// An error: members that answer are of different etcd clusters, so there are several stores.
    [[nodiscard]] Result<void> check_members();
    /// The members that do not answer, and why. Nothing: all answer.
    [[nodiscard]] std::optional<std::string> silent_members();

    /// Linearizable: it contains every transaction that was confirmed before.
    [[nodiscard]] Result<Snapshot> read(const std::string& key, const std::string& end = {});
    [[nodiscard]] Result<Committed> commit(const Transaction& transaction);
    /// Of this client's transactions that took effect; 0: there was none.
    [[nodiscard]] Revision last_commit() const;

    [[nodiscard]] Result<GrantedLease> grant(Duration lasts);
    /// How long it lasts from the moment of the call.
    [[nodiscard]] Result<Duration> renew(LeaseId lease);
    [[nodiscard]] Result<void> revoke(LeaseId lease);

    /// Gives the changes of a range after `since`, those of a transaction at once, until `use` is
    /// false. The error, otherwise: `timeout` after `patience`, `stale_request` if etcd has
    /// forgotten the first of them, and so the range must be read again.
    [[nodiscard]] Result<void> watch(const std::string& key, const std::string& end, Revision since,
                                     Duration patience,
                                     const std::function<bool(const std::vector<Change>&)>& use);
    /// Returns once a key of the range was changed or deleted after `since`; an error after
    /// `patience`, or if the connection broke. `stop` ends it from another thread.
    [[nodiscard]] Result<void> await_change(const std::string& key, Revision since,
                                            Duration patience);
    /// Ends calls that wait, from another thread, and refuses later ones.
    void stop();
    [[nodiscard]] bool is_stopped() const;

private:
    struct Impl;
    explicit Client(std::unique_ptr<Impl> impl);
    [[nodiscard]] Result<Snapshot> read_once(const std::string& key, const std::string& end);

    std::unique_ptr<Impl> impl_;
};

}  // namespace muster::coordinator::etcd
