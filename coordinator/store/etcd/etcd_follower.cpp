#include "coordinator/store/etcd/etcd_follower.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/net/host/clock.hpp"
#include "coordinator/store/etcd/etcd_parts.hpp"
#include "coordinator/store/etcd/etcd_rows.hpp"

namespace muster::coordinator::etcd {

namespace {

/// A watch says nothing of a connection that died quietly, nor that the store became another one.
constexpr Duration one_watch = 5s;
constexpr Duration before_next_try = 200ms;

}  // namespace

EtcdFollower::EtcdFollower(std::unique_ptr<Client> client, Keys keys, const ClusterId& cluster,
                           std::function<void()> notify)
    : client_{std::move(client)},
      keys_{std::move(keys)},
      cluster_{cluster},
      notify_{std::move(notify)},
      thread_{[this] { run(); }} {}

void EtcdFollower::stop() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_all();
    client_->stop();
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::optional<StoreImage> EtcdFollower::take_image() {
    const std::lock_guard lock{mutex_};
    if (!std::exchange(has_changed_, false)) {
        return std::nullopt;
    }
    auto image = mirror_->image();
    if (!image) {
        complain(image.error());
        return std::nullopt;
    }
    return *std::move(image);
}

std::optional<std::string> EtcdFollower::fault() {
    const std::lock_guard lock{mutex_};
    return fault_;
}

void EtcdFollower::read_again() { must_read_ = true; }

void EtcdFollower::run() {
    while (!client_->is_stopped()) {
        const bool is_reading = must_read_.exchange(false);
        auto done = is_reading ? read_all() : Result<void>{};
        if (done) {
            done = watch();
        } else {
            must_read_ = true;
        }
        if (!done && !client_->is_stopped()) {
            std::unique_lock lock{mutex_};
            complain(done.error());
            wake_.wait_for(lock, std::chrono::nanoseconds{before_next_try},
                           [&] { return stopping_; });
        }
    }
}

Result<void> EtcdFollower::read_all() {
    const std::string all = keys_.prefix + "/";
    const auto snapshot = client_->read(all, end_of(all));
    if (!snapshot) {
        return tl::unexpected{snapshot.error()};
    }
    const auto found = holdings_of(keys_, *snapshot);
    {
        const std::lock_guard lock{mutex_};
        fault_ = found ? std::nullopt : std::optional{found.error().detail};
    }
    if (!found) {
        notify_();
        return tl::unexpected{found.error()};
    }
    auto mirror = Mirror::open("etcd " + keys_.prefix, cluster_);
    if (!mirror) {
        return tl::unexpected{mirror.error()};
    }
    RowWriter rows{keys_};
    const auto put = take_over(keys_, *found, **mirror, rows);
    if (!put) {
        return put;
    }
    {
        const std::lock_guard lock{mutex_};
        mirror_ = std::move(*mirror);
        has_changed_ = true;
    }
    at_ = found->rows.at;
    applied_ = found->committed;
    notify_();
    return {};
}

Result<void> EtcdFollower::watch() {
    const std::string all = keys_.prefix + "/";
    const auto watched =
        client_->watch(all, end_of(all), at_.load(), one_watch,
                       [&](const std::vector<Change>& changes) { return apply(changes); });
    if (watched || watched.error().code == Errc::stale_request) {
        must_read_ = true;
        return {};
    }
    return watched.error().code == Errc::timeout ? Result<void>{} : watched;
}

bool EtcdFollower::apply(const std::vector<Change>& changes) {
    const auto is_whole_change = [&](const Change& change) {
        return change.value && change.key.starts_with(keys_.parts()) &&
               change.key.ends_with("/whole");
    };
    const auto is_later_piece = [&](const Change& change) {
        return change.value && change.key.starts_with(keys_.rows()) &&
               !change.key.ends_with("/" + piece_name(0));
    };
    const auto is_schema = [&](const Change& change) { return change.key == keys_.schema(); };
    if (must_read_ || std::ranges::any_of(changes, is_schema) ||
        std::ranges::any_of(changes, is_whole_change) ||
        std::ranges::any_of(changes, is_later_piece)) {
        return false;
    }
    const auto is_news = apply_to_mirror(changes);
    if (!is_news) {
        const std::lock_guard lock{mutex_};
        complain(is_news.error());
        return false;
    }
    at_ = changes.back().at;
    if (*is_news) {
        notify_();
    }
    return true;
}

Result<bool> EtcdFollower::apply_to_mirror(const std::vector<Change>& changes) {
    const std::lock_guard lock{mutex_};
    bool is_news = false;
    for (const Change& change : changes) {
        if (change.key == keys_.commit()) {
            applied_ = change.at;
        } else if (change.key.starts_with(keys_.rows()) &&
                   change.key.ends_with("/" + piece_name(0))) {
            if (const auto done = apply_row(change); !done) {
                return tl::unexpected{done.error()};
            }
            is_news = has_changed_ = true;
        }
    }
    return is_news;
}

Result<void> EtcdFollower::apply_row(const Change& change) {
    const std::size_t begin = keys_.rows().size();
    const std::size_t slash = change.key.find('/', begin);
    const std::string table = change.key.substr(begin, slash - begin);
    if (change.value) {
        return mirror_->put(table, *change.value);
    }
    const std::size_t last = change.key.rfind('/');
    return mirror_->erase({.table = table,
                           .key = change.key.substr(slash + 1, last - slash - 1),
                           .text = {},
                           .and_before = false});
}

void EtcdFollower::complain(const Error& error) {
    log::write(complaints_, net::boottime_now(), log::Level::warn,
               "the store in etcd cannot be followed, trying again", {{"reason", error.detail}});
}

}  // namespace muster::coordinator::etcd
