#include "coordinator/recorder/record_file.hpp"

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/read_file.hpp"
#include "coordinator/recorder/bus_guard.hpp"
#include "tests/small_disk.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::coordinator {
namespace {

std::string bytes_of(const std::string& path) {
    const auto bytes = read_file(path, std::size_t{1} << 30U);
    REQUIRE(bytes);
    return *bytes;
}

struct Read {
    std::vector<std::string> records;
    std::string fault;
};

Read read_all(std::string_view bytes) {
    Read read;
    auto reader = RecordReader::open(bytes);
    REQUIRE(reader);
    for (;;) {
        const auto next = reader->next();
        if (!next) {
            read.fault = next.error().detail;
            return read;
        }
        if (!*next) {
            return read;
        }
        read.records.emplace_back(**next);
    }
}

/// A closed file of these records.
std::string file_of(const std::string& path, const std::vector<std::string>& records) {
    auto file = RecordFile::create(path);
    REQUIRE(file);
    for (const std::string& record : records) {
        REQUIRE(file->add(record));
    }
    return path;
}

const std::vector<std::string> some{"a", std::string(300, 'b'), std::string(7, '\0'), "end"};

TEST_CASE("records read back as they were written, and no space is left over", "[recorder]") {
    const TemporaryDirectory directory;
    const std::string path = file_of(directory.below("r"), some);
    CHECK(read_all(bytes_of(path)).records == some);
    CHECK(std::filesystem::file_size(path) == record_magic.size() + 4 * 8 + 1 + 300 + 7 + 3);
}

TEST_CASE("a record can be larger than the step by which its file grows", "[recorder]") {
    const TemporaryDirectory directory;
    const std::vector<std::string> records{"a", std::string(std::size_t{11} << 20U, 'x'), "c"};
    CHECK(read_all(bytes_of(file_of(directory.below("r"), records))).records == records);
}

// Method: each prefix of a file, as after the death of a process or a host.
TEST_CASE("the complete records of a truncated file are read", "[recorder]") {
    const TemporaryDirectory directory;
    const std::string whole = bytes_of(file_of(directory.below("r"), some));
    std::size_t whole_records = 0;
    for (std::size_t size = record_magic.size(); size <= whole.size(); ++size) {
        const Read read = read_all(std::string_view{whole}.substr(0, size));
        REQUIRE(read.records.size() >= whole_records);
        whole_records = read.records.size();
        REQUIRE(std::equal(read.records.begin(), read.records.end(), some.begin()));
    }
    CHECK(whole_records == some.size());
    CHECK_FALSE(RecordReader::open(std::string_view{whole}.substr(0, 15)));
}

// Method: each bit of a file except those of its first line.
TEST_CASE("a record with a flipped bit is never accepted", "[recorder]") {
    const TemporaryDirectory directory;
    std::string bytes = bytes_of(file_of(directory.below("r"), some));
    for (std::size_t bit = record_magic.size() * 8; bit < bytes.size() * 8; ++bit) {
        const auto flip = static_cast<char>(1U << (bit % 8));
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
        const Read read = read_all(bytes);
        CAPTURE(bit, read.fault);
        REQUIRE(read.records.size() < some.size());
        REQUIRE(std::equal(read.records.begin(), read.records.end(), some.begin()));
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
    }
}

// Method: a process writes until it is killed, and reports its progress through a pipe.
TEST_CASE("recorded data survives the kill of its process", "[recorder]") {
    const TemporaryDirectory directory;
    const std::string path = directory.below("r");
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        auto file = RecordFile::create(path);
        for (std::uint32_t number = 0; file; ++number) {
            if (!file->add(std::to_string(number)) ||
                write(ends[1], &number, sizeof number) != sizeof number) {
                break;
            }
        }
        _exit(1);
    }
    std::uint32_t last = 0;
    while (last < 20'000) {
        REQUIRE(read(ends[0], &last, sizeof last) == sizeof last);
    }
    REQUIRE(kill(child, SIGKILL) == 0);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    close(ends[0]);
    close(ends[1]);
    const Read read = read_all(bytes_of(path));
    CHECK(read.fault.empty());
    REQUIRE(read.records.size() > last);
    for (std::size_t number = 0; number < read.records.size(); ++number) {
        REQUIRE(read.records[number] == std::to_string(number));
    }
}

TEST_CASE("a record that the disk has no room for is refused, and nothing is left", "[recorder]") {
    const TemporaryDirectory directory;
    const SmallDisk disk{directory.below("disk")};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    const auto refused = RecordFile::create(disk.path() + "/r");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::EndsWith("/r': No space left on device"));
    CHECK(std::filesystem::is_empty(disk.path()));

    REQUIRE(disk.grow());
    auto file = RecordFile::create(disk.path() + "/r");
    REQUIRE(file);
    REQUIRE(file->add("first"));
    CHECK_FALSE(file->add(std::string(std::size_t{20} << 20U, 'x')));
    REQUIRE(file->add("second"));
    CHECK(read_all(bytes_of(disk.path() + "/r")).records ==
          std::vector<std::string>{"first", "second"});
}

// Method: the earlier records are in pages that the file no longer has.
TEST_CASE("a file that is truncated under its writer refuses records without ending the process",
          "[recorder]") {
    const TemporaryDirectory directory;
    const std::string path = directory.below("r");
    auto file = RecordFile::create(path);
    REQUIRE(file);
    REQUIRE(file->add(std::string(10'000, 'x')));
    REQUIRE(file->check_in_place());
    std::filesystem::resize_file(path, 0);
    const auto refused = file->add("second");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::EndsWith("/r' was made shorter, or its disk failed"));
    CHECK_THAT(file->check_in_place().error().detail, Catch::EndsWith("/r' was made shorter"));
    std::filesystem::resize_file(path, std::size_t{4} << 20U);
    CHECK_THAT(file->check_in_place().error().detail, Catch::EndsWith("/r' was made shorter"));
    std::filesystem::remove(path);
    CHECK_THAT(file->check_in_place().error().detail,
               Catch::EndsWith("/r' was removed or replaced"));
}

// Goal: only the writer of a record is protected; SIGBUS elsewhere still ends the process.
TEST_CASE("a SIGBUS elsewhere ends the process as usual", "[recorder]") {
    const TemporaryDirectory directory;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        static_cast<void>(survives_bus_error([] {}));
        raise(SIGBUS);
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status != 0);  // A sanitizer ends it in its own way.
}

TEST_CASE("a file that is not a record says so", "[recorder]") {
    const auto opened = RecordReader::open("SQLite format 3");
    REQUIRE_FALSE(opened);
    CHECK_THAT(opened.error().detail, Catch::StartsWith("it is not a record of a coordinator"));
}

}  // namespace
}  // namespace muster::coordinator
