#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/net/accept/accept.hpp"
#include "common/net/security/authenticator.hpp"

namespace muster::net {

/// The connections by which each key speaks: the newest ones, up to a bound. Others are ended, and
/// what they have sent counts for nothing, whether it was read or not; the same holds for all of a
/// key that is no longer admitted.
///
/// A connection is known once it has sent something. Routes are numbered in the order of their
/// connections, so a key that has all that it may need not remember older ones.
class KeyConnections {
public:
    using Route = std::uint32_t;
    using End = std::function<void(const Connection& connection)>;

    /// `most`: of each key. `end` ends a connection.
    KeyConnections(std::size_t most, End end);

    /// A message came in. False: it counts for nothing, and its connection ends.
    [[nodiscard]] bool admit(const PublicKey& key, Route route, const Connection& connection);
    [[nodiscard]] bool is_admitted(const PublicKey& key) const;
    /// From now on these keys are admitted, and no others. Until the first call all are. What was
    /// said to the others still reaches them, before end_overdue().
    void keep_only(Instant now, std::shared_ptr<const KeySet> keys);
    void end_overdue(Instant now);
    [[nodiscard]] std::optional<Connection> find(const PublicKey& key, Route route) const;
    /// How many were ended so far.
    [[nodiscard]] std::uint64_t ended() const { return ended_; }

private:
    using Newest = std::map<Route, Connection>;

    void end(const Connection& connection);

    std::size_t most_;
    End end_;
    std::shared_ptr<const KeySet> admitted_;
    std::unordered_map<PublicKey, Newest, KeyHash> known_;
    std::vector<Connection> overdue_;  // All end at once.
    Instant overdue_at_{};
    std::uint64_t ended_ = 0;
};

}  // namespace muster::net
