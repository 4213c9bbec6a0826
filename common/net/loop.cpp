#include "common/net/loop.hpp"

#include <algorithm>

#include <zmq.hpp>

#include "common/net/host/clock.hpp"

namespace muster::net {

struct Loop::Watch {
    const Socket* socket = nullptr;  ///< Or none: then `fd` is watched.
    int fd = -1;
    Receive receive;
    Ready ready;
    bool forgotten = false;
};

struct Loop::Items {
    std::vector<zmq_pollitem_t> list;  ///< One for each watch, in the same order.
};

Loop::Loop() : items_{std::make_unique<Items>()} {}
Loop::~Loop() = default;

void Loop::watch(const Socket& socket, Receive receive) {
    watches_.push_back(std::make_unique<Watch>(
        Watch{.socket = &socket, .receive = std::move(receive), .ready = {}}));
}

void Loop::watch(int fd, Ready ready) {
    watches_.push_back(
        std::make_unique<Watch>(Watch{.fd = fd, .receive = {}, .ready = std::move(ready)}));
}

// A handler may forget its own watch or another's: the next turn removes them.

void Loop::forget(const Socket& socket) {
    for (auto& watch : watches_) {
        watch->forgotten = watch->forgotten || watch->socket == &socket;
    }
}

void Loop::forget(int fd) {
    for (auto& watch : watches_) {
        watch->forgotten = watch->forgotten || (watch->socket == nullptr && watch->fd == fd);
    }
}

Instant Loop::turn(Instant deadline) {
    std::erase_if(watches_, [](const auto& watch) { return watch->forgotten; });
    wait_until(deadline);
    const Instant now = boottime_now();
    // By index, and only as far as was polled: a handler may add watches.
    for (std::size_t i = 0; i < items_->list.size(); ++i) {
        if (items_->list[i].revents != 0 && !watches_[i]->forgotten) {
            call(*watches_[i], now);
        }
    }
    return now;
}

void Loop::wait_until(Instant deadline) {
    items_->list.clear();
    for (const auto& watch : watches_) {
        void* const handle = watch->socket == nullptr ? nullptr : watch->socket->handle();
        items_->list.push_back({handle, watch->fd, ZMQ_POLLIN, 0});
    }
    const auto left = std::max(deadline - boottime_now(), Duration::zero());
    // Rounded up, because a turn that ends before its deadline would need another turn. An hour
    // equals never, and cannot overflow.
    const auto timeout = std::min<Duration>(left, 1h) + 999'999ns;
    const int count = static_cast<int>(items_->list.size());
    if (zmq_poll(items_->list.data(), count, static_cast<long>(to_ms(timeout))) < 0) {
        for (auto& item : items_->list) {
            item.revents = 0;  // Interrupted: no events.
        }
    }
}

void Loop::call(Watch& watch, Instant now) {
    if (watch.socket == nullptr) {
        watch.ready(now);
        return;
    }
    const Instant began = boottime_now();
    for (std::size_t i = 0; i < messages_per_turn && !watch.forgotten; ++i) {
        if (!watch.receive(now) || boottime_now() - began >= time_per_turn) {
            return;
        }
    }
}

}  // namespace muster::net
