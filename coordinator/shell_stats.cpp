#include "coordinator/shell_stats.hpp"

#include <fstream>
#include <unistd.h>

#include "coordinator/core/queries/queries.hpp"
#include "coordinator/host/file_limit.hpp"

namespace muster::coordinator {
namespace {

std::uint64_t resident_bytes() {
    std::ifstream file{"/proc/self/statm"};
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void ShellStats::durable(Instant now, std::uint64_t number) {
    while (!submitted_.empty() && submitted_.front().first <= number) {
        store_.add(now - submitted_.front().second);
        submitted_.pop_front();
    }
}

void ShellStats::add_to(StatsReply& reply, const Messages& messages) const {
    const auto add = [&](const char* name, MetricLabels labels, std::uint64_t value) {
        reply.samples.push_back({name, std::move(labels), value});
    };
    const Traffic& agents = messages.agents;
    add("muster_agent_messages_total", {}, agents.messages);
    const char* const errors = "muster_message_errors_total";
    add(errors, {{"kind", "agent_undecodable"}}, agents.undecodable);
    add(errors, {{"kind", "agent_unread"}}, agents.slow);
    add(errors, {{"kind", "foreign_route"}}, agents.foreign);
    add(errors, {{"kind", "denied"}}, messages.denied);
    add(errors, {{"kind", "unproved"}}, agents.unproved + messages.unproved);
    add(errors, {{"kind", "too_fast"}}, agents.too_fast + messages.too_fast);
    add(errors, {{"kind", "ended"}}, agents.ended + messages.ended);
    add(errors, {{"kind", "guarded"}}, messages.ended_by_guard);
    add(errors, {{"kind", "operator_undecodable"}}, messages.operators_undecodable);
    const char* const handshakes = "muster_handshakes_total";
    add(handshakes, {{"result", "accepted"}}, messages.handshakes.accepted);
    add(handshakes, {{"result", "refused"}}, messages.handshakes.refused);
    add(handshakes, {{"result", "too_fast"}}, messages.handshakes.too_fast);
    add(handshakes, {{"result", "begun"}}, messages.handshakes_begun);
    add("muster_connections_turned_away_total", {}, messages.turned_away);
    const FileUse files = file_use();
    add("process_open_fds", {}, files.open);
    add("process_max_fds", {}, files.limit);
    add("process_resident_memory_bytes", {}, resident_bytes());
    reply.durations.push_back(durations_of("muster_round_part", {{"part", "plan"}}, planning_));
    reply.durations.push_back(durations_of("muster_round_part", {{"part", "send"}}, sending_));
    reply.durations.push_back(durations_of("muster_store_write", {}, store_));
}

}  // namespace muster::coordinator
