// The order of the rooms, and no circular includes.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/tree/source_files.hpp"

namespace muster::tree {
namespace {

using namespace std::string_view_literals;

// The rooms of the tree, the lowest first. A file includes its own room or lower ones. A room is a
// folder, or the files of one name where a folder holds files of several rooms. The longest
// matching name is a file's room.
constexpr std::array rooms{
    "common/base"sv,
    "common/text"sv,
    "common/spec"sv,
    "common/messages"sv,
    "common/config"sv,
    "common/log"sv,
    "common/codec/shapes"sv,
    "common/codec/msgpack"sv,
    "common/codec/json"sv,
    "common/codec/fields"sv,
    "common/codec"sv,
    "common/sqlite"sv,
    "common/crypto"sv,
    "common/net/host"sv,
    "common/net/accept"sv,
    "common/net"sv,
    "coordinator/core/pools/forecast"sv,
    "coordinator/core/pools"sv,
    "coordinator/core/rows"sv,
    "coordinator/core/policies"sv,
    "coordinator/core/options"sv,
    "coordinator/core/io"sv,
    "coordinator/core/leadership"sv,
    "coordinator/core/effects"sv,
    "coordinator/core/events"sv,
    "coordinator/core/nodes"sv,
    "coordinator/core/workload"sv,
    "coordinator/core/ledger"sv,
    "coordinator/core/security"sv,
    "coordinator/core/suspension"sv,
    "coordinator/core/liveness"sv,
    "coordinator/core/membership"sv,
    "coordinator/core/scaling"sv,
    "coordinator/core/reports"sv,
    "coordinator/core/planning/index"sv,
    "coordinator/core/planning/pass"sv,
    "coordinator/core/planning/tasks"sv,
    "coordinator/core/planning/balance"sv,
    "coordinator/core/planning/dispatch"sv,
    "coordinator/core/planning"sv,
    "coordinator/core/queries"sv,
    "coordinator/core/operators"sv,
    "coordinator/core/memory"sv,
    "coordinator/core/check"sv,
    "coordinator/core/rooms"sv,
    "coordinator/core/rooms_inputs"sv,
    "coordinator/core/rooms_proofs"sv,
    "coordinator/core/rooms_durable"sv,
    "coordinator/core/coordinator"sv,
    "coordinator/store"sv,
    "coordinator/recorder"sv,
    "coordinator/providers"sv,
    "coordinator/http"sv,
    "coordinator/host/zones"sv,
    "coordinator/requests"sv,
    "coordinator"sv,
    "agent/core/journal"sv,
    "agent/core/io"sv,
    "agent/core/options"sv,
    "agent/core/fencing"sv,
    "agent/core/instances"sv,
    "agent/core/host"sv,
    "agent/core/reporting"sv,
    "agent/core"sv,
    "agent/policy"sv,
    "agent/shim"sv,
    "agent/exec/cgroups"sv,
    "agent/exec/shims"sv,
    "agent/exec/launch"sv,
    "agent/exec"sv,
    "agent/storage"sv,
    "agent"sv,
    "cli/screen"sv,
    "cli"sv,
    "cli/subjects"sv,
    "cli/run"sv,
    "cli/main"sv,
    "sim"sv,
};

// The position of the file's room in the order; none for files outside of the rooms, such as tests.
std::optional<std::size_t> room_of(std::string_view path) {
    std::optional<std::size_t> found;
    for (std::size_t at = 0; at < rooms.size(); ++at) {
        const std::string_view room = rooms[at];
        const bool fits = path.starts_with(room) && path.size() > room.size() &&
                          (path[room.size()] == '/' || path[room.size()] == '.');
        if (fits && (!found || room.size() > rooms[*found].size())) {
            found = at;
        }
    }
    return found;
}

bool points_up(std::string_view path, std::string_view header) {
    if (!header.starts_with('"')) {
        return false;
    }
    const auto from = room_of(path);
    const auto to = room_of(header.substr(1));
    return from && to && *to > *from;
}

// A header and the source with its name are one part of the program.
std::string part_of(std::string_view path) { return std::string{path.substr(0, path.rfind('.'))}; }

using Parts = std::map<std::string, std::set<std::string>>;

/// The parts that `from` reaches through includes.
std::set<std::string> reached_from(const std::string& from, const Parts& parts) {
    std::set<std::string> reached;
    std::vector<std::string> left{from};
    while (!left.empty()) {
        const std::string part = left.back();
        left.pop_back();
        const auto found = parts.find(part);
        if (found == parts.end()) {
            continue;
        }
        for (const std::string& next : found->second) {
            if (reached.insert(next).second) {
                left.push_back(next);
            }
        }
    }
    return reached;
}

}  // namespace

// Goal: a room does not depend on those above it.
// Method: compare every include of every file with the order.
TEST_CASE("every file includes its own room or lower ones", "[source]") {
    const std::filesystem::path root{MUSTER_SOURCE_DIR};
    std::size_t checked = 0;
    for (const auto& file : files_of(root)) {
        for (const auto& header : included_in(text_of(root / file))) {
            ++checked;
            if (points_up(file, header)) {
                FAIL_CHECK(file + " includes " + header + " of a higher room");
            }
        }
    }
    CHECK(checked > 1'000);
}

TEST_CASE("an include that points to a higher room is found", "[source]") {
    CHECK(points_up("coordinator/core/nodes/registry.cpp",
                    "\"coordinator/core/planning/planner.hpp\""));
    CHECK(points_up("coordinator/core/io.hpp", "\"coordinator/core/nodes/registry.hpp\""));
    CHECK(points_up("common/spec/spec.cpp", "\"agent/core/agent.hpp\""));
    CHECK(points_up("common/spec/spec.cpp", "\"sim/model/cluster.hpp\""));
    CHECK(points_up("cli/client.cpp", "\"cli/subjects/verbs.hpp\""));
    CHECK_FALSE(points_up("coordinator/core/planning/planner.cpp",
                          "\"coordinator/core/nodes/registry.hpp\""));
    CHECK_FALSE(points_up("tests/unit/cli/text_test.cpp", "\"cli/subjects/verbs.hpp\""));
}

// Goal: a part can be read and tested without the parts that use it.
// Method: no part of the tree reaches itself through its includes.
TEST_CASE("no files include each other in a circle", "[source]") {
    const std::filesystem::path root{MUSTER_SOURCE_DIR};
    Parts parts;
    for (const auto& file : files_of(root)) {
        for (const auto& header : included_in(text_of(root / file))) {
            const auto name = header.starts_with('"') ? header.substr(1, header.size() - 2) : "";
            if (!name.empty() && part_of(name) != part_of(file)) {
                parts[part_of(file)].insert(part_of(name));
            }
        }
    }
    REQUIRE(parts.size() > 100);
    for (const auto& [part, includes] : parts) {
        CAPTURE(part);
        CHECK_FALSE(reached_from(part, parts).contains(part));
    }
    const Parts circle{{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}, {"d", {"a"}}};
    CHECK(reached_from("a", circle).contains("a"));
    CHECK_FALSE(reached_from("d", circle).contains("d"));
}

}  // namespace muster::tree
