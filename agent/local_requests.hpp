#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/agent.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// The agent's own answer to a local status request.
struct LocalStatus {
    std::string name;
    std::string version;
    std::string coordinator;  ///< The endpoint to which the agent connects.
    bool led = false;         ///< A leader that the agent obeys polls it.
    LifeId life;
    AgentMemory memory;
    std::uint64_t undecodable = 0;  ///< Messages that could not be decoded, from any sender.
};
struct LocalProcess {
    InstanceReport report;
    std::optional<int> pid;
};

/// One local request, a line of text or a JSON object.
struct LocalRequest {
    enum class Verb : std::uint8_t { help, status, list, stop_all, log_level } verb = Verb::help;
    std::string level;
};
[[nodiscard]] Result<LocalRequest> local_request(std::string_view frame);

/// The answers, in JSON: `{"ok": true, "verb": ...}` or
/// `{"ok": false, "error": {"code": ..., "message": ...}}`.
[[nodiscard]] std::string local_help();
[[nodiscard]] std::string local_status(const LocalStatus& status,
                                       const std::vector<LocalProcess>& processes);
[[nodiscard]] std::string local_list(const std::vector<LocalProcess>& processes);
[[nodiscard]] std::string local_stop_all(std::size_t instances);
[[nodiscard]] std::string local_level(std::string_view level);
[[nodiscard]] std::string local_error(const Error& error);

}  // namespace muster::agent
