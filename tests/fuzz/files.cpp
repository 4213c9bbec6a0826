#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "agent/core/agent.hpp"
#include "agent/storage/journal_file.hpp"
#include "common/base/ensure.hpp"
#include "common/log/log.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/recorder/core_state.hpp"
#include "coordinator/recorder/record_file.hpp"
#include "coordinator/recorder/replay.hpp"
#include "coordinator/recorder/step_record.hpp"
#include "coordinator/store/sqlite_store.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/temporary_directory.hpp"

// Files that muster's programs wrote, after damage by a disk.
namespace muster::fuzz {
namespace {

constexpr Instant opened{1'000s};

/// A file of these bytes, without SQLite's auxiliary files.
std::string file_of(std::string_view bytes) {
    static const TemporaryDirectory directory;
    log::set_level(log::Level::error);
    std::string path = directory.below("file");
    for (const char* suffix : {"-wal", "-shm", "-journal", ".damaged"}) {
        std::remove((path + suffix).c_str());
    }
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

// Some of the steps that follow without an input.
template <class Core, class Wake>
void let_pass(Core& core, const Wake& wake) {
    for (int time = 0; time < 8; ++time) {
        const Instant due = core.next_deadline();
        if (due == Instant::max()) {
            return;
        }
        static_cast<void>(core.step(std::max(due, opened), wake));
    }
}

}  // namespace

// An agent starts from the journal.
void fuzz_journal(std::string_view input) {
    constexpr BootId boot{1, 1};
    auto journal = agent::JournalFile::open(file_of(input), boot);
    if (!journal) {
        return;
    }
    agent::RecoveredState recovered;
    recovered.memory.incarnation = Incarnation{2};
    recovered.journal = journal->image();
    recovered.is_rebooted = journal->is_rebooted();
    agent::Agent agent{
        opened, {.name = "n1", .life = {1, 1}, .boot = boot, .version = "1.0"}, recovered};
    std::set<agent::ProcessId> started;
    for (const auto& instance : recovered.journal.instances) {
        // An earlier boot left no processes.
        if (!recovered.is_rebooted && instance.process != agent::ProcessId{} &&
            started.insert(instance.process).second) {
            static_cast<void>(agent.step(opened, agent::ProcessEnded{.process = instance.process}));
        }
    }
    let_pass(agent, agent::AgentInput{agent::AgentWake{}});
    static_cast<void>(agent.instances());
    static_cast<void>(journal->write({recovered.journal.instances, {}, {}}));
}

// A coordinator starts from the store.
void fuzz_store(std::string_view input) {
    auto store = coordinator::SqliteStore::open(file_of(input), ClusterId{1, 1});
    if (!store) {
        return;
    }
    const auto image = (*store)->begin_leadership(LeaderId{2, 2});
    if (!image) {
        return;
    }
    coordinator::Coordinator core{opened, {}, *image};
    static_cast<void>(core.step(opened, coordinator::CivilTime{CivilMs{1'700'000'000'000}}));
    static_cast<void>(core.step(
        opened,
        coordinator::FromOperator{coordinator::Ticket{1}, CoreRequest{{}, StatusRequest{}}}));
    let_pass(core, muster::coordinator::Input{coordinator::Wake{}});
}

// The records of a file; and valid records with invalid contents.
void fuzz_record_file(std::string_view found) {
    std::string input{found};
    if (coordinator::version_of_record(found)) {  // Inputs found with older versions stay useful.
        input.replace(0, found.find('\n') + 1, coordinator::record_magic);
    }
    if (auto reader = coordinator::RecordReader::open(input)) {
        for (auto record = reader->next(); record && *record; record = reader->next()) {
            ensure((*record)->size() < input.size(), "a record is inside its file");
        }
    }
    static_cast<void>(coordinator::Replay::open(input));
    static_cast<void>(coordinator::decode_head(input));
    if (const auto core = coordinator::restore_core(input)) {
        const std::string saved = coordinator::save_core(**core);
        const auto again = coordinator::restore_core(saved);
        ensure(again && coordinator::save_core(**again) == saved,
               "a core is restored as it was saved");
    }
}

void fuzz_record_step(std::string_view input) {
    const auto step = coordinator::decode_step(input);
    if (!step) {
        return;
    }
    if (const auto* const recorded = std::get_if<coordinator::RecordedInput>(&*step)) {
        coordinator::StepEncoder encoder;
        const std::string bytes{encoder.input(recorded->now, recorded->input)};
        const auto again = coordinator::decode_step(bytes);
        const auto* const same = again ? std::get_if<coordinator::RecordedInput>(&*again) : nullptr;
        // An omitted field has its default, and the default message may be invalid.
        ensure(same == nullptr || encoder.input(same->now, same->input) == bytes,
               "an input is read as it was written");
    }
}

}  // namespace muster::fuzz
