// A whole store as text.

#include "coordinator/store/tools/export_text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/crypto/hash.hpp"
#include "tests/unit/coordinator/store/rows_of_each.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

std::string whole_export() {
    auto mirror = Mirror::open("a test", first_cluster);
    REQUIRE(mirror);
    for (const Write& write : a_row_of_each()) {
        REQUIRE((*mirror)->apply(write));
    }
    const auto made = export_of(**mirror);
    REQUIRE(made);
    CHECK(made->rows == a_row_of_each().size());
    return made->text;
}

std::string fault_in(const std::string& text) {
    const auto read = read_export(text, "store.jsonl");
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Errc::invalid);
    return read.error().detail;
}

std::string exchanged(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// With a last line that fits.
std::string sealed_again(const std::string& text) {
    const std::string lines = text.substr(0, text.rfind('\n', text.size() - 2) + 1);
    const auto rows = std::ranges::count(lines, '\n') - 1;
    return lines + "{\"rows\":" + std::to_string(rows) + ",\"hash\":\"" +
           to_string(PublicKey{hash_of(lines)}) + "\"}\n";
}

}  // namespace

// Goal: nothing is lost in an export. Method: a row of every table; export what was imported.
TEST_CASE("an export that is read gives the same export", "[store][tools]") {
    const std::string text = whole_export();
    const auto read = read_export(text, "store.jsonl");
    INFO((read ? "" : read.error().detail));
    REQUIRE(read);
    CHECK(export_of(**read)->text == text);
    CHECK(text.starts_with("{\"muster_store\":1,\"schema\":"));
    CHECK(sealed_again(text) == text);
}

TEST_CASE("an export that is cut off anywhere is noticed", "[store][tools]") {
    const std::string text = whole_export();
    // Each read makes a store: so every byte of the last line, and every seventh of the others.
    const std::size_t last_line = text.rfind('\n', text.size() - 2);
    for (std::size_t length = 0; length < text.size(); length += length < last_line ? 7 : 1) {
        CAPTURE(length);
        REQUIRE_FALSE(read_export(text.substr(0, length), "store.jsonl"));
    }
    CHECK(fault_in(text.substr(0, text.size() - 1)) ==
          "store.jsonl is cut off after line 17: its last line, with the number of rows, is "
          "missing");
}

TEST_CASE("an export that was changed anywhere is noticed", "[store][tools]") {
    const std::string text = whole_export();
    for (std::size_t at = 0; at < text.size(); at += 11) {
        CAPTURE(at);
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ 0x01);
        REQUIRE_FALSE(read_export(changed, "store.jsonl"));
    }
    CHECK(fault_in(exchanged(text, R"("value":"7")", R"("value":"8")")) ==
          "store.jsonl was changed after it was written: the hash in its last line does not fit");
}

// Goal: each error says what is wrong, and where. Method: one kind of damage each, with a last line
// that fits where it would hide the others.
TEST_CASE("the error for a wrong export names the line and the cause", "[store][tools]") {
    const std::string text = whole_export();
    const auto changed = [&](const std::string& from, const std::string& to) {
        return fault_in(sealed_again(exchanged(text, from, to)));
    };
    CHECK_THAT(fault_in(""), Catch::Contains("is not an export of a store"));
    CHECK_THAT(fault_in("[[task]]\n"), Catch::Contains("is not an export of a store"));
    CHECK_THAT(fault_in(std::string(10'000, '[') + "\n"),
               Catch::Contains("is not an export of a store"));
    CHECK_THAT(changed("\"schema\":12", "\"schema\":99"),
               Catch::Contains("was written by a newer muster (format 1, schema 99"));
    CHECK_THAT(changed("\"muster_store\":1", "\"muster_store\":2"),
               Catch::Contains("was written by a newer muster (format 2"));
    CHECK_THAT(changed("\"epoch\":3", "\"epoch\":4"),
               Catch::Contains("its first line does not fit its row of meta"));
    CHECK_THAT(changed("\"cluster\":\"", "\"cluster\":\"x"),
               Catch::Contains(", line 1: it needs schema, cluster, epoch and counter"));
    CHECK(changed("\"table\":\"tasks\"", "\"table\":\"jobs\"") ==
          "store.jsonl, line 3: it is not a row of a table that muster has");
    CHECK(changed("{\"table\":\"nodes\"", "\"table\":\"nodes\"") ==
          "store.jsonl, line 4: it is not a JSON object, so the file is damaged");
    CHECK(changed("\"incarnation\":3", "\"incarnation\":3.5") ==
          "store.jsonl, line 4: the row 'n1' of nodes cannot be read, so the file is damaged");
    CHECK_THAT(fault_in(exchanged(text, "{\"rows\":16", "{\"rows\":15")),
               Catch::Contains("line 18: it says 15 rows, but there are 16"));
    CHECK_THAT(fault_in(text + "{}\n"), Catch::Contains("it is the last one, but others follow"));
    const auto nodes = text.find("{\"table\":\"nodes\"");
    const std::string row = text.substr(nodes, text.find('\n', nodes) + 1 - nodes);
    CHECK_THAT(fault_in(sealed_again(exchanged(text, row, row + row))),
               Catch::Contains("has 17 rows, but only 16 different ones"));
}
