// The end of an upgrade: the store gets the newest schema.

#include <cstdint>
#include <optional>
#include <variant>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

StoreImage store_of_schema(std::uint32_t schema) {
    StoreImage image = CoordinatorHarness::empty_store();
    image.meta.schema = schema;
    image.newest_schema = 12;
    return image;
}

UpgradeReply upgrade(CoordinatorHarness& harness, RequestId id, bool dry_run = false) {
    const auto reply = harness.ask(UpgradeFinishRequest{dry_run}, id);
    REQUIRE(reply);
    REQUIRE(reply->result);
    return std::get<UpgradeReply>(*reply->result);
}

/// The last row of the cluster that was written.
std::optional<Meta> written_meta(const CoordinatorHarness& harness) {
    std::optional<Meta> last;
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            if (const auto* const meta = std::get_if<Meta>(&write)) {
                last = *meta;
            }
        }
    }
    return last;
}

}  // namespace

// Goal: only the operator's word raises the schema; other changes keep it. A retry is answered
// alike.
TEST_CASE("the store has an older schema until the upgrade is finished", "[ledger][upgrade]") {
    CoordinatorHarness harness{store_of_schema(11)};
    harness.want("web", 1);
    REQUIRE(written_meta(harness));
    CHECK(written_meta(harness)->schema == 11);
    const Generation counter = written_meta(harness)->counter;

    const UpgradeReply tried = upgrade(harness, harness.fresh_id(), true);
    CHECK((tried.before == 11 && tried.after == 12 && tried.dry_run));
    CHECK(written_meta(harness)->schema == 11);

    const RequestId id = harness.fresh_id();
    const UpgradeReply done = upgrade(harness, id);
    CHECK((done.before == 11 && done.after == 12 && !done.dry_run));
    CHECK(done.counter == next(counter));
    CHECK(written_meta(harness)->schema == 12);
    CHECK(written_meta(harness)->counter == done.counter);
    CHECK(upgrade(harness, id) == done);

    const UpgradeReply again = upgrade(harness, harness.fresh_id());
    CHECK((again.before == 12 && again.after == 12));
    CHECK(again.counter == done.counter);
}

// Goal: whoever asks an older program to finish loses nothing.
TEST_CASE("finishing an upgrade never lowers the schema", "[ledger][upgrade]") {
    CoordinatorHarness harness{store_of_schema(12)};
    const UpgradeReply reply = upgrade(harness, harness.fresh_id());
    CHECK((reply.before == 12 && reply.after == 12));
}
