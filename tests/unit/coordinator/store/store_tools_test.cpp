// What operators do with a whole store in a file.

#include "coordinator/store/tools/store_tools.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/store/leader_lock.hpp"
#include "coordinator/store/tools/export_text.hpp"
#include "coordinator/store/tools/store_copy.hpp"
#include "coordinator/store/tools/whole_file.hpp"
#include "tests/small_disk.hpp"
#include "tests/unit/coordinator/store/rows_of_each.hpp"

using namespace muster;
using namespace muster::coordinator;

namespace {

struct FileStores {
    TemporaryDirectory directory;
    WholeFile first{directory.path() + "/state"};
    WholeFile second{directory.path() + "/second"};
    std::string file = directory.path() + "/store.jsonl";

    void fill() const {
        const auto open = open_store(store_file(directory));
        REQUIRE(open);
        open->store->submit({1, a_row_of_each()});
        // Of this leadership, as a coordinator's rows are.
        REQUIRE(wait_durable(*open->store, 1));
    }
    [[nodiscard]] std::string in(const std::string& name) const {
        return directory.path() + '/' + name;
    }
};

std::string text_of(WholeStore& store) {
    auto content = store.read();
    INFO((content ? "" : content.error().detail));
    REQUIRE(content);
    return export_of(*content->rows)->text;
}

/// Without the lines that have the epoch and the leader.
std::string rows_but_meta(const std::string& text) {
    const auto first = text.find("{\"table\":\"tasks\"");
    return text.substr(first, text.rfind("{\"rows\"") - first);
}

void overwrite_with(const std::string& path, const std::string& text) {
    std::ofstream{path, std::ios::trunc | std::ios::binary} << text;
}

}  // namespace

// Goal: export and import keep every row, and raise the epoch.
TEST_CASE("a store is filled from an export, in the next epoch", "[store][tools]") {
    FileStores stores;
    stores.fill();
    REQUIRE(export_store(stores.first, stores.file, {}));
    struct stat status = {};
    REQUIRE(stat(stores.file.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
    const auto imported = import_store(stores.second, stores.file, {});
    INFO((imported ? imported->text : imported.error().detail));
    REQUIRE(imported);
    const std::string before = text_of(stores.first);
    const std::string after = text_of(stores.second);
    CHECK(rows_but_meta(after) == rows_but_meta(before));
    CHECK_THAT(before, Catch::Contains("\"epoch\":3,"));
    CHECK_THAT(after, Catch::Contains("\"epoch\":4,"));
    const auto led = open_store(stores.in("second/store.sqlite"));
    REQUIRE(led);
    CHECK(led->image.meta.epoch == Epoch{5});
    CHECK(led->image.tasks.size() == 1);
}

TEST_CASE("an import is refused into a store that is not empty, or is led", "[store][tools]") {
    FileStores stores;
    stores.fill();
    REQUIRE(export_store(stores.first, stores.file, {}));
    const auto full = import_store(stores.first, stores.file, {});
    REQUIRE_FALSE(full);
    CHECK(full.error().code == Errc::refused);
    CHECK_THAT(full.error().detail, Catch::Contains("already") && Catch::Contains("move it away"));

    std::filesystem::create_directories(stores.in("second"));
    const auto lock = LeaderLock::ask(stores.in("second/leader.lock"));
    REQUIRE(lock);
    for (const bool is_dry : {true, false}) {
        const auto led = import_store(stores.second, stores.file, {.is_dry = is_dry});
        REQUIRE_FALSE(led);
        CHECK(led.error().code == Errc::refused);
        CHECK_THAT(led.error().detail, Catch::Contains("stop all coordinators first"));
    }
    CHECK_FALSE(std::filesystem::exists(stores.in("second/store.sqlite")));
}

TEST_CASE("a dry run writes nothing", "[store][tools]") {
    FileStores stores;
    stores.fill();
    const ToolRun dry{.is_dry = true};
    CHECK_THAT(export_store(stores.first, stores.file, dry)->text,
               Catch::StartsWith("would write 16 rows"));
    CHECK_THAT(back_up_file(store_file(stores.directory), stores.in("b"), dry)->text,
               Catch::StartsWith("would write a copy"));
    CHECK_THAT(migrate_store(stores.first, stores.second, dry)->text,
               Catch::StartsWith("would move 16 rows"));
    REQUIRE(export_store(stores.first, stores.file, {}));
    CHECK_THAT(import_store(stores.second, stores.file, dry)->text,
               Catch::StartsWith("would import 16 rows"));
    std::vector<std::string> there;
    for (const auto& entry : std::filesystem::directory_iterator{stores.directory.path()}) {
        there.push_back(entry.path().filename());
    }
    std::ranges::sort(there);
    CHECK(there == std::vector<std::string>{"state", "store.jsonl"});
}

TEST_CASE("an import or an export never replaces a file, and leaves none in part",
          "[store][tools]") {
    FileStores stores;
    stores.fill();
    overwrite_with(stores.file, "mine");
    const auto refused = export_store(stores.first, stores.file, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::exists);
    const auto backup = back_up_file(store_file(stores.directory), stores.file, {});
    REQUIRE_FALSE(backup);
    CHECK(backup.error().code == Errc::exists);
    CHECK(std::filesystem::file_size(stores.file) == 4);
    CHECK_FALSE(export_store(stores.first, stores.in("none/x"), {}));
    CHECK_FALSE(back_up_file(store_file(stores.directory), stores.in("none/x"), {}));
}

TEST_CASE("a backup is a store of its own, and can be imported", "[store][tools]") {
    FileStores stores;
    stores.fill();
    const std::string file = stores.in("backup/store.sqlite");
    std::filesystem::create_directory(stores.in("backup"));
    const auto done = back_up_file(store_file(stores.directory), file, {});
    INFO((done ? done->text : done.error().detail));
    REQUIRE(done);
    const std::string before = text_of(stores.first);
    CHECK(text_of(stores.first) == before);
    REQUIRE(import_store(stores.second, file, {}));
    CHECK(rows_but_meta(text_of(stores.second)) == rows_but_meta(before));
    const auto led = open_store(file);
    REQUIRE(led);
    CHECK(led->image.meta.epoch == Epoch{4});
}

// Goal: a copy is the store at one moment, whatever a coordinator writes meanwhile. Method: each
// commit changes many pages and two marks. Between the copies of the file and of its log, so much
// is written that the log begins again.
TEST_CASE("a copy of a store in use holds whole commits only", "[store][tools]") {
    const TemporaryDirectory directory;
    const std::string file = store_file(directory);
    const auto open = open_store(file);
    REQUIRE(open);
    std::uint64_t number = 0;
    const auto write = [&](std::uint64_t commits) {
        for (const std::uint64_t last = number + commits; number < last;) {
            ++number;
            Persist persist{number, {StoredSetting{"starts_per_round", std::to_string(number)}}};
            for (std::uint64_t row = 0; row < 400; ++row) {
                StoredNode node;
                node.name = "n" + std::to_string((row * 7'919 + number * 400) % 40'000);
                node.incarnation = Incarnation{number};
                persist.writes.emplace_back(node);
            }
            persist.writes.emplace_back(StoredSetting{"moves_per_round", std::to_string(number)});
            open->store->submit(std::move(persist));
            REQUIRE(wait_durable(*open->store, number));
        }
    };
    write(20);
    const auto commits = GENERATE(1, 30);
    CAPTURE(commits);
    int copies = 0;
    const auto copy = copy_of_store(file, [&] {
        if (++copies == 1) {
            write(static_cast<std::uint64_t>(commits));
        }
    });
    INFO((copy ? "" : copy.error().detail));
    REQUIRE(copy);
    CHECK(copies == (commits == 1 ? 1 : 2));
    CHECK((*copy)->first_finding("PRAGMA integrity_check(1)").value_or("") == "ok");
    CHECK(
        (*copy)->first_finding("SELECT group_concat(DISTINCT value) FROM settings").value_or("") ==
        std::to_string(number));
}

// Goal: a coordinator does not begin a new store where the old one was moved away.
TEST_CASE("a store that was moved is not begun again", "[store][tools]") {
    FileStores stores;
    stores.fill();
    const std::string before = text_of(stores.first);
    const auto moved = migrate_store(stores.first, stores.second, {});
    INFO((moved ? moved->text : moved.error().detail));
    REQUIRE(moved);
    CHECK(rows_but_meta(text_of(stores.second)) == rows_but_meta(before));
    const auto again = open_store(store_file(stores.directory));
    REQUIRE_FALSE(again);
    CHECK_THAT(again.error().detail, Catch::Contains("was moved to etcd"));
    const auto gone = check_store(stores.first, {});
    REQUIRE_FALSE(gone);
    CHECK(gone.error().code == Errc::not_found);
}

TEST_CASE("a check of a store names each fault with its place", "[store][tools]") {
    FileStores stores;
    stores.fill();
    const std::string file = store_file(stores.directory);
    const auto sound = check_store(stores.first, {});
    REQUIRE(sound);
    CHECK_FALSE(sound->is_faulty);
    CHECK_THAT(sound->text, Catch::Contains("is ok: 16 rows (meta: 1, tasks: 1") &&
                                Catch::Contains("there is no cluster.key"));
    const auto faults = [&](const std::string& sql, const ToolRun& run = {}) {
        {
            const auto database = sqlite::Database::open(file, "store");
            REQUIRE(database);
            REQUIRE((*database)->execute(sql));
        }
        const auto found = check_store(stores.first, run);
        INFO((found ? "" : found.error().detail));
        REQUIRE(found);
        CHECK(found->is_faulty);
        return found->text;
    };
    SECTION("several rows") {
        CHECK_THAT(faults("INSERT INTO settings VALUES ('who', '1'); "
                          "INSERT INTO nodes VALUES ('A B', 1, 0, 0, 0); "
                          "UPDATE tasks SET wanted = x'00'"),
                   Catch::Contains("3 faults") && Catch::Contains("task 'web' that cannot") &&
                       Catch::Contains("table nodes, row 'A B'") &&
                       Catch::Contains("table settings, row 'who': there is no such setting"));
    }
    SECTION("the audit") {
        ClusterSecret keys{.cluster = first_cluster, .orders = {}};
        CHECK_THAT(faults("UPDATE audit SET actor = 'bob'", {.is_dry = false, .keys = keys}),
                   Catch::Contains("audit: row 1 was edited"));
    }
    SECTION("the keys of another cluster") {
        CHECK_THAT(faults("", {.is_dry = false, .keys = ClusterSecret{ClusterId{9, 9}, {}}}),
                   Catch::Contains("the cluster.key of that cluster belongs there"));
    }
    SECTION("a view") {
        CHECK_THAT(faults("CREATE VIEW v AS SELECT 1"), Catch::Contains("muster never made"));
    }
    SECTION("a newer schema") {
        CHECK_THAT(faults("PRAGMA user_version = 99"), Catch::Contains("newer muster (schema 99"));
    }
    SECTION("a page of garbage") {
        overwrite(file, 2L * 4'096, std::string(4'096, '\xa5'));
        CHECK_THAT(check_store(stores.first, {})->text, Catch::Contains("is damaged"));
    }
    SECTION("another file") {
        overwrite_with(file, std::string(8'192, 'x'));
        CHECK_THAT(check_store(stores.first, {})->text, Catch::Contains("is damaged"));
    }
}

TEST_CASE("rows that a coordinator could not start with are not imported", "[store][tools]") {
    FileStores stores;
    stores.fill();
    {
        const auto database = sqlite::Database::open(store_file(stores.directory), "store");
        REQUIRE(database);
        REQUIRE((*database)->execute("UPDATE settings SET name = 'who'"));
    }
    REQUIRE(export_store(stores.first, stores.file, {}));
    const auto refused = import_store(stores.second, stores.file, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::refused);
    CHECK(refused.error().detail ==
          stores.file + " has a fault: table settings, row 'who': there is no such setting");
    CHECK_FALSE(std::filesystem::exists(stores.in("second")));
}

TEST_CASE("a disk that is full is named, and nothing is left there", "[store][tools]") {
    FileStores stores;
    stores.fill();
    const SmallDisk disk{stores.in("small")};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    overwrite_with(disk.path() + "/other", std::string(220'000, 'x'));
    const auto refused = back_up_file(store_file(stores.directory), disk.path() + "/b", {});
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail,
               Catch::StartsWith(disk.path() + "/b cannot be made") && Catch::Contains("full"));
    CHECK(std::distance(std::filesystem::directory_iterator{disk.path()}, {}) == 1);
}

// Goal: an import leaves a row of the audit, and the chain fits. Method: with a key, and an audit
// that was made with it.
TEST_CASE("an import is in the audit of a cluster with keys", "[store][tools]") {
    FileStores stores;
    {
        const auto open = open_store(store_file(stores.directory));
        REQUIRE(open);
    }
    REQUIRE(export_store(stores.first, stores.file, {}));
    std::array<std::uint8_t, SecretKey::size> secret{};
    secret.fill(7);
    const ToolRun run{.is_dry = false,
                      .keys = ClusterSecret{first_cluster, SecretKey{secret}},
                      .now = CivilMs{5}};
    REQUIRE(import_store(stores.second, stores.file, run));
    const auto checked = check_store(stores.second, run);
    REQUIRE(checked);
    CHECK_THAT(checked->text, Catch::Contains("its audit of 1 rows is whole"));
    CHECK_THAT(text_of(stores.second), Catch::Contains("\"action\":\"store import\"") &&
                                           Catch::Contains("\"actor\":\"local\""));
}

TEST_CASE("rows of another cluster than the keys are not imported", "[store][tools]") {
    FileStores stores;
    stores.fill();
    REQUIRE(export_store(stores.first, stores.file, {}));
    const auto refused = import_store(
        stores.second, stores.file, {.is_dry = false, .keys = ClusterSecret{ClusterId{9, 9}, {}}});
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail,
               Catch::Contains("it is of the cluster " + to_string(first_cluster)));
    CHECK_FALSE(std::filesystem::exists(stores.in("second")));
}
