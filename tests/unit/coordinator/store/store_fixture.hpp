#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>

#include "coordinator/store/sqlite_store.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::coordinator {

inline constexpr ClusterId first_cluster{1, 2};
inline constexpr LeaderId first_leader{3, 4};

/// A store in its own directory, and its first image.
struct OpenStore {
    std::unique_ptr<SqliteStore> store;
    StoreImage image;
};

[[nodiscard]] inline std::string store_file(const TemporaryDirectory& directory) {
    return directory.path() + "/state/store.sqlite";
}

[[nodiscard]] inline Result<OpenStore> open_store(const std::string& file,
                                                  const LeaderId& leader = first_leader) {
    auto store = SqliteStore::open(file, first_cluster);
    if (!store) {
        return tl::unexpected{store.error()};
    }
    auto image = (*store)->begin_leadership(leader);
    if (!image) {
        return tl::unexpected{image.error()};
    }
    return OpenStore{std::move(*store), std::move(*image)};
}

/// Waits until the store's descriptor is readable. False: it was not, within a very long time.
[[nodiscard]] inline bool wait_for_news(const Store& store) {
    pollfd item{store.fd(), POLLIN, 0};
    return poll(&item, 1, 20'000) == 1;
}

/// Waits until everything up to `number` is durable, or the store has failed.
[[nodiscard]] inline bool wait_durable(Store& store, std::uint64_t number) {
    while (wait_for_news(store)) {
        if (const auto durable = store.take_durable(); durable && *durable >= number) {
            return true;
        }
        if (store.failure()) {
            return false;
        }
    }
    return false;
}

/// A write that differs from every other.
[[nodiscard]] inline Persist numbered(std::uint64_t number) {
    StoredNode node;
    node.name = "n" + std::to_string(number);
    node.incarnation = Incarnation{number};
    return {number, {node}};
}

}  // namespace muster::coordinator
