#include "coordinator/store/etcd/etcd_health.hpp"

#include <utility>

namespace muster::coordinator::etcd {

EtcdHealth::EtcdHealth(Client& client) : client_{client}, thread_{[this] { run(); }} {}

EtcdHealth::~EtcdHealth() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

std::optional<std::string> EtcdHealth::trouble() const {
    const std::lock_guard lock{mutex_};
    return trouble_;
}

void EtcdHealth::run() {
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        lock.unlock();
        auto trouble = client_.silent_members();
        lock.lock();
        trouble_ = std::move(trouble);
        wake_.wait_for(lock, std::chrono::nanoseconds{interval}, [&] { return stopping_; });
    }
}

}  // namespace muster::coordinator::etcd
