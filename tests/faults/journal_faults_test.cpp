#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "agent/storage/journal_file.hpp"
#include "tests/faults/written_file.hpp"

namespace muster::faults {
namespace {

constexpr BootId boot{5, 6};

agent::JournalWrite journal_change(std::uint64_t number) {
    agent::InstanceImage image;
    image.report.id = {"x" + std::to_string(number % 4), 0};
    image.report.generation = Generation{number};
    image.digest = {number, number};
    image.process = agent::ProcessId{number};
    agent::SpecImage spec{.task = image.report.id.task, .spec = {}};
    spec.spec.argv = {std::string(900, 'a'), std::to_string(number)};
    image.digest = digest_of(spec.spec);
    agent::JournalWrite write{.instances = {image}, .gone = {}, .specs = {spec}};
    if (number % 5 == 4) {
        write.gone = {{"x" + std::to_string((number + 1) % 4), 0}};
    }
    return write;
}

Lived live_by_journal(const std::string& directory) {
    Lived lived;
    auto journal = agent::JournalFile::open(directory + "/journal", boot);
    if (!journal) {
        lived.failure = journal.error().detail;
        return lived;
    }
    for (std::uint64_t number = 1; number <= persists; ++number) {
        ++lived.submitted;
        if (const auto written = journal->write(journal_change(number)); !written) {
            lived.failure = written.error().detail;
            return lived;
        }
        lived.acknowledged = number;
    }
    return lived;
}

/// The instances by id, after each number of changes.
std::vector<agent::InstanceImage> instances_after(std::uint64_t changes) {
    std::map<InstanceId, agent::InstanceImage> all;
    for (std::uint64_t number = 1; number <= changes; ++number) {
        const agent::JournalWrite write = journal_change(number);
        for (const agent::InstanceImage& image : write.instances) {
            all[image.report.id] = image;
        }
        for (const InstanceId& id : write.gone) {
            all.erase(id);
        }
    }
    std::vector<agent::InstanceImage> images;
    images.reserve(all.size());
    for (auto& [id, image] : all) {
        images.push_back(std::move(image));
    }
    return images;
}

void check_journal(const std::string& directory, const Lived& lived) {
    CAPTURE(lived.acknowledged, lived.submitted, lived.failure);
    const auto journal = agent::JournalFile::open(directory + "/journal", boot);
    INFO((journal ? "" : journal.error().detail));
    REQUIRE(journal);
    auto kept = journal->image().instances;
    std::ranges::sort(kept, {}, [](const agent::InstanceImage& image) { return image.report.id; });
    const bool is_kept = kept == instances_after(lived.acknowledged);
    const bool is_ahead = kept == instances_after(lived.submitted);
    CHECK((is_kept || is_ahead));
    CHECK_FALSE(std::filesystem::exists(directory + "/journal.damaged"));
}

const WrittenFile journal{.live = live_by_journal, .check = check_journal};

}  // namespace

TEST_CASE("no failed file operation loses an acknowledged change of the journal", "[faults][S15]") {
    CHECK(fail_each_operation(journal) > 200);
}

TEST_CASE("a loss of power loses no acknowledged change of the journal", "[faults][S15]") {
    CHECK(lose_power_at_each_operation(journal, Random{13}) > 400);
}

}  // namespace muster::faults
