#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/base/time.hpp"
#include "coordinator/store/etcd/etcd_client.hpp"

namespace muster::coordinator::etcd {

/// Whether all members of etcd answer: with one of three away all works on, but nobody may miss
/// that the next one ends it. A thread of its own asks each member.
class EtcdHealth {
public:
    static constexpr Duration interval = 5s;

    explicit EtcdHealth(Client& client);
    ~EtcdHealth();
    EtcdHealth(const EtcdHealth&) = delete;
    EtcdHealth& operator=(const EtcdHealth&) = delete;

    /// Which members did not answer when they were last asked, and why. Nothing: all did.
    [[nodiscard]] std::optional<std::string> trouble() const;

private:
    void run();

    Client& client_;
    mutable std::mutex mutex_;  ///< Guards what follows.
    std::condition_variable wake_;
    std::optional<std::string> trouble_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace muster::coordinator::etcd
