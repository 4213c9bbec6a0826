#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

namespace muster::coordinator::testing {

/// What the provider `local` and the predictor `oracle` of a test answer. By default each request
/// is granted as a whole, and its nodes are listed and join at once.
struct FakeProgram {
    bool removes = true;
    bool keeps = false;          ///< A removed node is still there.
    bool is_slow = false;        ///< Calls wait until it is false again.
    std::string refuses{};       ///< Why it makes no nodes. Empty: it makes them.
    std::string cannot_list{};   ///< Why it cannot list. Empty: it can.
    std::uint32_t grants = 999;  ///< Of each request, at most so many.
    std::uint32_t brings = 999;  ///< Of each request, at most so many nodes come.
    bool is_joined = true;       ///< The agents of new nodes join.
    bool names_requests = true;  ///< Its listings say which request made a node.
    std::optional<Amount> predicts{};

    std::map<std::string, ProvidedNode> nodes;  ///< As it lists them, by name.
    std::vector<ProvisionNodes> provisions;     ///< All calls, also repetitions.
    std::vector<RemoveNode> removals;
    std::vector<PredictNeed> questions;
    std::size_t listings = 0;
    std::set<std::string> requests;  ///< That it has granted.
    std::uint32_t made = 0;
};

/// A coordinator with a pool `web`, whose nodes have 100 MB each, and its demand.
class PoolScene {
public:
    static CoordinatorOptions with_programs();

    explicit PoolScene(const StoreImage& image = CoordinatorHarness::empty_store(),
                       CoordinatorOptions options = with_programs())
        : harness{image, std::move(options)} {}

    /// A definition with the provider `local`, and what else it says.
    Result<PoolChangeReply> create(PoolChanges changes = {});
    Result<PoolChangeReply> set(PoolChanges changes) {
        return change(PoolSetRequest{"web", changes});
    }
    Result<PoolChangeReply> change(CoreRequestBody request);
    /// A pool with this many nodes that serve, and the demand for them.
    void make_nodes(Amount nodes, PoolChanges changes = {});
    /// So many nodes run an instance that no agent stops, so that their drains do not end.
    void make_busy(std::uint32_t instances);
    /// The demand, which is repeated each second from now on.
    void need(Amount amount);
    /// Lets time pass, in which the programs answer.
    void pass(Duration duration);
    /// The agent of a node of the pool joins.
    FakeAgent& join(const std::string& node, const std::string& pool = "web");
    /// Its process ends without a word.
    void die(const std::string& node);

    PoolShowReply shown() { return harness.read<PoolShowReply>(PoolShowRequest{"web"}); }
    /// The nodes in this state, in the order of their names, or how many have no name yet.
    std::vector<std::string> in_state(const std::string& state);
    std::size_t slots();
    PoolMembersReply members() { return harness.read<PoolMembersReply>(PoolMembersRequest{"web"}); }
    std::vector<std::string> member_names();
    std::string explained();
    /// `status` has an alarm about the pool with this text.
    bool has_alarm(const std::string& text);
    /// The calls of one kind that wait for an answer.
    template <class Call>
    std::vector<OutsideCall> calls_of() const {
        std::vector<OutsideCall> found;
        std::ranges::copy_if(harness.calls, std::back_inserter(found), [](const OutsideCall& call) {
            return std::holds_alternative<Call>(call.what);
        });
        return found;
    }
    std::size_t count_of_events(const std::string& topic) const;
    /// All nodes that were asked for: each request once.
    std::uint32_t asked() const;
    /// What a later leader finds in the store.
    StoreImage image() const;

    FakeProgram local;
    std::vector<ZoneOffset> zones;
    CoordinatorHarness harness;

private:
    void repeat_need();
    void answer_calls();
    OutsideResult answer_to(const OutsideCall& call);
    OutsideResult provide(const ProvisionNodes& provision);

    Amount need_ = 0;
    bool has_need_ = false;
    Instant needed_{};
};

}  // namespace muster::coordinator::testing
