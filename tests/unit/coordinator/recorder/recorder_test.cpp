#include "coordinator/recorder/recorder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/read_file.hpp"
#include "coordinator/recorder/replay.hpp"
#include "tests/small_disk.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::coordinator {
namespace {

constexpr Instant origin{1h};

std::vector<std::string> files_in(const std::string& directory) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator{directory}) {
        files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    return files;
}

std::string content_of(const std::string& path) {
    const auto bytes = read_file(path, std::size_t{1} << 30U);
    REQUIRE(bytes);
    return *bytes;
}

/// A core and its recorder.
struct Recorded {
    explicit Recorded(const RecordOptions& options) : recorder{options} {}

    Output step(Instant at, const Input& input) {
        recorder.record_input(at, input, *core);
        Output output = core->step(at, input);
        recorder.record_output(output);
        return output;
    }
    /// Runs rounds with one operator's request in each.
    void live(std::uint32_t rounds) {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            now += 1s;
            step(now, Wake{});
            step(now, CivilTime{CivilMs{1'767'225'600'000 + to_ms(now - origin)}});
            step(now,
                 FromOperator{Ticket{++tickets}, CoreRequest{.id = {}, .body = StatusRequest{}}});
        }
    }

    Recorder recorder;
    std::unique_ptr<Coordinator> core =
        std::make_unique<Coordinator>(origin, CoordinatorOptions{}, StoreImage{});
    Instant now = origin;
    std::uint64_t tickets = 0;
};

/// The number of inputs in a whole file. Each must give its recorded output.
std::size_t replay_all(const std::string& path) {
    const std::string bytes = content_of(path);
    auto replay = Replay::open(bytes);
    REQUIRE(replay);
    std::size_t inputs = 0;
    for (;;) {
        const auto done = replay->step();
        REQUIRE(done);
        if (!*done) {
            return inputs;
        }
        REQUIRE_FALSE((*done)->output_differs);
        ++inputs;
    }
}

TEST_CASE("the inputs of a core give the same outputs again", "[recorder]") {
    const TemporaryDirectory directory;
    {
        Recorded recorded{{.directory = directory.below("record")}};
        recorded.live(20);
    }
    const auto files = files_in(directory.below("record"));
    REQUIRE(files.size() == 1);
    CHECK(files[0].ends_with("/0000000001.record"));
    CHECK(replay_all(files[0]) == 60);
}

/// One agent that answers polls with these instances, and a store that confirms at once.
void step_with_agent(Recorded& recorded, const Input& input,
                     const std::vector<InstanceReport>& instances, std::vector<Output>& outputs) {
    const Output output = recorded.step(recorded.now, input);
    outputs.push_back(output);
    for (const Persist& persist : output.persist) {
        step_with_agent(recorded, Persisted{persist.number}, instances, outputs);
    }
    for (const PollTo& to : output.polls) {
        Report report;
        report.kind = ReportKind::snapshot;
        report.epoch = to.poll.epoch;
        report.round = to.poll.round;
        report.incarnation = Incarnation{1};
        report.to = Revision{1 + instances.size()};
        report.instances = instances;
        step_with_agent(recorded, FromAgent{to.session, report}, instances, outputs);
    }
}

// Goal: a record has no key, and yet a replay decides as the coordinator did. Method: a core with a
// key orders a start, and gets a report with a forged proof; each input is recorded.
TEST_CASE("a record contains no key of orders, and can be replayed without it",
          "[recorder][proof]") {
    const TemporaryDirectory directory;
    const std::string secret = "ThirtyTwoSecretBytesOfOneCluster";
    std::array<std::uint8_t, SecretKey::size> bytes{};
    std::ranges::copy(secret, bytes.begin());
    CoordinatorOptions options;
    options.order_key = SecretKey{bytes};
    std::vector<Output> outputs;
    {
        Recorded recorded{{.directory = directory.below("record")}};
        StoreImage image;
        image.meta.epoch = Epoch{1};
        recorded.core = std::make_unique<Coordinator>(origin, options, image);
        Hello hello;
        hello.name = "n1";
        hello.life = LifeId{1, 1};
        hello.incarnation = Incarnation{1};
        hello.keeps_proofs = true;
        ApplyRequest apply;
        for (const std::string name : {"db", "web"}) {
            apply.tasks.push_back({.name = name, .spec = {}});
            apply.tasks.back().spec.argv = {"/bin/sleep"};
        }
        InstanceReport forged;
        forged.id = {"web", 0};
        forged.generation = Generation{1};
        forged.state = InstanceState::running;
        forged.proof = {Incarnation{1}, Digest{5, 5}};
        const auto live = [&](const Input& input, const std::vector<InstanceReport>& instances) {
            recorded.now += 1s;
            step_with_agent(recorded, Wake{}, instances, outputs);
            step_with_agent(recorded, input, instances, outputs);
        };
        live(CivilTime{CivilMs{1'767'225'600'000}}, {});
        live(FromOperator{Ticket{1}, CoreRequest{{}, apply}}, {});
        live(FromAgent{Session{1}, hello}, {forged});
        for (int round = 0; round < 5; ++round) {
            live(Wake{}, {forged});
        }
    }
    const auto has_checks = [](const Output& output) { return output.proof_checks == "-"; };
    CHECK(std::ranges::any_of(outputs, has_checks));
    std::size_t tags = 0;
    const auto files = files_in(directory.below("record"));
    REQUIRE(files.size() == 1);
    const std::string content = content_of(files.front());
    for (const Output& output : outputs) {
        for (const ToAgent& message : output.messages) {
            if (const auto* batch = std::get_if<Batch>(&message.message)) {
                tags += batch->starts.empty() || batch->starts.front().proof.is_none() ? 0U : 1U;
            }
        }
    }
    CHECK(tags > 0);
    CHECK(content.find(secret) == std::string::npos);
    CHECK(content.find(secret_text(options.order_key)) == std::string::npos);
    CHECK(replay_all(files.front()) == outputs.size());
}

// Goal: no file begins in the middle of a change in several steps, which the state does not
// contain. Method: each file is full at once, and a change takes some steps.
TEST_CASE("no file begins in the middle of a large change", "[recorder]") {
    const TemporaryDirectory directory;
    CoordinatorOptions options;
    options.rows_of_step = 1;
    std::size_t steps = 0;
    {
        Recorded recorded{{.directory = directory.below("record"), .most_bytes = 1}};
        recorded.core = std::make_unique<Coordinator>(origin, options, StoreImage{});
        recorded.live(100);
        ApplyRequest apply;
        for (int number = 0; number < 200; ++number) {
            WantedTask& task = apply.tasks.emplace_back();
            task.name = "t" + std::to_string(number);
            task.spec.argv = {"/bin/sleep"};
        }
        recorded.step(recorded.now, FromOperator{Ticket{900}, CoreRequest{{}, apply}});
        const auto before = files_in(directory.below("record"));
        for (; recorded.core->has_incomplete_change(); ++steps) {
            const Output output = recorded.step(recorded.now, Wake{});
            if (!output.persist.empty() && !continues(output.persist.back())) {
                recorded.step(recorded.now, Persisted{output.persist.back().number});
            }
            CHECK(files_in(directory.below("record")) == before);
        }
        recorded.live(100);
        CHECK(files_in(directory.below("record")).back() > before.back());
    }
    CHECK(steps > 400);
    std::size_t inputs = 0;
    for (const std::string& file : files_in(directory.below("record"))) {
        inputs += replay_all(file);
    }
    CHECK(inputs > steps);
}

TEST_CASE("records are bounded, and each file is usable alone", "[recorder]") {
    const TemporaryDirectory directory;
    constexpr std::uint64_t most = 200'000;
    std::size_t inputs = 0;
    {
        Recorded recorded{{.directory = directory.below("record"), .most_bytes = most}};
        recorded.live(2'000);
    }
    const auto files = files_in(directory.below("record"));
    REQUIRE(files.size() >= 4);
    CHECK_FALSE(files[0].ends_with("/0000000001.record"));
    std::uintmax_t bytes = 0;
    for (const std::string& file : files) {
        bytes += std::filesystem::file_size(file);
        inputs += replay_all(file);
    }
    CHECK(bytes <= most);
    CHECK(inputs > 1'000);
}

TEST_CASE("a new life of a coordinator keeps the records of earlier lives", "[recorder]") {
    const TemporaryDirectory directory;
    const RecordOptions options{.directory = directory.below("record")};
    for (int life = 0; life < 3; ++life) {
        Recorded{options}.live(2);
    }
    CHECK(files_in(options.directory).size() == 3);
    for (const std::string& file : files_in(options.directory)) {
        CHECK(replay_all(file) == 6);
    }
}

// Goal: files of other programs in the directory are not touched.
TEST_CASE("only files with a recorder's name are counted, and removed", "[recorder]") {
    const TemporaryDirectory directory;
    namespace fs = std::filesystem;
    fs::permissions(directory.path(), fs::perms::others_read, fs::perm_options::add);
    const auto before = fs::status(directory.path()).permissions();
    const std::string foreign = directory.path() + "/999999999999999999.record";
    const std::string last = directory.path() + "/9999999999.record";
    std::ofstream{last} << "no record";
    const std::string link = directory.path() + "/0000000007.record";
    std::ofstream{foreign} << "no record";
    fs::create_symlink("nowhere", link);
    Recorded life{{.directory = directory.path(), .most_bytes = 1, .version = "1"}};
    life.live(200);
    CHECK(fs::exists(foreign));
    CHECK(fs::exists(last));
    CHECK(fs::is_symlink(link));
    CHECK_FALSE(fs::exists(directory.path() + "/10000000000.record"));
    CHECK_FALSE(fs::exists(directory.path() + "/0000000001.record"));  // Its own file.
    CHECK(fs::status(directory.path()).permissions() == before);
}

TEST_CASE("a full disk stops the recorder for a while, not its coordinator", "[recorder]") {
    const TemporaryDirectory directory;
    const SmallDisk disk{directory.below("disk")};
    if (!disk.mounted()) {
        WARN(SmallDisk::skipped);
        return;
    }
    Recorded recorded{{.directory = disk.path() + "/record"}};
    recorded.live(2);
    REQUIRE(recorded.recorder.trouble());
    CHECK_THAT(*recorded.recorder.trouble(), Catch::EndsWith("No space left on device"));
    REQUIRE(disk.grow());
    recorded.live(1);
    CHECK(recorded.recorder.trouble());  // Not tried yet.
    recorded.live(12);
    CHECK_FALSE(recorded.recorder.trouble());
    const auto files = files_in(disk.path() + "/record");
    REQUIRE(files.size() == 1);
    CHECK(replay_all(files[0]) > 0);
}

TEST_CASE("a record that is truncated, or removed with its directory, is followed by a new one",
          "[recorder]") {
    const TemporaryDirectory directory;
    Recorded recorded{{.directory = directory.below("record")}};
    recorded.live(2);
    const bool is_removed = GENERATE(false, true);
    if (is_removed) {
        std::filesystem::remove_all(directory.below("record"));
    } else {
        std::filesystem::resize_file(files_in(directory.below("record"))[0], 0);
    }
    bool was_reported = false;
    for (int second = 0; second < 20; ++second) {
        recorded.live(1);
        was_reported = was_reported || recorded.recorder.trouble();
    }
    CHECK(was_reported);
    CHECK_FALSE(recorded.recorder.trouble());
    const auto files = files_in(directory.below("record"));
    REQUIRE_FALSE(files.empty());
    CHECK(files.back().ends_with("/0000000002.record"));
    CHECK(replay_all(files.back()) > 0);
}

// Method: a core with another round length made the records; they are appended to this core's
// state.
TEST_CASE("a different decision of a core is found", "[recorder]") {
    const TemporaryDirectory directory;
    Recorded recorded{{.directory = directory.below("record")}};
    recorded.live(3);
    const std::string bytes = content_of(files_in(directory.below("record"))[0]);
    auto reader = RecordReader::open(bytes);
    REQUIRE(reader);
    auto forged = RecordFile::create(directory.below("forged"));
    REQUIRE(forged);
    for (std::size_t number = 0;; ++number) {
        const auto record = reader->next();
        REQUIRE(record);
        if (!*record) {
            break;
        }
        auto step = number < 2 ? Result<Step>{} : decode_step(**record);
        auto* const outcome = number < 2 || !step ? nullptr : std::get_if<Outcome>(&*step);
        std::string copy{**record};
        if (outcome != nullptr && !outcome->events.empty() && number > 8) {
            Output other;
            other.events = outcome->events;
            other.events[0].detail = "otherwise";
            copy = StepEncoder{}.outcome(other);
        }
        REQUIRE(forged->add(copy));
    }
    const std::string with_another = content_of(directory.below("forged"));
    auto replay = Replay::open(with_another);
    REQUIRE(replay);
    for (std::size_t inputs = 0;; ++inputs) {
        const auto done = replay->step();
        REQUIRE(done);
        REQUIRE(*done);
        if ((*done)->output_differs) {
            CHECK(inputs > 2);
            CHECK((*done)->decision_differs);
            REQUIRE((*done)->was);
            REQUIRE((*done)->is);
            CHECK((*done)->was->events[0].detail == "otherwise");
            CHECK((*done)->is->events[0].detail != "otherwise");
            break;
        }
    }
}

// Goal: a core is restored whole or not at all. Method: a valid record with another version in its
// first line; the rest is readable.
TEST_CASE("a record of an older or a newer version is refused with one sentence", "[recorder]") {
    const TemporaryDirectory directory;
    Recorded{{.directory = directory.below("record")}}.live(3);
    const std::string bytes = content_of(files_in(directory.below("record"))[0]);
    REQUIRE(Replay::open(bytes));
    const std::uint32_t present = version_of_record(bytes).value();
    for (const std::uint32_t version : {present - 1, present + 1, present + 10}) {
        const std::string other =
            "MUSTER RECORD " + std::to_string(version) + "\n" + bytes.substr(record_magic.size());
        const auto refused = Replay::open(other);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::unsupported_version);
        CHECK(refused.error().detail ==
              "it is a record of version " + std::to_string(version) +
                  ", and this program replays version " + std::to_string(present) +
                  " only; replay it with the version of muster that recorded it");
    }
}

TEST_CASE("a replay stops at the requested moment, and knows its time", "[recorder]") {
    const TemporaryDirectory directory;
    Recorded recorded{{.directory = directory.below("record")}};
    recorded.live(10);
    const std::string bytes = content_of(files_in(directory.below("record"))[0]);
    auto replay = Replay::open(bytes);
    REQUIRE(replay);
    CHECK(replay->head().began == origin + 1s);
    while (*replay->step(origin + 4s)) {
    }
    CHECK(replay->now() == origin + 4s);
    CHECK(replay->civil(replay->now()) == CivilMs{1'767'225'604'000});
    CHECK(*replay->step());
}

}  // namespace
}  // namespace muster::coordinator
