// The audit of a running coordinator, against somebody who can write to its store.

#include <filesystem>
#include <string>

#include "tests/catch.hpp"

#include "tests/integration/support/cluster.hpp"
#include "tests/integration/support/harness.hpp"
#include "tests/integration/support/keyed_cluster.hpp"

using namespace muster;
using namespace muster::integration;

// Goal: whoever can write to the store, but has not the key, cannot change the audit unseen.
// Method: real changes and refusals; then, while the coordinator is stopped, edit a row, delete one
// in the middle, and cut off the newest, each in a copy of the whole store; also with a head that
// pretends the last row away.
TEST_CASE("a row of the audit that is edited, deleted or cut off is named [A24]",
          "[integration][keys][audit]") {
    KeyedCluster cluster;
    REQUIRE(cluster.muster_by_key({"task", "add", "web", "--", "/bin/sleep", "60"}).exit.code == 0);
    for (const auto* const count : {"2", "3", "4"}) {
        REQUIRE(cluster.muster_by_key({"task", "scale", "web", count}).exit.code == 0);
    }
    REQUIRE(cluster.muster_by_key({"task", "add", "web", "--", "/bin/sleep", "60"}).exit.code != 0);
    const auto verify = [&] { return cluster.muster_by_key({"audit", "verify"}); };
    const auto whole = verify();
    INFO(whole.output << whole.errors);
    REQUIRE(whole.exit.code == 0);
    CHECK(whole.output.find("the audit is whole: rows 1 to ") == 0);
    const auto exported = cluster.muster_by_key({"audit", "export"});
    REQUIRE(exported.exit.code == 0);
    std::vector<Json> rows;
    for (std::size_t at = 0; at < exported.output.size();) {
        const auto end = exported.output.find('\n', at);
        rows.push_back(Json::parse(exported.output.substr(at, end - at)));
        at = end + 1;
    }
    REQUIRE(rows.size() >= 6);
    CHECK(rows.back().at("action") == "task add");
    CHECK(rows.back().at("result") == "exists");
    CHECK(rows.back().at("actor") == "admin");
    CHECK(rows[rows.size() - 2].at("detail") == "web scale 3 -> 4");
    const auto shown = cluster.muster_by_key({"audit", "show"});
    CHECK(shown.output.find("web scale 3 -> 4") != std::string::npos);

    const auto newest = rows.back().at("number").get<int>();
    const auto middle = std::to_string(newest - 2);
    const auto last = std::to_string(newest);
    const auto end_unknown = [&](int row) {
        return "rows after row " + std::to_string(row) + " may be missing";
    };
    const struct {
        std::string sql;
        std::string sentence;
        std::string later{};  // Once there are newer rows, if it is another.
    } cases[] = {
        {"UPDATE audit SET actor = 'ann' WHERE number = " + middle,
         "row " + middle + " was edited"},
        {"UPDATE audit SET detail = 'nothing' WHERE number = 1", "row 1 was edited"},
        {"DELETE FROM audit WHERE number = " + middle, "row " + middle + " is missing"},
        {"DELETE FROM audit WHERE number = 1", "row 1 is missing"},
        {"DELETE FROM audit WHERE number = " + last, "row " + last + " is missing"},
        {"DELETE FROM audit WHERE number >= " + middle + "; DELETE FROM audit_head",
         end_unknown(newest - 3), "row " + middle + " is missing"},
        {"DELETE FROM audit WHERE number = " + last + "; UPDATE audit_head SET number = number - 1",
         end_unknown(newest - 1), "row " + last + " is missing"},
    };
    cluster.kill_coordinator();
    const std::string file = cluster.store_file();
    const std::string copy = cluster.directory() + "/store.copy";
    const auto sqlite = [&](const std::string& sql) {
        const auto done = run(cluster.directory(), {"/usr/bin/python3", "-c",
                                                    "import sqlite3, sys\n"
                                                    "store = sqlite3.connect(sys.argv[1])\n"
                                                    "store.executescript(sys.argv[2])\n"
                                                    "store.commit()\n",
                                                    file, sql});
        INFO(done.errors);
        REQUIRE(done.exit.code == 0);
    };
    sqlite("PRAGMA wal_checkpoint(TRUNCATE)");
    std::filesystem::copy_file(file, copy);
    for (const auto& [sql, sentence, later] : cases) {
        INFO(sql);
        std::filesystem::copy_file(copy, file, std::filesystem::copy_options::overwrite_existing);
        sqlite(sql);
        cluster.start_coordinator();
        const auto found = verify();
        INFO(found.output << found.errors);
        CHECK(found.exit.code == 3);
        CHECK(found.output.find(sentence) != std::string::npos);
        // Later rows heal nothing.
        REQUIRE(cluster.muster_by_key({"task", "scale", "web", "6"}).exit.code == 0);
        CHECK(verify().exit.code == 3);
        CHECK(verify().output.find(later.empty() ? sentence : later) != std::string::npos);
        cluster.kill_coordinator();
        sqlite("PRAGMA wal_checkpoint(TRUNCATE)");
    }
}
