// A leader that an operator lets hand over.

#include <memory>
#include <optional>
#include <variant>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

template <class Row>
std::optional<Row> first_written(const CoordinatorHarness& harness) {
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            if (const auto* const row = std::get_if<Row>(&write)) {
                return *row;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

// Goal: who wanted it is in the audit, durable before another coordinator leads.
TEST_CASE("a leader resigns once its audit says so", "[ledger][leadership]") {
    CoordinatorHarness harness;
    harness.store_works = false;
    CHECK_FALSE(harness.ask(CoordinatorResignRequest{}, harness.fresh_id()));
    CHECK_FALSE(harness.resigned);
    const auto row = first_written<Shared<StoredAudit>>(harness);
    REQUIRE(row);
    CHECK((*row)->action == "coordinator resign");
    CHECK((*row)->result == "accepted");
    harness.confirm();
    REQUIRE(harness.resigned);
    CHECK_THAT(*harness.resigned, Catch::Contains("it was handed over, as "));
}

// Goal: a retry that reaches the next leader does not make it resign, too.
TEST_CASE("a resignation that is asked for again takes effect once", "[ledger][leadership]") {
    CoordinatorHarness first;
    const RequestId id = first.fresh_id();
    const auto reply = first.ask(CoordinatorResignRequest{}, id);
    REQUIRE((reply && reply->result));
    REQUIRE(first.resigned);
    StoreImage image = CoordinatorHarness::empty_store();
    image.requests.push_back(first_written<StoredRequest>(first).value());
    CoordinatorHarness next{image};
    const auto again = next.ask(CoordinatorResignRequest{}, id);
    REQUIRE((again && again->result));
    CHECK_FALSE(next.resigned);
    CHECK(next.persisted.empty());
}
