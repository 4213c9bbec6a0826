#include "sim/model/output_hash.hpp"

#include "common/codec/state_writer.hpp"
#include "coordinator/recorder/plain_fields.hpp"
#include "coordinator/recorder/record_file.hpp"

namespace muster::sim {

namespace {

constexpr std::uint64_t coordinator = ~std::uint64_t{0};  // No host has this number.

/// The output of an agent's core, as the recorder has that of the coordinator's. Each struct is
/// taken apart whole, so that a member without a name does not compile.
struct AgentFields : coordinator::PlainFields {
    // TODO(clang15): `using` would do; Clang 14 takes templates that differ in what they ask of a
    // type for one, and hides those of the base.
    static void fields(auto& visit, auto& it) requires requires {
        coordinator::PlainFields::fields(visit, it);
    }
    { coordinator::PlainFields::fields(visit, it); }

    static void fields(auto& visit, const TaskSpec& spec) {
        visit("as_wanted", WantedTask{"task", 1, spec, {}});
    }
    static void fields(auto& visit, const agent::AgentMemory& it) {
        const auto& [cluster, epoch, leader, counter, incarnation] = it;
        visit("cluster epoch leader counter incarnation", cluster, epoch, leader, counter,
              incarnation);
    }
    static void fields(auto& visit, const agent::ProcessIdentity& it) {
        const auto& [pid, start_ticks] = it;
        visit("pid start_ticks", pid, start_ticks);
    }
    static void fields(auto& visit, const InstanceReport& it) {
        const auto& [id, generation, state, restarts, exit_code, exit_signal, started, detail] = it;
        visit("id generation state restarts exit_code exit_signal started detail", id, generation,
              state, restarts, exit_code, exit_signal, started, detail);
    }
    static void fields(auto& visit, const agent::RestartHistory& it) {
        const auto& [starts, running_since, delay] = it;
        visit("starts running_since delay", starts, running_since, delay);
    }
    static void fields(auto& visit, const agent::InstanceImage& it) {
        const auto& [report, digest, process, identity, leaving, retry_at, history] = it;
        visit("report digest process identity leaving retry_at history", report, digest, process,
              identity, leaving, retry_at, history);
    }
    static void fields(auto& visit, const agent::SpecImage& it) {
        const auto& [task, spec] = it;
        visit("task spec", task, spec);
    }
    static void fields(auto& visit, const agent::JournalWrite& it) {
        const auto& [instances, gone, specs] = it;
        visit("instances gone specs", instances, gone, specs);
    }
    static void fields(auto& visit, const agent::Release& it) {
        const auto& [process] = it;
        visit("process", process);
    }
    static void fields(auto& visit, const agent::End& it) {
        const auto& [process, number, grace] = it;
        visit("process number grace", process, number, grace);
    }
    static void fields(auto& visit, const agent::Renewal& it) {
        const auto& [process, lease] = it;
        visit("process lease", process, lease);
    }
    static void fields(auto& visit, const agent::SignalTo& it) {
        const auto& [process, number] = it;
        visit("process number", process, number);
    }
    static void fields(auto& visit, const agent::Spawn& it) {
        const auto& [process, id, generation, spec, lease, token] = it;
        visit("process id generation spec lease token", process, id, generation, spec, lease,
              token);
    }
    static void fields(auto& visit, const ErrandStamp& it) {
        const auto& [epoch, incarnation, number] = it;
        visit("epoch incarnation number", epoch, incarnation, number);
    }
    static void fields(auto& visit, const LogPosition& it) {
        const auto& [file, offset] = it;
        visit("file offset", file, offset);
    }
    static void fields(auto& visit, const ReadLog& it) {
        const auto& [stamp, id, stream, from, since_ms, bytes] = it;
        visit("stamp id stream from since_ms bytes", stamp, id, stream, from, since_ms, bytes);
    }
    static void fields(auto& visit, const agent::MeasureProcesses::Root& it) {
        const auto& [id, identity] = it;
        visit("id identity", id, identity);
    }
    static void fields(auto& visit, const agent::MeasureProcesses& it) {
        const auto& [stamp, processes] = it;
        visit("stamp processes", stamp, processes);
    }
    static void fields(auto& visit, const agent::Ask& it) {
        const auto& [process] = it;
        visit("process", process);
    }
    static void fields(auto& visit, const agent::AgentOutput& it) {
        const auto& [remember, journal, processes, signals, left, checks, readings, messages,
                     finished] = it;
        const auto& [releases, asks, ends, renewals, spawns] = processes;
        visit(
            "remember journal releases asks ends renewals signals left spawns checks readings "
            "messages "
            "finished",
            remember, journal, releases, asks, ends, renewals, signals, left, spawns, checks,
            readings, messages, finished);
    }
};

}  // namespace

void OutputHash::mix(Instant now, std::uint64_t core, std::string_view bytes) {
    mix(static_cast<std::uint64_t>(now.time_since_epoch().count()));
    mix(core);
    mix(coordinator::checksum_of(bytes));
}

void OutputHash::add(Instant now, const coordinator::Output& output) {
    mix(now, coordinator, encoder_.outcome(output));
}

void OutputHash::add(Instant now, HostIndex host, const agent::AgentOutput& output) {
    bytes_.clear();
    codec::StateWriter<AgentFields>{bytes_, scratch_, false}.write(output);
    mix(now, raw(host), bytes_);
}

}  // namespace muster::sim
