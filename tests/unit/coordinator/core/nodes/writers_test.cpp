#include <concepts>
#include <type_traits>
#include <utility>

#include "tests/catch.hpp"

#include "coordinator/core/nodes/registry.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

/// Facts that only one class can write, and that give no access to other facts.
template <class Facts>
constexpr bool has_one_writer =
    std::is_class_v<WriteKey<Facts>> && !std::is_default_constructible_v<WriteKey<Facts>> &&
    !std::is_aggregate_v<WriteKey<Facts>> &&
    std::same_as<Facts&, decltype(std::declval<NodeRegistry&>().edit(
                             NodeIndex{}, std::declval<WriteKey<Facts>>()))>;

/// Facts without a key: only the registry changes them.
template <class Facts>
concept HasNoKey = !requires {
    typename Facts::Writer;
};

}  // namespace

// Goal: one class changes each fact of a node, because nothing else compiles.
// Method: as a class that writes none of them, ask the compiler for each key and for a writable
// record.
TEST_CASE("only one class can write each fact of a node", "[nodes]") {
    STATIC_REQUIRE(has_one_writer<LifeFacts>);
    STATIC_REQUIRE(has_one_writer<ConflictFacts>);
    STATIC_REQUIRE(has_one_writer<PollFacts>);
    STATIC_REQUIRE(has_one_writer<SilenceFacts>);
    STATIC_REQUIRE(has_one_writer<RecoveryFacts>);
    STATIC_REQUIRE(has_one_writer<ComplianceFacts>);
    STATIC_REQUIRE(has_one_writer<ReadinessFacts>);
    STATIC_REQUIRE(has_one_writer<CopyFacts>);
    STATIC_REQUIRE(has_one_writer<RowFacts>);
    STATIC_REQUIRE(has_one_writer<HelloFacts>);
    STATIC_REQUIRE(has_one_writer<AnswerFacts>);
    STATIC_REQUIRE(HasNoKey<RegistryFacts>);
    STATIC_REQUIRE(HasNoKey<LifecycleFacts>);
    STATIC_REQUIRE(std::same_as<const Node&, decltype(std::declval<NodeRegistry&>()[NodeIndex{}])>);
    STATIC_REQUIRE(std::same_as<const AgentFacts&, decltype(facts_of(std::declval<Node&>()))>);
}
