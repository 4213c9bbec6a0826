#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/scaling/attempts.hpp"

namespace muster::coordinator {

/// The programs that make and remove nodes: what they listed last, and what they are asked.
///
/// It is level-triggered. The rows say what is wanted of a provider, and each call is repeated
/// until an answer or a listing shows that it is done. One listing is under way at a time, so the
/// last one that was read is the newest.
class Providers {
public:
    explicit Providers(const std::vector<std::string>& configured);

    struct Listing {
        std::map<std::string, ProvidedNode> nodes;  ///< By name of the node.
        std::uint64_t number = 0;                   ///< 0: none was read yet.
    };
    [[nodiscard]] bool is_known(const std::string& provider) const {
        return providers_.contains(provider);
    }
    [[nodiscard]] const Listing& listing(const std::string& provider) const;
    /// Why its last listing failed. Empty: it did not fail, or there was none yet.
    [[nodiscard]] std::string listing_trouble(const std::string& provider) const;
    /// Why the request for the node, or its removal, failed last. Empty: it did not.
    [[nodiscard]] std::string trouble(const StoredPoolNode& row) const;
    [[nodiscard]] std::uint64_t failures() const { return failures_; }

    struct Answered {
        std::string provider;
        std::string granted_of{};   ///< The request that was answered. Empty: none.
        std::uint32_t granted = 0;  ///< Nodes that will come.
        bool listed = false;        ///< A new listing was read.
    };
    /// Nothing: nobody waits for this answer any more.
    std::optional<Answered> on_answer(Instant now, const OutsideAnswer& answer);

    /// What the provider is asked to do now.
    struct Wanted {
        std::string provider;
        std::map<std::string, ProvisionNodes> requests;  ///< Not granted yet, by request.
        std::map<std::string, RemoveNode> removals;      ///< By id.
        bool is_waiting = false;  ///< Nodes come or go, so that listings matter.
        bool is_used = false;     ///< Some pool names it.
    };
    /// Makes the calls that are due.
    void call(Instant now, const Wanted& wanted, std::uint64_t& last_call,
              std::vector<OutsideCall>& calls);
    /// No pool names any of them, so nothing is asked.
    void rest();
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    friend struct CoreFields;

    struct Provider {
        Attempts attempts;
        Listing listing;
        std::optional<Instant> listed_at;  // When the last listing began.
        Duration interval{};               // Of listings.
    };

    std::map<std::string, Provider> providers_;
    std::uint64_t failures_ = 0;
};

}  // namespace muster::coordinator
