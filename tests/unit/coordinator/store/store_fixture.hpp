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

/// A store in a directory of its own, and the image it began with.
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

/// Waits for news of the store. False: there was none for a time that no machine needs.
[[nodiscard]] inline bool wait_for_news(const Store& store) {
    pollfd item{store.fd(), POLLIN, 0};
    return poll(&item, 1, 20'000) == 1;
}

/// Waits until everything up to `number` is durable, or nothing will be any more.
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

/// A write that can be told from every other.
[[nodiscard]] inline Persist numbered(std::uint64_t number) {
    StoredNode node;
    node.name = "n" + std::to_string(number);
    node.incarnation = Incarnation{number};
    return {number, {node}};
}

}  // namespace muster::coordinator
