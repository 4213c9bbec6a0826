#include "common/crypto/join_token.hpp"

#include "tests/catch.hpp"

#include "common/crypto/random_key.hpp"

namespace muster {
namespace {

// Goal: a host that joins learns every coordinator, and old tokens stay valid.
TEST_CASE("a token names each coordinator") {
    const PublicKey server = random_key_pair().open;
    const JoinToken token{.endpoints = "tcp://10.0.0.1:7703,tcp://[::1]:7703",
                          .server = server,
                          .secret = {},
                          .name = "n1"};
    const std::string text = to_string(token);
    CHECK(text == "muster1/10.0.0.1:7703,[::1]:7703/" + to_string(server) + "/none/n1");
    const auto read = parse_join_token(text);
    REQUIRE(read);
    CHECK(read->endpoints == token.endpoints);
    const auto old = parse_join_token("muster1/10.0.0.1:7703/" + to_string(server) + "/none/");
    REQUIRE(old);
    CHECK(old->endpoints == "tcp://10.0.0.1:7703");
}

}  // namespace
}  // namespace muster
