#include "common/net/security/key_connections.hpp"

#include <algorithm>
#include <utility>

namespace muster::net {
namespace {

constexpr Duration time_for_last_words = 50ms;

}  // namespace

KeyConnections::KeyConnections(std::size_t most, End end) : most_{most}, end_{std::move(end)} {}

bool KeyConnections::admit(const PublicKey& key, Route route, const Connection& connection) {
    auto found = known_.find(key);
    if (found == known_.end()) {
        if (!is_admitted(key)) {
            end(connection);
            return false;
        }
        found = known_.try_emplace(key).first;
    }
    Newest& newest = found->second;
    newest.try_emplace(route, connection);
    if (newest.size() <= most_) {
        return true;
    }
    const auto oldest = newest.begin();  // Perhaps this one, which was silent until now.
    const bool is_newer = oldest->first != route;
    end(oldest->second);
    newest.erase(oldest);
    return is_newer;
}

void KeyConnections::keep_only(Instant now, std::shared_ptr<const KeySet> keys) {
    end_overdue(Instant::max());
    overdue_at_ = now + time_for_last_words;
    admitted_ = std::move(keys);
    std::erase_if(known_, [this](const auto& entry) {
        if (is_admitted(entry.first)) {
            return false;
        }
        for (const auto& [route, connection] : entry.second) {
            overdue_.push_back(connection);
        }
        return true;
    });
}

void KeyConnections::end_overdue(Instant now) {
    if (now < overdue_at_) {
        return;
    }
    for (const auto& connection : std::exchange(overdue_, {})) {
        end(connection);
    }
}

std::optional<Connection> KeyConnections::find(const PublicKey& key, Route route) const {
    const auto known = known_.find(key);
    if (known == known_.end()) {
        return std::nullopt;
    }
    const auto found = known->second.find(route);
    return found == known->second.end() ? std::nullopt : std::optional{found->second};
}

bool KeyConnections::is_admitted(const PublicKey& key) const {
    return admitted_ == nullptr || std::ranges::binary_search(*admitted_, key);
}

void KeyConnections::end(const Connection& connection) {
    ++ended_;
    end_(connection);
}

}  // namespace muster::net
