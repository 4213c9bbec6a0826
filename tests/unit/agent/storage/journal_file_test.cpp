// The agent's journal on disk: the next life reads what was written, and damage costs no task.

#include "agent/storage/journal_file.hpp"

#include <filesystem>
#include <fstream>
#include <poll.h>
#include <string>

#include "tests/catch.hpp"

#include "agent/worker.hpp"
#include "common/sqlite/sqlite.hpp"
#include "tests/small_disk.hpp"
#include "tests/temporary_directory.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

namespace fs = std::filesystem;

constexpr BootId this_boot{1, 1};

TaskSpec spec_of(const std::string& program) {
    TaskSpec spec;
    spec.argv = {program};
    return spec;
}

/// Every field with a different value.
InstanceImage full_image() {
    InstanceImage image;
    image.report = {.id = {"web", 3},
                    .generation = Generation{7},
                    .state = InstanceState::backoff,
                    .restarts = 4,
                    .exit_code = -1,
                    .exit_signal = 9,
                    .started = CivilMs{1'700'000'000'000},
                    .detail = "it's \"over\"",
                    .proof = {Incarnation{6}, Digest{8, ~std::uint64_t{0}}}};
    image.digest = digest_of(spec_of("a"));
    image.process = ProcessId{~std::uint64_t{0}};
    image.identity = {4'000'000, ~std::uint64_t{0}};
    image.leaving = true;
    image.retry_at = Instant{77s};
    image.history = {{Instant{1s}, Instant{2s}}, Instant{3s}, 4s};
    return image;
}

InstanceImage image_of(const std::string& task, Ordinal ordinal, const TaskSpec& spec) {
    InstanceImage image;
    image.report.id = {task, ordinal};
    image.digest = digest_of(spec);
    return image;
}

JournalImage read_again(const std::string& path) {
    auto journal = JournalFile::open(path, this_boot);
    REQUIRE(journal);
    return journal->image();
}

}  // namespace

TEST_CASE("the next life reads every field that was written", "[journal_file]") {
    const TemporaryDirectory directory;
    const auto path = directory.below("journal");
    {
        auto journal = JournalFile::open(path, this_boot);
        REQUIRE(journal);
        CHECK(journal->image() == JournalImage{});
        CHECK_FALSE(journal->is_rebooted());
        REQUIRE(journal->write({{full_image()}, {}, {{"web", spec_of("a")}}}));
    }
    const JournalImage expected{{full_image()}, {{"web", spec_of("a")}}};
    CHECK(read_again(path) == expected);
}

// Goal: an agent that is updated adopts what its earlier version started. Method: take the columns
// of proofs out of a journal, as that version wrote it.
TEST_CASE("a journal of the first schema is read, without proofs", "[journal_file]") {
    const TemporaryDirectory directory;
    const auto path = directory.below("journal");
    REQUIRE(
        JournalFile::open(path, this_boot)->write({{full_image()}, {}, {{"web", spec_of("a")}}}));
    {
        const auto database = sqlite::Database::open(path, "journal");
        REQUIRE(database);
        REQUIRE(
            (*database)->execute("ALTER TABLE instances DROP COLUMN order_life;"
                                 "ALTER TABLE instances DROP COLUMN order_tag;"
                                 "PRAGMA user_version = 1"));
    }
    JournalImage expected{{full_image()}, {{"web", spec_of("a")}}};
    expected.instances.front().report.proof = {};
    CHECK(read_again(path) == expected);
    REQUIRE(JournalFile::open(path, this_boot)->write({{full_image()}, {}, {}}));
    CHECK(read_again(path).instances.front() == full_image());
    CHECK_FALSE(fs::exists(path + ".damaged"));
}

TEST_CASE("a gone instance is deleted, and so is a spec that nothing uses", "[journal_file]") {
    const TemporaryDirectory directory;
    const auto path = directory.below("journal");
    const TaskSpec one = spec_of("one");
    const TaskSpec two = spec_of("two");
    {
        auto journal = JournalFile::open(path, this_boot);
        REQUIRE(journal);
        REQUIRE(journal->write(
            {{image_of("web", 0, one), image_of("web", 1, one)}, {}, {{"web", one}}}));
        REQUIRE(journal->write({{image_of("web", 0, two)}, {}, {{"web", two}}}));
        CHECK(read_again(directory.below("none")).instances.empty());
        REQUIRE(journal->write({{}, {{"web", 1}}, {}}));
    }
    const JournalImage expected{{image_of("web", 0, two)}, {{"web", two}}};
    CHECK(read_again(path) == expected);
}

TEST_CASE("a journal detects a reboot of the host", "[journal_file]") {
    const TemporaryDirectory directory;
    const auto path = directory.below("journal");
    REQUIRE(JournalFile::open(path, this_boot)->write({{full_image()}, {}, {}}));
    CHECK_FALSE(JournalFile::open(path, this_boot)->is_rebooted());
    // It stays so until a write: a life that dies before that knows no more than its successor.
    CHECK(JournalFile::open(path, BootId{2, 2})->is_rebooted());
    CHECK(JournalFile::open(path, BootId{2, 2})->is_rebooted());
    REQUIRE(JournalFile::open(path, BootId{2, 2})->write({{full_image()}, {}, {}}));
    CHECK_FALSE(JournalFile::open(path, BootId{2, 2})->is_rebooted());
}

// Goal: no damage prevents an agent's start, and no other file is mistaken for a journal.
TEST_CASE("a damaged journal is moved aside and a new one begins", "[journal_file]") {
    const TemporaryDirectory directory;
    const auto path = directory.below("journal");
    REQUIRE(JournalFile::open(path, this_boot)->write({{full_image()}, {}, {}}));
    SECTION("it is another file") { std::ofstream{path} << "no database at all"; }
    SECTION("its pages are overwritten") {
        std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
        file.seekp(200);
        file << std::string(20'000, 'x');
    }
    CHECK(read_again(path).instances.empty());
    CHECK(fs::exists(path + ".damaged"));
    REQUIRE(JournalFile::open(path, this_boot)->write({{full_image()}, {}, {}}));
    CHECK(read_again(path).instances.size() == 1);
}

TEST_CASE("a journal that cannot be opened is an error that names it", "[journal_file]") {
    const TemporaryDirectory directory;
    fs::create_directory(directory.below("journal"));
    const auto journal = JournalFile::open(directory.below("journal"), this_boot);
    REQUIRE_FALSE(journal);
    CHECK_THAT(journal.error().detail,
               Catch::Contains("journal '" + directory.below("journal") + "'"));
}

// Goal: a full disk loses no confirmed write, and the journal continues when there is room.
TEST_CASE("a write to a full disk is refused, and earlier contents remain",
          "[journal_file][SC-21]") {
    const TemporaryDirectory directory;
    const SmallDisk disk{directory.below("small")};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto path = disk.path() + "/journal";
    auto journal = JournalFile::open(path, this_boot);
    REQUIRE(journal);
    REQUIRE(journal->write({{full_image()}, {}, {}}));
    const auto ballast = disk.path() + "/ballast";
    std::ofstream{ballast} << std::string(1'000'000, 'x');
    JournalWrite large;
    for (Ordinal i = 0; i < 2'000; ++i) {
        large.instances.push_back(image_of("web", i, spec_of("a")));
    }
    const auto refused = journal->write(large);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail == "journal '" + path + "' cannot be written: its disk is full");
    fs::remove(ballast);
    REQUIRE(journal->write({{image_of("web", 9, spec_of("a"))}, {}, {}}));
    journal = tl::unexpected{Error{}};
    CHECK(read_again(path).instances.size() == 2);
}

// Goal: each write is answered, in order, and the last is done before the end.
TEST_CASE("a disk answers each write in its order", "[journal_file]") {
    const TemporaryDirectory directory;
    auto state = StateDirectory::open(directory.below("n1"));
    REQUIRE(state);
    auto journal = JournalFile::open(directory.below("n1/journal"), this_boot);
    REQUIRE(journal);
    std::vector<AgentInput> answers;
    AgentMemory memory;
    memory.incarnation = Incarnation{5};
    {
        Disk disk{*state, *journal};
        disk.write(memory);
        disk.write(JournalWrite{{full_image()}, {}, {}});
        disk.write(memory);
        while (answers.size() < 3) {
            pollfd news{disk.fd(), POLLIN, 0};
            REQUIRE(::poll(&news, 1, 20'000) == 1);
            for (auto& answer : disk.collect()) {
                answers.push_back(std::move(answer));
            }
        }
        disk.write(JournalWrite{{}, {{"web", 3}}, {}});
    }
    CHECK(std::holds_alternative<Remembered>(answers[0]));
    CHECK(std::holds_alternative<Journaled>(answers[1]));
    CHECK(std::holds_alternative<Remembered>(answers[2]));
    CHECK(state->read_memory() == memory);
    journal = tl::unexpected{Error{}};  // It closes its file first, which it locks.
    CHECK(JournalFile::open(directory.below("n1/journal"), this_boot)->image() == JournalImage{});
}
