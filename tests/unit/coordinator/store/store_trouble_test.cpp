#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/catch.hpp"

#include "coordinator/store/store_file.hpp"
#include "tests/small_disk.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

namespace muster::coordinator {
namespace {

/// A store with enough rows for several pages.
void fill(const std::string& file) {
    const auto open = open_store(file);
    REQUIRE(open);
    for (std::uint64_t number = 1; number <= 1'000; ++number) {
        open->store->submit(numbered(number));
    }
    REQUIRE(wait_durable(*open->store, 1'000));
}

void check_refused(const std::string& file, const std::string& word) {
    const auto refused = open_store(file);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::store_failed);
    CHECK_THAT(refused.error().detail, Catch::Contains(file) && Catch::Contains(word));
    CHECK_THAT(refused.error().detail, !Catch::Contains("\n"));
}

}  // namespace

// Goal: a damaged file is refused whole, with a sentence that says what to do.
// Method: damage a page, the header, the length; put something else in its place.
TEST_CASE("a damaged store is refused", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    fill(file);
    SECTION("by a page of garbage") {
        overwrite(file, 2L * 4'096, std::string(4'096, '\xa5'));
        check_refused(file, "is damaged");
    }
    SECTION("by a wrong header") {
        overwrite(file, 0, std::string(4'096, '\x5a'));
        check_refused(file, "is damaged");
    }
    SECTION("by half its length") {
        std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
        check_refused(file, "is damaged");
    }
    SECTION("by the loss of all but its log") {
        std::filesystem::copy_file(file, file + "-wal");
        if (GENERATE(true, false)) {
            std::filesystem::remove(file);
        } else {
            std::filesystem::resize_file(file, 511);
        }
        check_refused(file, "nothing is left of it but its log");
        CHECK(std::filesystem::file_size(file + "-wal") > 0);
    }
    SECTION("by a schema that was never written") {
        overwrite(file, 60, std::string{"\xff\xff\xff\xff", 4});
        check_refused(file, "is damaged (schema -1)");
    }
    SECTION("because it is a directory") {
        std::filesystem::remove(file);
        std::filesystem::create_directory(file);
        check_refused(file, "is a directory, not a file");
    }
    SECTION("because it is a pipe") {
        std::filesystem::remove(file);
        REQUIRE(mkfifo(file.c_str(), 0600) == 0);
        check_refused(file, "is a pipe, not a file");
    }
    SECTION("because its log is a pipe") {
        REQUIRE(mkfifo((file + "-wal").c_str(), 0600) == 0);
        check_refused(file, "-wal' is a pipe, not a file");
    }
}

namespace {

/// Acts as another user for file access. Nobody else can do that.
class AsNobody {
public:
    AsNobody() : could_{geteuid() != 0 || seteuid(nobody) == 0} {}
    ~AsNobody() { static_cast<void>(seteuid(before_)); }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;
    [[nodiscard]] bool could() const { return could_; }

    static constexpr uid_t nobody = 65'534;

private:
    uid_t before_ = geteuid();
    bool could_;
};

}  // namespace

// Goal: an operator without write access learns what to change. Method: the store's mode is 0400.
TEST_CASE("a store without write permission reports its mode and its owner", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    if (geteuid() == 0) {
        REQUIRE(chown(directory.path().c_str(), AsNobody::nobody, AsNobody::nobody) == 0);
    }
    const AsNobody other;
    REQUIRE(other.could());
    fill(file);
    REQUIRE(chmod(file.c_str(), 0400) == 0);
    check_refused(file, "its mode is 0400, it belongs to user " + std::to_string(geteuid()) +
                            ", and this program runs as user " + std::to_string(geteuid()));
    REQUIRE(chmod(file.c_str(), 0600) == 0);
    CHECK(open_store(file));
}

TEST_CASE("an empty file is distinguished from a missing store", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = directory.path() + "/store.sqlite";
    CHECK_FALSE(is_empty_file(file));
    std::ofstream{file}.flush();
    CHECK(is_empty_file(file));
    std::ofstream{file} << "x";
    CHECK_FALSE(is_empty_file(file));
}

// Goal: an impossible row is refused, with its table and its key, before it has an effect. Method:
// change one row of a valid store.
TEST_CASE("a store with an impossible row is refused, and left as it is", "[store][trouble]") {
    const auto& [change, word] = GENERATE(table<std::string, std::string>({
        {"UPDATE meta SET epoch = -1", "table meta: epoch is -1"},
        {"UPDATE meta SET counter = -1", "table meta: counter is -1"},
        {"UPDATE meta SET counter = 4",
         "table tasks, row 'web': generation is 5, above the counter"},
        {"UPDATE tasks SET created = 6", "table tasks, row 'web': created is 6"},
        {"UPDATE tasks SET created = -2", "table tasks, row 'web': created is -2"},
        {"UPDATE nodes SET name = '..'", "table nodes, row '..': it is not a valid name"},
        {"UPDATE intents SET name = 'N 1'", "table intents, row 'N 1': it is not a valid name"},
        {"UPDATE intents SET since = -1", "table intents, row 'n1': since is -1"},
        {"INSERT INTO settings VALUES ('fleet', '2')", "table settings, row 'fleet'"},
        {"INSERT INTO settings VALUES ('starts_per_round', 'many')",
         "its value 'many' is not a limit"},
        {"CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM tasks; END",
         "its schema holds the trigger 't'"},
    }));
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    {
        const auto open = open_store(file);
        REQUIRE(open);
        Meta meta = open->image.meta;
        meta.counter = Generation{5};
        StoredTask task;
        task.wanted.name = "web";
        task.wanted.spec.argv = {"x"};
        task.generation = task.created = Generation{5};
        StoredIntent intent{.name = "n1", .intent = Intent::offline};
        open->store->submit({1,
                             {meta, Shared<StoredTask>{task}, StoredNode{"n1", Incarnation{1}},
                              Shared<StoredIntent>{intent}}});
        REQUIRE(wait_durable(*open->store, 1));
    }
    REQUIRE(open_store(file));
    const auto epoch = [&] {
        const auto database = sqlite::Database::open(file, "store");
        REQUIRE(database);
        return (*database)->number("SELECT epoch FROM meta").value_or(-9);
    };
    {
        const auto database = sqlite::Database::open(file, "store");
        REQUIRE(database);
        REQUIRE((*database)->execute(change));
    }
    const auto before = epoch();
    check_refused(file, word);
    check_refused(file, "is damaged");
    CHECK(epoch() == before);
}

TEST_CASE("a store of a newer schema is refused and left as it is", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    fill(file);
    // The file's user version: 4 bytes, big-endian.
    overwrite(file, 60, std::string{"\0\0\0\x63", 4});
    check_refused(file, "newer muster (schema 99, this one knows 12)");
    overwrite(file, 60, std::string{"\0\0\0\14", 4});
    const auto open = open_store(file);
    REQUIRE(open);
    CHECK(open->image.nodes.size() == 1'000);
}

TEST_CASE("a task that cannot be read is refused with its name", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    {
        const auto open = open_store(file);
        REQUIRE(open);
        const auto database = sqlite::Database::open(directory.path() + "/other.sqlite", "store");
        REQUIRE(database);
    }
    {
        const auto database = sqlite::Database::open(file, "store");
        REQUIRE(database);
        REQUIRE((*database)->execute("INSERT INTO tasks VALUES ('web', 1, 1, x'c1')"));
    }
    check_refused(file, "holds a task 'web' that cannot be read");
}

// Goal: with a full disk only durable writes are confirmed, and nothing is tried again.
// Method: a small disk, writes until one fails; then space again, which changes nothing until the
// store is reopened.
TEST_CASE("after the first failed write nothing more is written", "[store][trouble]") {
    const TemporaryDirectory directory;
    const SmallDisk disk{directory.path() + "/disk"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto file = directory.path() + "/disk/state/store.sqlite";
    std::uint64_t confirmed = 0;
    {
        const auto open = open_store(file);
        REQUIRE(open);
        std::uint64_t number = 0;
        while (!open->store->failure() && number < 100'000) {
            open->store->submit(numbered(++number));
            REQUIRE(wait_for_news(*open->store));
            confirmed = open->store->take_durable().value_or(confirmed);
        }
        REQUIRE(open->store->failure());
        CHECK_THAT(*open->store->failure(), Catch::Contains("disk is full"));
        CHECK(confirmed == number - 1);
        REQUIRE(disk.grow());
        open->store->submit(numbered(number + 1));
    }
    const auto again = open_store(file);
    REQUIRE(again);
    CHECK(again->image.nodes.size() == confirmed);
}

// Goal: a write to a file that cannot be found again is not confirmed.
// Method: while the store is open, remove its file, its log or its directory, or put another file
// in its place; then write.
TEST_CASE("no write is durable in a store that was removed or replaced", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    const auto open = open_store(file);
    REQUIRE(open);
    open->store->submit(numbered(1));
    REQUIRE(wait_durable(*open->store, 1));

    SECTION("the file") { std::filesystem::remove(file); }
    SECTION("its log") { std::filesystem::remove(file + "-wal"); }
    SECTION("its directory") { std::filesystem::remove_all(directory.path() + "/state"); }
    SECTION("another file") {
        std::filesystem::copy_file(file, file + ".copy");
        std::filesystem::rename(file + ".copy", file);
    }
    open->store->submit(numbered(2));
    CHECK_FALSE(wait_durable(*open->store, 2));
    REQUIRE(open->store->failure());
    CHECK_THAT(*open->store->failure(),
               Catch::Contains(file) && Catch::Contains("removed or replaced"));
}

TEST_CASE("a store that cannot be written is refused", "[store][trouble]") {
    const TemporaryDirectory directory;
    const SmallDisk disk{directory.path() + "/disk"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto file = directory.path() + "/disk/state/store.sqlite";
    REQUIRE(open_store(file));
    REQUIRE(disk.make_read_only());
    const auto refused = open_store(file);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::Contains(directory.path() + "/disk/state"));
}

}  // namespace muster::coordinator
