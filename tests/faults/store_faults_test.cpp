#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "agent/journal_file.hpp"
#include "sim/store_model.hpp"
#include "tests/faults/fault_vfs.hpp"
#include "tests/unit/store_fixture.hpp"

namespace muster::faults {
namespace {

// Thousands of stores are made. Power and its loss are the layer's; what is below it may be memory.
const bool is_in_memory = access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", 1) == 0;

constexpr std::uint64_t persists = 12;
constexpr BootId boot{5, 6};

// ---- the coordinator's store ----

/// A change with rows of all kinds, some of which replace or erase earlier ones.
Persist change(const Meta& leadership, std::uint64_t number) {
    const std::string name = "x" + std::to_string(number % 4);
    Meta meta = leadership;
    meta.counter = Generation{number};
    Persist persist{number, {meta}};
    StoredTask task{.wanted = {}, .generation = Generation{number}, .created = Generation{1}};
    task.wanted.name = name;
    task.wanted.instances = static_cast<std::uint32_t>(number);
    task.wanted.spec.argv = {std::string(900, 'a'), std::to_string(number)};
    persist.writes.emplace_back(Shared<StoredTask>{task});
    persist.writes.emplace_back(StoredNode{.name = name, .incarnation = Incarnation{number}});
    persist.writes.emplace_back(
        Shared<StoredIntent>{StoredIntent{.name = name, .since = CivilMs{17}}});
    persist.writes.emplace_back(StoredSetting{name, std::to_string(number)});
    const RequestId id{number << 16U, number};
    persist.writes.emplace_back(StoredRequest{
        .id = id, .reply = Reply{id, ReplyBody{TermReply{}}}, .asked = {number, number}});
    if (number % 5 == 4) {
        persist.writes.emplace_back(EraseTask{name});
        persist.writes.emplace_back(EraseNode{name});
        persist.writes.emplace_back(EraseIntent{name});
        persist.writes.emplace_back(EraseOldRequests{CivilMs{3}});
    }
    return persist;
}

bool holds(const StoreImage& is, const StoreImage& should_be) {
    const auto same_request = [](const StoredRequest& a, const StoredRequest& b) {
        return a.id == b.id && a.asked == b.asked && *a.reply == *b.reply;
    };
    return is.meta.counter == should_be.meta.counter && is.tasks == should_be.tasks &&
           is.nodes == should_be.nodes && is.intents == should_be.intents &&
           is.settings == should_be.settings &&
           std::ranges::equal(is.requests, should_be.requests, same_request);
}

/// What a store holds after each of the changes.
std::vector<StoreImage> images() {
    std::vector<StoreImage> all(1);
    for (std::uint64_t number = 1; number <= persists; ++number) {
        StoreImage next = all.back();
        for (const Write& write : change({}, number).writes) {
            sim::apply(next, write);
        }
        all.push_back(next);
    }
    return all;
}

struct Lived {
    std::uint64_t acknowledged = 0;
    std::uint64_t submitted = 0;
    std::string failure;
};

/// Makes one change after the other durable, until one cannot be.
Lived live(const std::string& file) {
    Lived lived;
    const auto open = open_store(file);
    if (!open) {
        lived.failure = open.error().detail;
        return lived;
    }
    for (std::uint64_t number = 1; number <= persists; ++number) {
        open->store->submit(change(open->image.meta, number));
        ++lived.submitted;
        if (!wait_durable(*open->store, number)) {
            // Nothing is acknowledged any more, whatever the disk does now.
            open->store->submit(change(open->image.meta, number + 1));
            CHECK_FALSE(open->store->take_durable());
            lived.failure = "a write";
            return lived;
        }
        lived.acknowledged = number;
    }
    return lived;
}

/// What was acknowledged is there, and no half of a change.
void check_kept(const std::string& file, const Lived& lived) {
    static const std::vector<StoreImage> after = images();
    CAPTURE(lived.acknowledged, lived.submitted, lived.failure);
    const auto open = open_store(file);
    INFO((open ? "" : open.error().detail));
    REQUIRE(open);
    const std::uint64_t kept = raw(open->image.meta.counter);
    CHECK(kept >= lived.acknowledged);
    CHECK(kept <= lived.submitted);
    CHECK(holds(open->image, after.at(kept)));
}

const std::vector<FileFault::Kind> kinds{FileFault::Kind::io_error, FileFault::Kind::full,
                                         FileFault::Kind::short_write};

}  // namespace

// Goal: S1, S23: whatever fails, what was acknowledged is kept, and nothing is acknowledged after.
// Method: the same changes, with each operation on the files failing in each way, once or for good.
TEST_CASE("no failing operation on its files costs the store what it acknowledged",
          "[faults][S1][S23]") {
    FaultVfs& vfs = FaultVfs::install();
    std::size_t cases = 0;
    for (const auto kind : kinds) {
        for (const bool lasts : {false, true}) {
            for (std::uint64_t at = 1;; ++at) {
                CAPTURE(static_cast<int>(kind), lasts, at);
                const TemporaryDirectory directory;
                vfs.model_power();
                vfs.arm(FileFault{.kind = kind, .at = at, .lasts = lasts});
                const Lived lived = live(store_file(directory));
                const bool fired = vfs.has_fired();
                vfs.arm({});
                check_kept(store_file(directory), lived);
                if (!fired) {
                    CHECK(lived.acknowledged == persists);
                    break;
                }
                ++cases;
            }
        }
    }
    CHECK(cases > 200);
}

// Method: the power goes at each operation, several times; what was not synced is there or is not.
TEST_CASE("a loss of power costs the store nothing that it acknowledged", "[faults][S1]") {
    FaultVfs& vfs = FaultVfs::install();
    Random random{12};
    constexpr int times = 12;
    std::size_t cases = 0;
    bool fired = true;
    for (std::uint64_t at = 1; fired; ++at) {
        const TemporaryDirectory directory;
        vfs.model_power();
        vfs.arm(FileFault{.kind = FileFault::Kind::io_error, .at = at, .lasts = true});
        const Lived lived = live(store_file(directory));
        fired = vfs.has_fired();
        vfs.arm({});
        for (int time = 0; time < times; ++time) {
            CAPTURE(at, time);
            const TemporaryDirectory after;
            std::filesystem::create_directory(after.path() + "/state");
            vfs.lose_power(random, directory.path() + "/state", after.path() + "/state");
            check_kept(store_file(after), lived);
            ++cases;
        }
    }
    CHECK(cases > 400);
}

namespace {

// ---- the agent's journal ----

JournalWrite journal_change(std::uint64_t number) {
    InstanceImage image;
    image.report.id = {"x" + std::to_string(number % 4), 0};
    image.report.generation = Generation{number};
    image.digest = {number, number};
    image.process = ProcessId{number};
    SpecImage spec{.task = image.report.id.task, .spec = {}};
    spec.spec.argv = {std::string(900, 'a'), std::to_string(number)};
    image.digest = digest_of(spec.spec);
    JournalWrite write{.instances = {image}, .gone = {}, .specs = {spec}};
    if (number % 5 == 4) {
        write.gone = {{"x" + std::to_string((number + 1) % 4), 0}};
    }
    return write;
}

Lived live_by_journal(const std::string& file) {
    Lived lived;
    auto journal = JournalFile::open(file, boot);
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

/// The instances after so many changes, by id.
std::vector<InstanceImage> instances_after(std::uint64_t changes) {
    std::map<InstanceId, InstanceImage> all;
    for (std::uint64_t number = 1; number <= changes; ++number) {
        const JournalWrite write = journal_change(number);
        for (const InstanceImage& image : write.instances) {
            all[image.report.id] = image;
        }
        for (const InstanceId& id : write.gone) {
            all.erase(id);
        }
    }
    std::vector<InstanceImage> images;
    for (auto& [id, image] : all) {
        images.push_back(std::move(image));
    }
    return images;
}

void check_journal_kept(const std::string& file, const Lived& lived) {
    CAPTURE(lived.acknowledged, lived.submitted, lived.failure);
    const auto journal = JournalFile::open(file, boot);
    INFO((journal ? "" : journal.error().detail));
    REQUIRE(journal);
    auto kept = journal->image().instances;
    std::ranges::sort(kept, {}, [](const InstanceImage& image) { return image.report.id; });
    const bool is_kept = kept == instances_after(lived.acknowledged);
    const bool is_ahead = kept == instances_after(lived.submitted);
    CHECK((is_kept || is_ahead));
    CHECK_FALSE(std::filesystem::exists(file + ".damaged"));
}

}  // namespace

TEST_CASE("no failing operation on its files costs the journal what it acknowledged",
          "[faults][S15]") {
    FaultVfs& vfs = FaultVfs::install();
    std::size_t cases = 0;
    for (const auto kind : kinds) {
        for (const bool lasts : {false, true}) {
            for (std::uint64_t at = 1;; ++at) {
                CAPTURE(static_cast<int>(kind), lasts, at);
                const TemporaryDirectory directory;
                vfs.model_power();
                vfs.arm(FileFault{.kind = kind, .at = at, .lasts = lasts});
                const Lived lived = live_by_journal(directory.below("journal"));
                const bool fired = vfs.has_fired();
                vfs.arm({});
                check_journal_kept(directory.below("journal"), lived);
                if (!fired) {
                    CHECK(lived.acknowledged == persists);
                    break;
                }
                ++cases;
            }
        }
    }
    CHECK(cases > 200);
}

TEST_CASE("a loss of power costs the journal nothing that it acknowledged", "[faults][S15]") {
    FaultVfs& vfs = FaultVfs::install();
    Random random{13};
    constexpr int times = 12;
    bool fired = true;
    for (std::uint64_t at = 1; fired; ++at) {
        const TemporaryDirectory directory;
        vfs.model_power();
        vfs.arm(FileFault{.kind = FileFault::Kind::io_error, .at = at, .lasts = true});
        const Lived lived = live_by_journal(directory.below("journal"));
        fired = vfs.has_fired();
        vfs.arm({});
        for (int time = 0; time < times; ++time) {
            CAPTURE(at, time);
            const TemporaryDirectory after;
            vfs.lose_power(random, directory.path(), after.path());
            check_journal_kept(after.below("journal"), lived);
        }
    }
}

}  // namespace muster::faults
