#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "coordinator/core/io.hpp"
#include "sim/model/event_queue.hpp"
#include "sim/model/options.hpp"

namespace muster::sim {

/// What the provider does wrong. Chances are per mille, and none by default.
struct ProviderFaults {
    Span takes{10ms, 50ms};         ///< A call on its way, and its answer on its way back.
    Span boot{1s, 3s};              ///< From a node's first listing until its host has power.
    std::uint32_t slow = 0;         ///< A call takes up to twice the patience of its caller.
    std::uint32_t refuses = 0;      ///< Nothing is provisioned.
    std::uint32_t keeps = 0;        ///< Nothing is removed.
    std::uint32_t never = 0;        ///< A granted node never comes.
    std::uint32_t late = 0;         ///< It comes after `late_by`.
    Span late_by{10s, 40s};         ///< It may have been given up by then.
    std::uint32_t twice = 0;        ///< Two nodes come for one.
    std::uint32_t fewer = 0;        ///< It grants fewer than it was asked for,
    std::uint32_t more = 0;         ///< or more.
    std::uint32_t no_list = 0;      ///< A listing fails,
    std::uint32_t empty_list = 0;   ///< is empty,
    std::uint32_t short_list = 0;   ///< or misses each node with an even chance.
    std::uint32_t most_nodes = 16;  ///< It refuses what would be more.
};

/// The names of the one provider of a simulated cluster, and of the one predictor.
inline constexpr const char* provider_name = "sim";
inline constexpr const char* predictor_name = "oracle";

[[nodiscard]] std::string describe(const coordinator::OutsideCall& call);
[[nodiscard]] std::string describe(const coordinator::OutsideResult& result);

/// A node that the provider has made.
struct MadeNode {
    coordinator::ProvidedNode listed;
    bool exists = false;  ///< It is listed. Its host may still have to boot.
    bool has_booted = false;
    bool is_gone = false;
};

/// The provider of a simulated cluster. It is outside of it: it survives each coordinator, and a
/// call takes effect even if the one who made it does not wait for the answer any more.
///
///     call -> arrives: takes effect -> answers        or after the patience of the caller: failed
///     provision -> a node is listed -> its host boots -> ... -> removed: its host is scrapped
///
/// A request is carried out once: a repetition gets the same answer.
class ProviderModel {
public:
    /// As long as the shell waits for an answer.
    static constexpr Duration patience = 10s;

    ProviderModel(std::uint64_t seed, EventQueue& queue)
        : queue_{queue}, random_{seed ^ 0x70726f76ULL} {}

    void call(Instant now, std::uint32_t control, std::uint64_t life,
              const coordinator::OutsideCall& call);

    struct Arrival {
        std::uint32_t control = 0;
        std::uint64_t life = 0;
        coordinator::OutsideAnswer answer;
    };
    /// A call has come one stage further. Returns the answer that reaches its caller.
    [[nodiscard]] std::optional<Arrival> apply(Instant now, const ProviderDue& due);
    /// A node has come one stage further. Returns it if its host boots now.
    [[nodiscard]] const MadeNode* apply(Instant now, const ProvidedNodeDue& due);

    /// A node ends without having been removed: it is not listed any more.
    void vanish(const std::string& node);
    /// The names of the nodes that ended since the last call. Their hosts are gone.
    [[nodiscard]] std::vector<std::string> take_gone() { return std::exchange(gone_, {}); }

    void set_faults(const ProviderFaults& faults) { faults_ = faults; }
    [[nodiscard]] const ProviderFaults& faults() const { return faults_; }
    /// All that it has ever made, in this order.
    [[nodiscard]] const std::vector<MadeNode>& nodes() const { return nodes_; }
    /// Null: it did not make a node of this name.
    [[nodiscard]] const MadeNode* find(const std::string& node) const;
    [[nodiscard]] std::size_t existing() const;
    /// A node or its host is still to come.
    [[nodiscard]] bool is_making() const {
        return provisions_on_way_ > 0 || std::ranges::any_of(nodes_, [](const MadeNode& node) {
                   return !node.is_gone && !node.has_booted;
               });
    }

private:
    struct Call {
        std::uint32_t control = 0;
        std::uint64_t life = 0;
        coordinator::OutsideCall made;
        std::optional<coordinator::OutsideResult> answer{};
        bool is_over = false;  ///< For its caller.
    };

    [[nodiscard]] bool happens(std::uint32_t per_mille) {
        return per_mille > 0 && random_.chance(per_mille, 1000);
    }
    [[nodiscard]] Duration way() {
        return happens(faults_.slow) ? draw(random_, Span{0s, 2 * patience})
                                     : draw(random_, faults_.takes);
    }
    [[nodiscard]] coordinator::OutsideResult carry_out(Instant now,
                                                       const coordinator::ListNodes& what);
    [[nodiscard]] coordinator::OutsideResult carry_out(Instant now,
                                                       const coordinator::ProvisionNodes& what);
    [[nodiscard]] coordinator::OutsideResult carry_out(Instant now,
                                                       const coordinator::RemoveNode& what);
    [[nodiscard]] coordinator::OutsideResult carry_out(Instant now,
                                                       const coordinator::PredictNeed& what);
    void make(Instant now, const coordinator::ProvisionNodes& what);
    void end(MadeNode& node);

    EventQueue& queue_;
    Random random_;
    ProviderFaults faults_;
    std::vector<Call> calls_;
    std::vector<MadeNode> nodes_;
    std::map<std::string, std::uint32_t> granted_;  ///< By request.
    std::vector<std::string> gone_;
    std::size_t provisions_on_way_ = 0;  ///< Calls that have not arrived.
};

}  // namespace muster::sim
