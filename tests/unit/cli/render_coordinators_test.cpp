// What the command shows of coordinators that stand by, and of upgrades.

#include <string>

#include "tests/catch.hpp"

#include "cli/subjects/render.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

constexpr CivilMs looked_at{1'700'000'000'000};

}  // namespace

// Goal: the answer of a standby does not look like a cluster in which nothing runs.
TEST_CASE("the status of a standby shows what is wanted alone", "[cli]") {
    StatusReply status;
    status.phase = "standby";
    status.epoch = Epoch{3};
    status.nodes = 4;
    status.tasks = 2;
    status.wanted = 7;
    status.host = "cp2";
    status.alarms = {"recovering: n1"};
    const std::string text = render(status, looked_at, {});
    CHECK_THAT(text, Catch::Contains("cp2, epoch 3") && Catch::Contains("7 wanted") &&
                         Catch::Contains("what runs is not known here"));
    CHECK_THAT(text, !Catch::Contains("recovering") && !Catch::Contains("serving") &&
                         !Catch::Contains("running"));
}

TEST_CASE("the end of an upgrade says what changed", "[cli][upgrade]") {
    UpgradeReply reply{.counter = Generation{7}, .before = 10, .after = 11};
    CHECK(render(reply, looked_at, {}) ==
          "the store has schema 11 now instead of 10; older coordinators cannot use it any more\n");
    reply.dry_run = true;
    CHECK(render(reply, looked_at, {}) == "the store would get schema 11 instead of 10\n");
    reply.before = 11;
    CHECK(render(reply, looked_at, {}) ==
          "the store has schema 11 already, the newest that is known\n");
}
