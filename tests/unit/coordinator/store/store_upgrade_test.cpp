#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "coordinator/store/schema.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

namespace muster::coordinator {
namespace {

// The tables of the first release, byte for byte. They stay so, however tables are made today.
constexpr const char* first_release = R"(
    CREATE TABLE meta (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        cluster BLOB NOT NULL,
        epoch INTEGER NOT NULL,
        leader BLOB NOT NULL,
        counter INTEGER NOT NULL,
        request_horizon INTEGER NOT NULL
    );
    CREATE TABLE tasks (
        name TEXT PRIMARY KEY,
        generation INTEGER NOT NULL,
        created INTEGER NOT NULL,
        wanted BLOB NOT NULL
    );
    CREATE TABLE nodes (
        name TEXT PRIMARY KEY,
        incarnation INTEGER NOT NULL,
        lost INTEGER NOT NULL,
        gone INTEGER NOT NULL,
        ahead INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE requests (
        id BLOB PRIMARY KEY,
        asked BLOB NOT NULL,
        reply BLOB NOT NULL
    );
    INSERT INTO meta VALUES (1, x'00000000000000080000000000000009', 4,
        x'00000000000000030000000000000004', 7, 1000);
)";

constexpr const char* first_task =
    "83a476657262a87461736b20616464aa726571756573745f6964c410000000000000000000000000"
    "00000000a47461736b8aa46e616d65a3776562a9696e7374616e63657303a46172677692aa2f6269"
    "6e2f736c656570a23630a3656e7681a141a131a7776f726b646972a0ab73746f705f7369676e616c"
    "a45445524da867726163655f6d73cd2710a772657374617274a6616c77617973ac6d61785f706572"
    "5f6e6f646501a675706461746582a96d61785f737572676501af6d61785f756e617661696c61626c"
    "6501";
constexpr const char* first_answer =
    "86a26f6bc3a57265706c79a66368616e6765aa726571756573745f6964c410018bcfe56800700000"
    "00000000000001a7636f756e74657207a76472795f72756ec2a76368616e6765739186a47461736b"
    "a3776562a6616374696f6ea3616464b0696e7374616e6365735f6265666f726500af696e7374616e"
    "6365735f616674657203a66669656c647390aa67656e65726174696f6e07";

std::unique_ptr<sqlite::Database> make_old_store(const std::string& file) {
    std::filesystem::create_directories(std::filesystem::path{file}.parent_path());
    auto database = sqlite::Database::open(file, "store");
    REQUIRE(database);
    REQUIRE((*database)->execute(std::string{first_release} +
                                 "INSERT INTO tasks VALUES ('web', 7, 5, x'" + first_task +
                                 "'); INSERT INTO nodes VALUES ('n1', 4, 1, 0, 0);"
                                 "INSERT INTO requests VALUES (x'018bcfe5680070000000000000000001',"
                                 "x'00000000000000010000000000000002', x'" +
                                 first_answer + "'); PRAGMA user_version = 1"));
    return std::move(*database);
}

}  // namespace

// Goal: an upgrade of the program loses nothing.
// Method: a file with the tables and bytes of the first release.
TEST_CASE("a store of the first release is opened with all its rows", "[store]") {
    const TemporaryDirectory directory;
    make_old_store(store_file(directory));
    const LeaderId leader{5, 6};
    {
        const auto open = open_store(store_file(directory), leader);
        REQUIRE(open);
        const StoreImage& image = open->image;
        CHECK(image.meta ==
              Meta{ClusterId{8, 9}, Epoch{5}, leader, Generation{7}, CivilMs{1'000}, 12});
        REQUIRE(image.tasks.size() == 1);
        CHECK(image.tasks[0].wanted.name == "web");
        CHECK(image.tasks[0].wanted.instances == 3);
        CHECK(image.tasks[0].wanted.spec.argv == std::vector<std::string>{"/bin/sleep", "60"});
        CHECK(image.tasks[0].generation == Generation{7});
        CHECK(image.nodes == std::vector{StoredNode{"n1", Incarnation{4}, true, false, false}});
        REQUIRE(image.requests.size() == 1);
        REQUIRE((*image.requests[0].reply).result);
        CHECK(std::get<ChangeReply>(*(*image.requests[0].reply).result).changes.size() == 1);
        CHECK(image.intents.empty());
        CHECK(image.settings.empty());
        open->store->submit({1, {StoredIntent{.name = "n1", .intent = Intent::offline}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    const auto again = open_store(store_file(directory));
    REQUIRE(again);
    CHECK(again->image.tasks.size() == 1);
    CHECK(again->image.intents.size() == 1);
}

// Goal: programs of two schemas can share a store. Method: all columns of each schema, by name and
// type; each later schema has those of the one before, and a column that it adds to a table of
// theirs has a default, because programs of the schema before write rows of that table.
TEST_CASE("each schema that versions share only adds to the one before", "[store]") {
    const auto columns_of = [](std::uint32_t schema) {
        const auto database = sqlite::Database::in_memory("a test", "store");
        REQUIRE(database);
        REQUIRE(rows::make_tables(**database, first_cluster, schema));
        const auto columns = (*database)->first_finding(
            "SELECT group_concat(text, char(10)) FROM (SELECT m.name || ' ' || c.name || ' ' || "
            "c.type || ' ' || (c.\"notnull\" = 0 OR c.dflt_value IS NOT NULL) AS text FROM "
            "sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1)");
        REQUIRE(columns);
        std::istringstream lines{*columns};
        std::set<std::string> all;
        for (std::string line; std::getline(lines, line);) {
            all.insert(line);
        }
        return all;
    };
    for (std::uint32_t at = rows::first_shared_schema; at < rows::schema_version; ++at) {
        CAPTURE(at);
        const auto before = columns_of(at);
        const auto after = columns_of(at + 1);
        CHECK(before.size() > 50);
        CHECK(std::ranges::includes(after, before));
        for (const std::string& column : after) {
            const std::string table = column.substr(0, column.find(' ') + 1);
            const bool is_new_table = std::ranges::none_of(
                before, [&](const std::string& other) { return other.starts_with(table); });
            CHECK((before.contains(column) || column.ends_with(" 1") || is_new_table));
        }
    }
}

// Goal: a freeze of four settings becomes one row, and other settings stay.
TEST_CASE("a freeze among the settings of a store of schema 2 becomes a row", "[store][freeze]") {
    const TemporaryDirectory directory;
    const bool on = GENERATE(true, false);
    const bool is_whole = GENERATE(true, false);
    {
        REQUIRE(open_store(store_file(directory)));
        const auto database = sqlite::Database::open(store_file(directory), "store");
        REQUIRE(database);
        REQUIRE((*database)->execute(
            "DROP TABLE freeze; DROP TABLE ends; DROP TABLE keys; DROP TABLE "
            "tokens; DROP TABLE audit; DROP TABLE audit_head; DROP TABLE "
            "secrets; DROP TABLE pools; DROP TABLE pool_nodes; DROP TABLE seasons; PRAGMA "
            "user_version = 2;"
            "INSERT INTO settings VALUES ('moves_per_term', '2')"));
        REQUIRE((*database)->execute(std::string{"INSERT INTO settings VALUES ('freeze', '"} +
                                     (on ? "on')" : "off')")));
        if (is_whole) {
            REQUIRE(
                (*database)->execute("INSERT INTO settings VALUES ('freeze.reason', 'works'),"
                                     "('freeze.author', 'ann@desk'), ('freeze.since', '17')"));
        }
    }
    const auto open = open_store(store_file(directory));
    REQUIRE(open);
    StoredFreeze freeze{.on = true};
    if (is_whole) {
        freeze = {.on = true, .reason = "works", .author = "ann@desk", .since = CivilMs{17}};
    }
    CHECK(open->image.freeze == (on ? std::vector{freeze} : std::vector<StoredFreeze>{}));
    CHECK(open->image.settings == std::vector{StoredSetting{"moves_per_round", "2"}});
}

// Goal: limits of operators keep their value when their unit is renamed.
TEST_CASE("limits of a term in a store of schema 3 become limits of a round", "[store]") {
    const TemporaryDirectory directory;
    {
        REQUIRE(open_store(store_file(directory)));
        const auto database = sqlite::Database::open(store_file(directory), "store");
        REQUIRE(database);
        REQUIRE((*database)->execute(
            "INSERT INTO settings VALUES ('starts_per_term', '7'),"
            "('moves_per_term', '3');"
            "DROP TABLE ends; DROP TABLE keys; DROP TABLE tokens; DROP TABLE audit;"
            "DROP TABLE audit_head; DROP TABLE secrets; DROP TABLE pools; DROP TABLE pool_nodes; "
            "DROP TABLE seasons; "
            "PRAGMA user_version = 3"));
    }
    const auto open = open_store(store_file(directory));
    REQUIRE(open);
    CHECK(open->image.settings ==
          std::vector<StoredSetting>{{"moves_per_round", "3"}, {"starts_per_round", "7"}});
}

// Goal: a store without ends keeps them from now on, and loses nothing.
TEST_CASE("a store of schema 4 gets a table of ends", "[store]") {
    const TemporaryDirectory directory;
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        open->store->submit({1, {StoredSetting{"moves_per_round", "2"}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    {
        const auto database = sqlite::Database::open(store_file(directory), "store");
        REQUIRE(database);
        REQUIRE((*database)->execute(
            "DROP TABLE ends; DROP TABLE keys; DROP TABLE tokens; DROP TABLE audit;"
            "DROP TABLE audit_head; DROP TABLE secrets; DROP TABLE pools; DROP TABLE pool_nodes; "
            "DROP TABLE seasons; "
            "PRAGMA user_version = 4"));
    }
    StoredEnds job{.name = "job", .generation = Generation{7}, .ordinals = {}};
    job.ordinals.add(2);
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        CHECK(open->image.settings == std::vector{StoredSetting{"moves_per_round", "2"}});
        CHECK(open->image.ends.empty());
        open->store->submit({1, {Shared<StoredEnds>{job}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    CHECK(open_store(store_file(directory))->image.ends == std::vector{job});
}

// Goal: an older program that shares the cluster, or opens a copy, can read an old task that this
// one wrote. Method: bytes of the first release, read and written again.
TEST_CASE("a task of the first release is written with its old bytes", "[store][codec]") {
    std::string bytes;
    for (const char* at = first_task; *at != '\0'; at += 2) {
        bytes += static_cast<char>(std::stoi(std::string{at, 2}, nullptr, 16));
    }
    const auto read = codec::decode_request(bytes);
    REQUIRE(read);
    std::string written;
    codec::encode(*read, written);
    CHECK(written.find(bytes.substr(bytes.find("\xa4task"))) != std::string::npos);
    TaskSpec spec;
    spec.argv = {"/bin/sleep", "60"};
    spec.env = {{"A", "1"}};
    CHECK(std::get<TaskAddRequest>(read->body).task.spec == spec);
}

// Goal: a store without an audit keeps one from now on, and its rows are read back unchanged.
// Method: rows, a head, and what was dropped; then pages of them.
TEST_CASE("a store of schema 6 gets an audit, and keeps it", "[store][audit]") {
    const TemporaryDirectory directory;
    {
        REQUIRE(open_store(store_file(directory)));
        const auto database = sqlite::Database::open(store_file(directory), "store");
        REQUIRE(database);
        REQUIRE((*database)->execute(
            "DROP TABLE audit; DROP TABLE audit_head; DROP TABLE secrets; DROP TABLE pools; DROP "
            "TABLE pool_nodes; DROP TABLE seasons; ALTER TABLE keys DROP "
            "COLUMN rotation; "
            "ALTER TABLE keys DROP COLUMN lasting_until; PRAGMA user_version = 6"));
    }
    std::vector<StoredAudit> rows;
    for (std::uint8_t number = 1; number <= 5; ++number) {
        StoredAudit row{.number = number,
                        .at = CivilMs{number},
                        .actor = "ann",
                        .fingerprint = "0123-4567",
                        .action = "task scale",
                        .result = "accepted",
                        .detail = "web scale 3 -> 5 \xc3\xa4",
                        .request = {7, number},
                        .epoch = Epoch{8},
                        .counter = Generation{9}};
        row.previous.bytes.fill(number);
        row.hash.bytes.fill(static_cast<std::uint8_t>(number + 1));
        rows.push_back(row);
    }
    AuditHead head{.number = 5, .first = 2};
    head.hash.bytes.fill(6);
    head.seal.bytes.fill(7);
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        CHECK(open->image.audit.empty());
        std::vector<Write> writes{rows.begin(), rows.end()};
        writes.emplace_back(EraseOldAudit{1});
        writes.emplace_back(head);
        open->store->submit({1, std::move(writes)});
        REQUIRE(wait_durable(*open->store, 1));
    }
    const auto open = open_store(store_file(directory));
    REQUIRE(open);
    CHECK(open->image.audit == std::vector{head});
    const auto numbers = [&](std::optional<std::uint64_t> since, std::uint32_t limit) {
        const auto page = open->store->audit(since, limit);
        REQUIRE(page);
        CHECK(page->head == head);
        std::vector<std::uint64_t> found;
        for (const StoredAudit& row : page->rows) {
            CHECK(row == rows[row.number - 1]);
            found.push_back(row.number);
        }
        return found;
    };
    CHECK(numbers(0, 1'000) == std::vector<std::uint64_t>{2, 3, 4, 5});
    CHECK(numbers(3, 1) == std::vector<std::uint64_t>{4});
    CHECK(numbers(5, 10).empty());
    CHECK(numbers(~std::uint64_t{0}, 10).empty());
    CHECK(numbers({}, 2) == std::vector<std::uint64_t>{4, 5});
}

// Goal: keys of schema 7 are not being replaced, and a replacement is kept from now on.
// Method: a key without the new columns; then the row of a replacement, read back.
TEST_CASE("a store of schema 7 keeps its keys, and the replacement of one", "[store][keys]") {
    const TemporaryDirectory directory;
    StoredKey key{.name = "ann", .role = Role::operator_, .keys = {{}}, .pools = {"db"}};
    key.keys[0].key.bytes.fill(1);
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        open->store->submit({1, {Shared<StoredKey>{key}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    REQUIRE((*sqlite::Database::open(store_file(directory), "store"))
                ->execute("DROP TABLE secrets; DROP TABLE pools; DROP TABLE pool_nodes; DROP TABLE "
                          "seasons; ALTER "
                          "TABLE keys DROP COLUMN rotation; "
                          "ALTER TABLE keys DROP COLUMN lasting_until; PRAGMA user_version = 7"));
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        CHECK(open->image.keys == std::vector{key});
        key.keys.emplace_back().key.bytes.fill(2);
        key.keys[1].until = CivilMs{5};
        key.rotation = Rotation::registered;
        key.lasting_until = CivilMs{7};
        open->store->submit({1, {Shared<StoredKey>{key}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    CHECK(open_store(store_file(directory))->image.keys == std::vector{key});
}

// Goal: a store without pools keeps them from now on, and loses nothing.
TEST_CASE("a store of schema 10 gets tables of pools", "[store][pools]") {
    const TemporaryDirectory directory;
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        open->store->submit({1, {StoredSetting{"moves_per_round", "2"}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    REQUIRE((*sqlite::Database::open(store_file(directory), "store"))
                ->execute("DROP TABLE pools; DROP TABLE pool_nodes; DROP TABLE seasons; PRAGMA "
                          "user_version = 10"));
    const StoredPool web{.name = "web", .spec = {.min = 2}};
    const StoredPoolNode node{.name = "web-1", .pool = "web", .provider = "local", .id = "i-1"};
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        CHECK(open->image.settings == std::vector{StoredSetting{"moves_per_round", "2"}});
        CHECK(open->image.pools.empty());
        CHECK(open->image.pool_nodes.empty());
        open->store->submit({1, {Shared<StoredPool>{web}, Shared<StoredPoolNode>{node}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    const auto open = open_store(store_file(directory));
    REQUIRE(open);
    CHECK(open->image.pools == std::vector{web});
    CHECK(open->image.pool_nodes == std::vector{node});
}

// Goal: the core learns that the head is gone, and gives no number twice.
// Method: delete the head, or let it name fewer rows than there are.
TEST_CASE("a head of the audit that was taken away has the highest number and no seal",
          "[store][audit]") {
    const TemporaryDirectory directory;
    {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        StoredAudit row;
        row.number = 7;
        open->store->submit({1, {Shared<StoredAudit>{row}, AuditHead{.number = 7}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    const auto change = GENERATE("DELETE FROM audit_head", "UPDATE audit_head SET number = 3");
    REQUIRE((*sqlite::Database::open(store_file(directory), "store"))->execute(change));
    CHECK(open_store(store_file(directory))->image.audit == std::vector{AuditHead{.number = 7}});
}

// Goal: an upgrade that cannot be finished leaves the file usable for the older program.
// Method: a table has the name of the last one that the upgrade makes.
TEST_CASE("an upgrade of a store is done whole or not at all", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    REQUIRE(make_old_store(file)->execute("CREATE TABLE settings (other)"));
    const auto refused = open_store(file);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::Contains(file) && Catch::Contains("settings"));
    {
        const auto database = sqlite::Database::open(file, "store");
        REQUIRE(database);
        CHECK((*database)->number("PRAGMA user_version") == 1);
        CHECK((*database)->number("SELECT count(*) FROM sqlite_master WHERE name = 'intents'") ==
              0);
        REQUIRE((*database)->execute("DROP TABLE settings"));
    }
    const auto open = open_store(file);
    REQUIRE(open);
    CHECK(open->image.tasks.size() == 1);
}

}  // namespace muster::coordinator
