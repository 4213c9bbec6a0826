// Specs that an operator signs: which bytes, and whose signature.

#include "common/crypto/signature.hpp"

#include <array>
#include <string>
#include <sys/stat.h>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/crypto/key_file.hpp"
#include "common/spec/description.hpp"
#include "common/spec/signed_spec.hpp"
#include "tests/temporary_directory.hpp"

namespace muster {
namespace {

TaskSpec a_spec() {
    TaskSpec spec;
    spec.argv = {"/bin/sleep", "60"};
    return spec;
}

/// A value that differs from the default, for each kind of field.
template <class T>
void change(T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        value += 'x';
    } else if constexpr (std::is_same_v<T, bool>) {
        value = !value;
    } else if constexpr (std::is_same_v<T, Duration>) {
        value += 1s;
    } else if constexpr (std::is_integral_v<T>) {
        ++value;
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        value.emplace_back("x");
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
        value["x"] = "y";
    } else if constexpr (std::is_same_v<T, std::map<std::string, Rlimit>>) {
        value["nofile"] = {RlimitValue{1}, RlimitValue{2}};
    } else if constexpr (std::is_enum_v<T>) {
        value = static_cast<T>(1 - static_cast<int>(value));
    } else {
        for_each_field<T>([&](const auto& field) { change(value.*field.member); });
    }
}

}  // namespace

// Goal: other programs can make the bytes that we check. Method: the bytes of two specs, written
// out as docs/reference/protocol.md defines them.
TEST_CASE("the signed bytes of a spec are these", "[signature]") {
    TaskSpec spec = a_spec();
    CHECK(signed_bytes("web", spec) ==
          "20:muster signed spec 1,4:name,3:web,4:argv,19:10:/bin/sleep,2:60,,");
    spec.env = {{"A", "1"}};
    spec.restart.backoff = 2s;
    spec.exclusive = true;
    spec.rlimits = {{"nofile", {RlimitValue{9}, RlimitValue::unlimited}}};
    CHECK(signed_bytes("web", spec) ==
          "20:muster signed spec 1,4:name,3:web,4:argv,19:10:/bin/sleep,2:60,,"
          "3:env,8:1:A,1:1,,7:restart,21:10:backoff_ms,4:2000,,"
          "7:rlimits,24:6:nofile,11:4:soft,1:9,,,9:exclusive,4:true,");
}

// Goal: nothing that an agent carries out can be changed under a signature.
// Method: change each field in turn, and the name; compare the bytes.
TEST_CASE("each field of a spec, and the task's name, change the signed bytes", "[signature]") {
    const TaskSpec spec = a_spec();
    const std::string bytes = signed_bytes("web", spec);
    CHECK(signed_bytes("we", spec) != bytes);
    for_each_field<TaskSpec>([&](const auto& field) {
        CAPTURE(field.wire_name);
        TaskSpec other = spec;
        change(other.*field.member);
        CHECK((signed_bytes("web", other) == bytes) == (field.wire_name == "signature"));
    });
}

// Goal: letters do not move between words. Method: lists whose words have the same letters.
TEST_CASE("words of a command keep their borders in the signed bytes", "[signature]") {
    TaskSpec one = a_spec();
    TaskSpec two = a_spec();
    one.argv = {"a", "bc"};
    two.argv = {"ab", "c"};
    CHECK(signed_bytes("web", one) != signed_bytes("web", two));
}

// Goal: only a listed signer is believed, and only about these bytes.
// Method: a signature with other bytes, another list, changed digits, and texts that are none.
TEST_CASE("a signature is of its signer and its bytes", "[signature]") {
    const KeyPair signer = random_signer();
    const KeyPair other = random_signer();
    const std::array both{other.open, signer.open};
    const std::string text = sign(signer, "bytes");
    CHECK(text.size() == limits::signature_bytes);
    CHECK(sign(signer, "bytes") == text);
    CHECK(check_signature(text, "bytes", both) == Signed::yes);
    CHECK(check_signature(text, "byte", both) == Signed::of_another);
    CHECK(check_signature(text, "bytes", std::array{other.open}) == Signed::by_another);
    CHECK(check_signature(text, "bytes", {}) == Signed::by_another);
    const std::string claimed = to_string(other.open) + text.substr(64);
    CHECK(check_signature(claimed, "bytes", both) == Signed::of_another);
    std::string changed = text;
    changed.back() = changed.back() == '0' ? '1' : '0';
    CHECK(check_signature(changed, "bytes", both) != Signed::yes);
    for (const std::string& none :
         {std::string{}, text.substr(1), text.substr(0, 64), text + "0"}) {
        CHECK(check_signature(none, "bytes", both) == Signed::unreadable);
    }
}

// Goal: a signer's key survives its file, and nobody else can read it.
TEST_CASE("a signer's file has mode 0600, is never replaced, and is checked", "[signature]") {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/signer";
    const KeyPair signer = random_signer();
    REQUIRE(write_signer_file(path, signer));
    struct stat status = {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
    const auto read = read_signer_file(path);
    REQUIRE(read);
    CHECK(read->open == signer.open);
    CHECK(sign(*read, "x") == sign(signer, "x"));
    CHECK(write_signer_file(path, signer).error().code == Errc::exists);
    REQUIRE(chmod(path.c_str(), 0644) == 0);
    CHECK(read_signer_file(path).error().code == Errc::refused);
    const std::string swapped = directory.path() + "/swapped";
    REQUIRE(write_secret_file(swapped, "signer = \"" + to_string(random_signer().open) +
                                           "\"\nseed = \"" + secret_text(signer.secret) + "\"\n"));
    CHECK(read_signer_file(swapped).error().code == Errc::invalid);
}

}  // namespace muster
