// Values of secrets: encrypted in the store, and sealed for one agent.

#include "common/crypto/secret_box.hpp"

#include <string>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/crypto/random_key.hpp"

namespace muster {
namespace {

const SecretKey cluster{{1, 2, 3}};
constexpr Generation version{7};

std::string changed_at(std::string text, std::size_t at) {
    text[at] = text[at] == 'A' ? 'B' : 'A';
    return text;
}

}  // namespace

// Goal: the store alone shows no value, and nobody can exchange values in it.
// Method: read a value with the right key and name, then with other ones, and with a changed text.
TEST_CASE("a secret in the store is read only under its key and its name", "[secrets]") {
    const SecretKey key = store_key(cluster);
    const std::string text = encrypt_secret(key, "db", "hunter2");
    CHECK(is_encrypted_secret(text));
    CHECK(text.find("hunter2") == std::string::npos);
    CHECK(decrypt_secret(key, "db", text) == "hunter2");
    CHECK_FALSE(decrypt_secret(key, "web", text));
    CHECK_FALSE(decrypt_secret(store_key(SecretKey{{9}}), "db", text));
    CHECK_FALSE(decrypt_secret(SecretKey{}, "db", text));
    for (std::size_t at = 0; at < text.size() - 1; ++at) {
        CAPTURE(at);
        CHECK_FALSE(decrypt_secret(key, "db", changed_at(text, at)));
    }
    CHECK_FALSE(decrypt_secret(key, "db", ""));
    CHECK_FALSE(decrypt_secret(key, "db", "v1:"));
}

// Goal: a retry of a request is the same request, and equal values of two names look different.
// Method: encrypt the same value again, and under another name.
TEST_CASE("the same value of the same name has the same encrypted text", "[secrets]") {
    const SecretKey key = store_key(cluster);
    const std::string text = encrypt_secret(key, "db", "hunter2");
    CHECK(encrypt_secret(key, "db", "hunter2") == text);
    CHECK(encrypt_secret(key, "db", "hunter3") != text);
    CHECK(encrypt_secret(key, "web", "hunter2").substr(3, 32) != text.substr(3, 32));
}

TEST_CASE("the encrypted text tells the size of the value, and fits its bound", "[secrets]") {
    for (const std::size_t bytes : {1U, 2U, 3U, 4U, 100U, 4096U}) {
        const std::string text = encrypt_secret(store_key(cluster), "db", std::string(bytes, 'x'));
        CHECK(bytes_of_encrypted(text) == bytes);
        CHECK(text.size() <= limits::encrypted_secret_bytes);
    }
    CHECK(bytes_of_encrypted("") == 0);
    CHECK(bytes_of_encrypted("v1:====") == 0);
    const std::string name(limits::name_bytes, 'n');
    CHECK(seal_secret(random_key_pair().open, name, version,
                      std::string(limits::cluster_secret_bytes, 'x'))
              .size() <= limits::encrypted_secret_bytes);
}

// Goal: only the agent for which it was sealed opens a value, and only as what it is.
// Method: open it with another key, under another name, as another version, and changed.
TEST_CASE("a sealed secret is opened only by its agent, under its name and version", "[secrets]") {
    const KeyPair agent = random_key_pair();
    const std::string sealed = seal_secret(agent.open, "db", version, "hunter2\n");
    CHECK(open_secret(agent, "db", version, sealed) == "hunter2\n");
    CHECK_FALSE(open_secret(random_key_pair(), "db", version, sealed));
    CHECK_FALSE(open_secret(agent, "d", version, sealed));
    CHECK_FALSE(open_secret(agent, "db", next(version), sealed));
    CHECK_FALSE(open_secret(agent, "db", version, changed_at(sealed, 40)));
    CHECK_FALSE(open_secret(agent, "db", version, ""));
    CHECK(seal_secret(PublicKey{}, "db", version, "hunter2").empty());
}

}  // namespace muster
