#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/read_file.hpp"
#include "coordinator/recorder/record_file.hpp"
#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// The record of one coordinator life: the first minute of 2026.
class RecordedMinute {
public:
    explicit RecordedMinute(const std::string& faults = "none", char life = '1') {
        const std::string record = directory_.path() + "/record";
        const Finished recorded = run(directory_.path(), {program("muster-sim"), "replay", "17",
                                                          "--faults", faults, "--record", record});
        REQUIRE(recorded.exit == Exit{.code = 0});
        file_ = record + "/000000000" + life + ".record";
    }
    [[nodiscard]] const std::string& file() const { return file_; }

    [[nodiscard]] std::string another(const std::string& name) const {
        return directory_.path() + "/" + name;
    }
    [[nodiscard]] Finished replay(const std::vector<std::string>& options = {}) const {
        return replay(file_, options);
    }
    [[nodiscard]] Finished replay(const std::string& file,
                                  const std::vector<std::string>& options = {}) const {
        std::vector<std::string> words{program("muster-sim"), "replay", file};
        words.insert(words.end(), options.begin(), options.end());
        return run(directory_.path(), words);
    }

private:
    Directory directory_;
    std::string file_;
};

}  // namespace

// Goal: a moment that is in another file of the record is not answered from this file.
TEST_CASE("a record is replayed up to a moment that it contains", "[integration][sim][recorder]") {
    const RecordedMinute minute;
    for (const std::string until : {"0ms", "5s", "2026-01-01 00:00:00", "2026-01-01 00:00:09Z",
                                    "2026-01-01 00:00:09.500Z", "2026-01-01 00:00:09.500"}) {
        const Finished done = minute.replay({"--until", until});
        INFO(until << done.output << done.errors);
        CHECK(done.exit == Exit{.code = 0});
        CHECK(contains(done.output, "every output the same, byte for byte"));
    }
    for (const std::string until :
         {"2026-02-31 00:00:00", "2026-01-01 00:00:09.5", "2026-01-01 00:00:09.500ZZ", "later"}) {
        const Finished done = minute.replay({"--until", until});
        INFO(until << done.output << done.errors);
        CHECK(done.exit == Exit{.code = 2});
        CHECK(contains(done.errors, "'" + until + "' is neither a duration from the beginning"));
    }
    for (const std::string until :
         {"1h", "2025-12-31 23:59:59", "2026-01-01 02:00:00", "9999-01-01 00:00:00"}) {
        const Finished done = minute.replay({"--until", until});
        INFO(until << done.output << done.errors);
        CHECK(done.exit == Exit{.code = 2});
        CHECK(done.output.empty());
        CHECK(contains(done.errors, "'" + until + "' is not in this file: it holds "));
        CHECK(contains(done.errors, " s, 2026-01-01 00:00:00.000Z to 2026-01-01 00:0"));
        CHECK(contains(done.errors, "Z (UTC)"));
    }
}

// Goal: the input of a replay need not be a regular file.
TEST_CASE("a record is replayed from a pipe", "[integration][sim][recorder]") {
    const RecordedMinute minute;
    for (const std::string from : {"-", "/dev/stdin"}) {
        const Finished done =
            run(minute.another(""),
                {"/bin/sh", "-c",
                 "cat '" + minute.file() + "' | '" + program("muster-sim") + "' replay " + from});
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 0});
        CHECK(contains(done.output, "every output the same, byte for byte"));
    }
}

TEST_CASE("a record of another version is refused with one sentence",
          "[integration][sim][recorder]") {
    const RecordedMinute minute;
    {
        std::fstream bytes{minute.file(), std::ios::in | std::ios::out | std::ios::binary};
        bytes << "MUSTER RECORD 1\n";
    }
    const std::vector<std::string> options{"--trace"};
    const Finished done = minute.replay(options);
    INFO(done.output << done.errors);
    CHECK(done.exit == Exit{.code = 2});
    CHECK(done.output.empty());
    CHECK(
        contains(done.errors, ": it is a record of version 1, and this program replays version "));
    CHECK(std::ranges::count(done.errors, '\n') == 1);
}

// Goal: the intact part of a damaged record is usable.
TEST_CASE("a damaged record is replayed and explained up to the damage",
          "[integration][sim][recorder]") {
    const RecordedMinute minute;
    {
        std::fstream bytes{minute.file(), std::ios::in | std::ios::out | std::ios::binary};
        bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(minute.file())) - 20);
        bytes << "damage";
    }
    for (const std::string name : {"n0", "nothing"}) {
        const Finished done = minute.replay({"--explain", name});
        INFO(done.output << done.errors);
        CHECK(done.exit == Exit{.code = 2});
        CHECK(contains(done.errors, "; what is before it is sound"));
        CHECK(contains(done.output, " s 2026-01-01 00:0"));
        CHECK(contains(done.output, "Z: every output the same, byte for byte"));
        CHECK_FALSE(contains(done.errors, "see 'muster"));  // There is no cluster to ask.
        CHECK(contains(name == "n0" ? done.output : done.errors, name));
    }
}

// Goal: a record can be intact in each byte and still contradict itself. Method: change one of the
// planner's loads and correct the checksum.
TEST_CASE("a record that contradicts itself is reported", "[integration][sim][recorder]") {
    const RecordedMinute minute{"all", '5'};
    const auto bytes = read_file(minute.file(), std::size_t{1} << 30U);
    REQUIRE(bytes);
    auto reader = coordinator::RecordReader::open(*bytes);
    REQUIRE(reader);
    const std::string forged = minute.another("forged");
    {
        auto file = coordinator::RecordFile::create(forged);
        REQUIRE(file);
        const std::string before = "levels serving least most sum falls";
        for (int number = 0;; ++number) {
            const auto record = reader->next();
            REQUIRE(record);
            if (!*record) {
                break;
            }
            std::string copy{**record};
            if (number == 1) {
                const std::size_t at = copy.find(before);
                REQUIRE(at != std::string::npos);
                copy[at + before.size() + std::string_view{"8000"}.size()] = 5;
            }
            REQUIRE(file->add(copy));
        }
    }
    const Finished done = minute.replay(forged);
    INFO(done.output << done.errors);
    CHECK(done.exit == Exit{.code = 1});
    CHECK(contains(done.errors, ": the core does not survive what comes after "));
    CHECK(contains(done.errors, "or the record contradicts itself"));
}

}  // namespace muster::integration
