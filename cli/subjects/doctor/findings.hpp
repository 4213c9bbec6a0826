#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

/// The doctor reads the answers of a running installation, and names what is weak or broken.
namespace muster::cli {

enum class Severity : std::uint8_t {
    broken,  ///< Something does not work.
    weak,    ///< It works, and may not tomorrow, or may be abused.
};

struct Finding {
    Severity severity = Severity::weak;
    std::string what;    ///< A sentence.
    std::string remedy;  ///< A command or what to do.

    friend bool operator==(const Finding&, const Finding&) = default;
};

/// The answers of the coordinator, and what can be seen on this host. An answer that the operator's
/// role does not allow is missing.
struct Facets {
    CivilMs now{};
    std::string version;  ///< Of this program.
    std::optional<PingReply> ping;
    std::optional<StatusReply> status;
    std::optional<StatsReply> stats;
    std::optional<NodeListReply> nodes;
    std::vector<NodeShowReply> shown;  ///< Some of the nodes.
    std::optional<KeysReply> keys;
    std::optional<TokensReply> tokens;
    std::optional<EventsReply> events;
    std::optional<CoordinatorsReply> coordinators;
    std::optional<UpgradeReply> upgrade;   ///< Of a dry run.
    std::vector<std::string> file_faults;  ///< Files with secrets that a program would refuse.
};

/// The broken ones first.
[[nodiscard]] std::vector<Finding> diagnose(const Facets& facets);

}  // namespace muster::cli
