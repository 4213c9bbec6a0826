#include "common/crypto/key.hpp"

#include "tests/catch.hpp"

#include "common/crypto/hash.hpp"
#include "common/crypto/random_key.hpp"

namespace muster {
namespace {

// Goal: keys survive their text form, and nothing else is a key.
// Method: print and read random keys; read texts that are too short, too long, not hexadecimal.
TEST_CASE("a key is read from its text, and from no other") {
    const KeyPair pair = random_key_pair();
    CHECK(parse_public_key(to_string(pair.open)) == pair.open);
    const auto secret = parse_secret_key(secret_text(pair.secret));
    REQUIRE(secret);
    CHECK(public_half(*secret) == pair.open);
    const std::string text = to_string(pair.open);
    CHECK_FALSE(parse_public_key(text.substr(1)));
    CHECK_FALSE(parse_public_key(text + "0"));
    CHECK_FALSE(parse_public_key("g" + text.substr(1)));
    CHECK_FALSE(parse_public_key(""));
    CHECK(random_key_pair().open != pair.open);
}

// Goal: the algorithm is BLAKE2b, so another program can check what we hash.
// Method: the test vector of RFC 7693 is for 64 bytes; that of 32 bytes of "abc" is b2sum's.
TEST_CASE("a hash is that of BLAKE2b with 256 bits") {
    PublicKey as_key;
    as_key.bytes = hash_of("abc");
    CHECK(to_string(as_key) == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

// Goal: a hash with a key cannot be made with another key or for another text.
TEST_CASE("a hash with a key depends on the key and on the text") {
    const SecretKey key = random_secret();
    CHECK(is_same(hash_of(key, "web.0"), hash_of(key, "web.0")));
    CHECK_FALSE(is_same(hash_of(key, "web.0"), hash_of(key, "web.1")));
    CHECK_FALSE(is_same(hash_of(key, "web.0"), hash_of(random_secret(), "web.0")));
    CHECK_FALSE(is_same(hash_of(key, "web.0"), hash_of("web.0")));
    CHECK(short_hash_of(key, "web.0") == short_hash_of(key, "web.0"));
    CHECK(short_hash_of(key, "web.0") != short_hash_of(key, "web.1"));
    CHECK(short_hash_of(key, "web.0") != short_hash_of(random_secret(), "web.0"));
}

// Goal: people can compare a fingerprint, and two keys have different ones.
TEST_CASE("a fingerprint has eight groups of four digits") {
    const PublicKey key = random_key_pair().open;
    const std::string print = fingerprint(key);
    REQUIRE(print.size() == 39);
    for (std::size_t at = 4; at < print.size(); at += 5) {
        CHECK(print[at] == '-');
    }
    CHECK(fingerprint(random_key_pair().open) != print);
}

}  // namespace
}  // namespace muster
