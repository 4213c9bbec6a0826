#include "coordinator/endpoints/session_forms.hpp"

#include "tests/catch.hpp"

#include "common/base/limits.hpp"

namespace muster::coordinator {
namespace {

PublicKey key(std::uint8_t number) {
    PublicKey key;
    key.bytes.fill(number);
    return key;
}

constexpr Session live{1};
constexpr Session other{2};

}  // namespace

// Goal: a second agent with the key and the name of a live one, which is refused, changes nothing
// of it. Method: the live one speaks JSON and takes secrets; the other does neither.
TEST_CASE("a refused hello changes nothing of the session that it names [A36]",
          "[endpoints][A36]") {
    SessionForms forms;
    forms.ask(live, key(1), {.json = true, .seal_key = key(9)});
    CHECK_FALSE(forms.of(live).json);  // Not welcomed yet.
    CHECK_FALSE(forms.welcome(live));
    forms.ask(other, key(1), {.json = false});
    CHECK(forms.of(live).json);
    CHECK(forms.of(live).seal_key == key(9));
    CHECK_FALSE(forms.refuse(other).json);
    CHECK(forms.of(live).json);
    CHECK(forms.of(live).seal_key == key(9));

    forms.ask(live, key(1), {.json = false});  // On its own connection, neither.
    CHECK(forms.of(live).json);
    CHECK_FALSE(forms.refuse(live).json);
    CHECK(forms.of(live).json);
}

TEST_CASE("a hello is refused in its own form", "[endpoints]") {
    SessionForms forms;
    forms.ask(other, key(1), {.json = true});
    CHECK(forms.refuse(other).json);
    CHECK_FALSE(forms.refuse(other).json);  // It asks no more.
}

TEST_CASE("a welcomed connection takes the place of the one before of the same key",
          "[endpoints]") {
    SessionForms forms;
    forms.ask(live, key(1), {.json = true});
    CHECK_FALSE(forms.welcome(live));
    forms.ask(other, key(1), {.json = false, .seal_key = key(9)});
    CHECK(forms.welcome(other) == live);
    CHECK_FALSE(forms.of(live).json);
    CHECK(forms.of(other).seal_key == key(9));
    CHECK_FALSE(forms.welcome(other));  // Again, without another hello.
    CHECK(forms.of(other).seal_key == key(9));
    forms.erase(other);
    CHECK_FALSE(forms.of(other).seal_key);
}

TEST_CASE("one key has at most one session that asks and one that is welcomed",
          "[endpoints][bound]") {
    SessionForms forms;
    forms.ask(live, key(1), {.json = true});
    forms.welcome(live);
    for (std::uint64_t number = 10; number < 20; ++number) {
        forms.ask(Session{number}, key(2), {.json = true});
    }
    CHECK_FALSE(forms.refuse(Session{18}).json);  // Forgotten.
    CHECK(forms.refuse(Session{19}).json);
    CHECK(forms.of(live).json);
}

TEST_CASE("without keys as many sessions are known as there may be nodes", "[endpoints][bound]") {
    SessionForms forms;
    for (std::uint64_t number = 1; number <= limits::nodes + 1; ++number) {
        forms.ask(Session{number}, PublicKey{}, {.json = true});
        forms.welcome(Session{number});
    }
    CHECK_FALSE(forms.of(Session{1}).json);
    CHECK(forms.of(Session{2}).json);
    CHECK(forms.of(Session{limits::nodes + 1}).json);
}

}  // namespace muster::coordinator
