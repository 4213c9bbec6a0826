// Rows as text, between a store and its copy in memory.

#include "coordinator/store/mirror.hpp"

#include <string>
#include <variant>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/store/rows_of_each.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

std::unique_ptr<Mirror> empty_mirror() {
    auto mirror = Mirror::open("a test", first_cluster);
    REQUIRE(mirror);
    return std::move(*mirror);
}

StoreImage image_of(const Mirror& mirror) {
    auto image = mirror.image();
    INFO((image ? "" : image.error().detail));
    REQUIRE(image);
    return std::move(*image);
}

/// The texts of all rows, through two mirrors.
std::vector<std::string> texts(const std::vector<Write>& writes, Mirror& from, Mirror& to) {
    std::vector<std::string> all;
    for (const Write& write : writes) {
        const auto change = from.apply(write);
        REQUIRE(change);
        REQUIRE(*change);
        CAPTURE((*change)->table, (*change)->key);
        if ((*change)->text) {
            all.push_back(*(*change)->text);
            REQUIRE(to.put((*change)->table, all.back()));
        } else {
            REQUIRE(to.erase(**change));
        }
    }
    return all;
}

}  // namespace

// Goal: a program of an older schema finds in a shared store only what it knows. Method: schema 7
// has no rotation of keys, no secrets and no pools.
TEST_CASE("a store of an older schema gets no newer columns and tables", "[store][mirror]") {
    const auto mirror = empty_mirror();
    REQUIRE(mirror->set_schema(7));
    for (const Write& write : a_row_of_each()) {
        const auto change = mirror->apply(write);
        REQUIRE(change);
        const bool is_newer = std::holds_alternative<Shared<StoredSecret>>(write) ||
                              std::holds_alternative<Shared<StoredPool>>(write) ||
                              std::holds_alternative<Shared<StoredPoolNode>>(write) ||
                              std::holds_alternative<Shared<StoredSeason>>(write);
        CHECK(change->has_value() == !is_newer);
        if (*change && (*change)->table == "keys") {
            CHECK((*change)->text->find("second_until") != std::string::npos);
            CHECK((*change)->text->find("rotation") == std::string::npos);
        }
    }
    CHECK(mirror->each_row([&](const RowChange& row) -> Result<void> {
        CHECK(row.table != "secrets");
        CHECK_FALSE(row.table.starts_with("pool"));
        CHECK(row.text->find("rotation") == std::string::npos);
        return {};
    }));
    CHECK(image_of(*mirror).meta.schema == 7);
    CHECK(image_of(*mirror).newest_schema == rows::schema_version);

    REQUIRE(mirror->set_schema(9));
    std::size_t secrets = 0;
    CHECK(mirror->each_row([&](const RowChange& row) -> Result<void> {
        secrets += row.table == "secrets" ? 1U : 0U;
        return {};
    }));
    CHECK(secrets == 1);
    CHECK_FALSE(mirror->set_schema(rows::schema_version + 1));
}

// Goal: nothing is lost on the way. Method: write a row of each table; put its text into another
// mirror; there the same writes give the same texts, and the images agree.
TEST_CASE("each row survives as text", "[store][mirror]") {
    const auto from = empty_mirror();
    const auto to = empty_mirror();
    const auto written = texts(a_row_of_each(), *from, *to);
    REQUIRE(written.size() == 16);
    const auto third = empty_mirror();
    CHECK(texts({a_row_of_each()[1]}, *to, *third).front() == written[1]);
    const StoreImage before = image_of(*from);
    const StoreImage after = image_of(*to);
    CHECK(after.meta == before.meta);
    CHECK(after.tasks == before.tasks);
    CHECK(after.nodes == before.nodes);
    CHECK(after.requests.size() == 1);
    CHECK(after.requests.front().id == request_at(9));
    CHECK(after.intents == before.intents);
    CHECK(after.settings == before.settings);
    CHECK(after.freeze == before.freeze);
    CHECK(after.ends == before.ends);
    CHECK(after.keys == before.keys);
    CHECK(after.tokens == before.tokens);
    CHECK(after.secrets == before.secrets);
    CHECK(before.pools == std::vector{some_pool()});
    CHECK(after.pools == before.pools);
    CHECK(before.pool_nodes == std::vector{some_pool_node()});
    CHECK(after.pool_nodes == before.pool_nodes);
    CHECK(before.seasons == std::vector{some_season()});
    CHECK(after.seasons == before.seasons);
    CHECK(after.audit == before.audit);
}

TEST_CASE("an erased row is erased in the copy, and old ones up to a bound", "[store][mirror]") {
    const auto from = empty_mirror();
    const auto to = empty_mirror();
    static_cast<void>(texts(a_row_of_each(), *from, *to));
    const std::vector<Write> gone{
        Erase<StoredTask>{"web"},       Erase<StoredNode>{"n1"},   Erase<StoredIntent>{"n1"},
        Erase<StoredFreeze>{},          Erase<StoredEnds>{"web"},  Erase<StoredKey>{"ann"},
        Erase<StoredToken>{"0123"},     Erase<StoredSecret>{"db"}, Erase<StoredPool>{"web"},
        Erase<StoredPoolNode>{"web-1"}, Erase<StoredSeason>{"web"}};
    CHECK(texts(gone, *from, *to).empty());
    const StoreImage after = image_of(*to);
    CHECK(after.tasks.empty());
    CHECK(after.nodes.empty());
    CHECK(after.intents.empty());
    CHECK(after.freeze.empty());
    CHECK(after.ends.empty());
    CHECK(after.keys.empty());
    CHECK(after.tokens.empty());
    CHECK(after.secrets.empty());
    CHECK(after.pools.empty());
    CHECK(after.pool_nodes.empty());
    CHECK(after.seasons.empty());
    SECTION("requests") {
        static_cast<void>(texts({EraseOldRequests{CivilMs{8}}}, *from, *to));
        CHECK(image_of(*to).requests.size() == 1);
        static_cast<void>(texts({EraseOldRequests{CivilMs{9}}}, *from, *to));
        CHECK(image_of(*to).requests.empty());
    }
    SECTION("the audit") {
        static_cast<void>(texts({EraseOldAudit{0}}, *from, *to));
        CHECK(to->audit(std::nullopt, 10)->rows.size() == 1);
        static_cast<void>(texts({EraseOldAudit{1}}, *from, *to));
        CHECK(to->audit(std::nullopt, 10)->rows.empty());
    }
}

// Goal: coordinators of two versions share a store.
TEST_CASE("columns and tables of another version are left out, missing ones have defaults",
          "[store][mirror]") {
    const auto mirror = empty_mirror();
    CHECK(mirror->put("selections", R"({"name": "all"})"));
    CHECK(mirror->put("settings", R"({"name": "moves_per_round", "value": "7", "colour": "red"})"));
    CHECK(image_of(*mirror).settings == std::vector<StoredSetting>{{"moves_per_round", "7"}});
    CHECK(mirror->put("keys", R"({"name": "ann", "role": 3, "key": [")" + std::string(64, 'a') +
                                  R"("], "since": 0, "until": 0, "second_key": [""],
                                  "second_since": 0, "second_until": 0, "revoked": 0, "pools": "",
                                  "tasks": "", "author": ""})"));
    CHECK(image_of(*mirror).keys.front().rotation == Rotation::none);
}

TEST_CASE("a row that cannot be read is an error that quotes it", "[store][mirror]") {
    const auto mirror = empty_mirror();
    for (const std::string text : {"", "[]", "{\"name\": [1]}", "{\"name\": [\"0\"]}",
                                   "{\"name\": {}}", "{}", "{\"value\": \"x\"}"}) {
        CAPTURE(text);
        const auto put = mirror->put("settings", text);
        REQUIRE_FALSE(put);
        CHECK(put.error().code == Errc::store_failed);
    }
}

TEST_CASE("an impossible row of a store that is no file gets advice without one",
          "[store][mirror]") {
    const auto mirror = Mirror::open("etcd /muster", first_cluster);
    REQUIRE(mirror);
    REQUIRE((*mirror)->put("settings", R"({"name":"who","value":"1"})"));
    const auto image = (*mirror)->image();
    REQUIRE_FALSE(image);
    CHECK(image.error().detail ==
          "store 'etcd /muster' is damaged (table settings, row 'who': there is no such setting); "
          "restore a backup");
}
