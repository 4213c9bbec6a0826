#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "tests/catch.hpp"

#include "tests/small_disk.hpp"
#include "tests/unit/coordinator/store/store_fixture.hpp"

namespace muster::coordinator {
namespace {

/// A file with enough in it to have several pages.
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

// Goal: a file that is not what was written is refused whole, in a sentence that says what to do.
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
        check_refused(file, "cannot be opened");
    }
}

TEST_CASE("a store of a newer schema is refused and left as it is", "[store][trouble]") {
    const TemporaryDirectory directory;
    const auto file = store_file(directory);
    fill(file);
    // The file's user version: 4 bytes, the most significant first.
    overwrite(file, 60, std::string{"\0\0\0\x63", 4});
    check_refused(file, "newer muster (schema 99, this one knows 4)");
    overwrite(file, 60, std::string{"\0\0\0\3", 4});
    const auto open = open_store(file);
    REQUIRE(open);
    CHECK(open->image.nodes.size() == 1'000);
}

TEST_CASE("a task that cannot be read is refused by its name", "[store][trouble]") {
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

// Goal: with a full disk nothing is told durable that is not, and nothing is tried again.
// Method: a small disk, writes until one fails; then room again, which changes nothing until the
// store is opened anew.
TEST_CASE("after the first failed write nothing is written any more", "[store][trouble]") {
    const TemporaryDirectory directory;
    const SmallDisk disk{directory.path() + "/disk"};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto file = directory.path() + "/disk/state/store.sqlite";
    std::uint64_t told = 0;
    {
        const auto open = open_store(file);
        REQUIRE(open);
        std::uint64_t number = 0;
        while (!open->store->failure() && number < 100'000) {
            open->store->submit(numbered(++number));
            REQUIRE(wait_for_news(*open->store));
            told = open->store->take_durable().value_or(told);
        }
        REQUIRE(open->store->failure());
        CHECK_THAT(*open->store->failure(), Catch::Contains("disk is full"));
        CHECK(told == number - 1);
        REQUIRE(disk.grow());
        open->store->submit(numbered(number + 1));
    }
    const auto again = open_store(file);
    REQUIRE(again);
    CHECK(again->image.nodes.size() == told);
}

// Goal: what nobody would find again is not told durable.
// Method: while the store is open, take away its file, its log or its directory, or put another
// file in its place; then write.
TEST_CASE("nothing is durable in a store that was removed or replaced", "[store][trouble]") {
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
