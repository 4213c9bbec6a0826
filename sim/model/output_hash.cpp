#include "sim/model/output_hash.hpp"

#include "common/codec/state_writer.hpp"
#include "coordinator/recorder/members.hpp"
#include "coordinator/recorder/plain_fields.hpp"
#include "coordinator/recorder/record_file.hpp"

namespace muster::sim {

namespace {

constexpr std::uint64_t coordinator = ~std::uint64_t{0};  // No host has this number.

/// The fields of an agent core's output, in the manner of the recorder. Every struct is listed
/// completely, so that a member without a name does not compile.
struct AgentFields : coordinator::PlainFields {
    using PlainFields::names;

    static void fields(auto& visit, const TaskSpec& spec) {
        visit("as_wanted", WantedTask{"task", 1, spec, {}});
    }
    static constexpr auto names(const agent::AgentMemory*) {
        return "cluster epoch leader counter incarnation";
    }
    static constexpr auto names(const agent::ProcessIdentity*) { return "pid start_ticks"; }
    static constexpr auto names(const InstanceReport*) {
        return "id generation state restarts exit_code exit_signal started detail proof";
    }
    static constexpr auto names(const Proof*) { return "incarnation tag"; }
    static constexpr auto names(const agent::RestartHistory*) {
        return "starts running_since delay";
    }
    static constexpr auto names(const agent::InstanceImage*) {
        return "report digest process identity leaving retry_at history";
    }
    static constexpr auto names(const agent::SpecImage*) { return "task spec"; }
    static constexpr auto names(const agent::JournalWrite*) { return "instances gone specs"; }
    static constexpr auto names(const agent::Release*) { return "process"; }
    static constexpr auto names(const agent::End*) { return "process number grace"; }
    static constexpr auto names(const agent::Renewal*) { return "process lease"; }
    static constexpr auto names(const agent::SignalTo*) { return "process number"; }
    static constexpr auto names(const agent::Spawn*) {
        return "process id generation spec lease token proof";
    }
    static constexpr auto names(const AgentCallStamp*) { return "epoch incarnation number"; }
    static constexpr auto names(const LogPosition*) { return "file offset"; }
    static constexpr auto names(const ReadLog*) { return "stamp id stream from since_ms bytes"; }
    static constexpr auto names(const agent::MeasureProcesses::Root*) { return "id identity"; }
    static constexpr auto names(const agent::MeasureProcesses*) { return "stamp processes"; }
    static constexpr auto names(const agent::Ask*) { return "process"; }

    static void fields(auto& visit, auto& it) requires requires { names(&it); }
    { coordinator::CoreFields::visit_members<AgentFields>(visit, it); }

    static void fields(auto& visit, const agent::AgentOutput& it) {
        // No key: simulated hosts have none.
        const auto& [remember, journal, processes, signals, left, checks, readings, messages, key,
                     finished] = it;
        static_cast<void>(key);
        const auto& [releases, asks, ends, renewals, spawns] = processes;
        visit(
            "remember journal releases asks ends renewals signals left spawns checks readings "
            "messages finished",
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
