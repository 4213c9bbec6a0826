#include "tests/faults/holding.hpp"

#include <filesystem>
#include <iterator>
#include <system_error>

namespace muster::faults {

namespace {

namespace fs = std::filesystem;
using integration::Cluster;

std::size_t entries(const fs::path& directory) {
    std::error_code error;
    const fs::directory_iterator all{directory, error};
    return error ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Counts the cgroups of the agent's processes in every hierarchy.
std::size_t cgroups_of(const std::string& agent) {
    std::size_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at{"/sys/fs/cgroup", error}, last; at != last && !error;
         at.increment(error)) {
        const bool is_ours = at->path().filename().string().find(agent) != std::string::npos;
        count += at->is_directory(error) && is_ours ? 1U : 0U;
    }
    return count;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Holding& holding) {
    out << holding.shims << " shims, " << holding.sockets << " sockets, " << holding.ends
        << " ends, " << holding.secrets << " secrets, " << holding.cgroups << " cgroups";
    for (const auto& [file, count] : holding.files) {
        out << ", " << count << " x " << file;
    }
    return out;
}

OpenFiles files_of(pid_t process) {
    OpenFiles files;
    std::error_code error;
    for (const auto& entry :
         fs::directory_iterator{"/proc/" + std::to_string(process) + "/fd", error}) {
        fs::path path = fs::read_symlink(entry.path(), error);
        if (path.extension() == ".record") {  // The number varies; only one is open at a time.
            path.replace_filename("*.record");
        }
        const std::string file = path.string();
        ++files[file.substr(0, file.find(":["))];
    }
    return files;
}

Holding holding_of(const Cluster& cluster, const std::string& node) {
    const fs::path run{cluster.directory() + "/run"};
    const auto shims = cluster.shims_of(node);
    // The names of the cgroups contain this mark.
    const std::string mark{shims.at(0).variable("MUSTER_PROCESS")};
    return {.shims = shims.size(),
            .files = files_of(cluster.agent(node).pid()),
            .sockets = entries(run / ("agents/" + node + ".shims")),
            .ends = entries(cluster.directory() + "/state/agents/" + node + "/ends"),
            .secrets = entries(fs::path{run.string() + "-secrets"} / node),
            .cgroups = cgroups_of(mark.substr(0, mark.find('/')))};
}

Holding steady_holding(const Cluster& cluster, const std::string& node) {
    Holding last = holding_of(cluster, node);
    std::size_t same = 0;
    REQUIRE(integration::until([&] {
        const Holding next = holding_of(cluster, node);
        same = next == last ? same + 1 : 0;
        last = next;
        return same == 10;
    }));
    return last;
}

}  // namespace muster::faults
