#include "coordinator/endpoints/advertised.hpp"

#include "tests/catch.hpp"

namespace muster::coordinator {
namespace {

TEST_CASE("an endpoint is advertised at the host of each coordinator") {
    CHECK(advertised("tcp://0.0.0.0:7700", "c1,c2,10.0.0.3") ==
          "tcp://c1:7700,tcp://c2:7700,tcp://10.0.0.3:7700");
    CHECK(advertised("tcp://10.0.0.1:7700", "c1") == "tcp://c1:7700");
    CHECK(advertised("tcp://10.0.0.1:7700", "") == "tcp://10.0.0.1:7700");
    CHECK(advertised("ipc:///run/muster", "c1,c2") == "ipc:///run/muster");
}

}  // namespace
}  // namespace muster::coordinator
