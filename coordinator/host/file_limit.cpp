#include "coordinator/host/file_limit.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>

namespace muster::coordinator {

Result<void> raise_file_limit(std::uint64_t agents) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return fail(Errc::io,
                    std::string{"cannot read the limit of open files: "} + std::strerror(errno));
    }
    if (limit.rlim_max < files_needed(agents)) {
        return fail(Errc::refused,
                    "the limit of open files is " + std::to_string(limit.rlim_max) + ", but " +
                        std::to_string(agents) + " agents need " +
                        std::to_string(files_needed(agents)) +
                        "; raise it (ulimit -Hn, LimitNOFILE=) or lower cluster.agents");
    }
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return fail(Errc::io,
                    std::string{"cannot raise the limit of open files: "} + std::strerror(errno));
    }
    return {};
}

FileUse file_use() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    // The size of the directory is the number of open files; before Linux 6.2 it was 0.
    struct stat status = {};
    if (stat("/proc/self/fd", &status) == 0 && status.st_size > 0) {
        // An inherited file may have a number above the limit.
        const auto open = static_cast<std::uint64_t>(status.st_size);
        return {std::min<std::uint64_t>(open, limit.rlim_cur), limit.rlim_cur};
    }
    std::error_code none_left;
    const std::filesystem::directory_iterator files{"/proc/self/fd", none_left};
    const auto open = none_left
                          ? limit.rlim_cur
                          : static_cast<std::uint64_t>(std::distance(begin(files), end(files)));
    return {open, limit.rlim_cur};
}

std::optional<std::string> file_alarm(const FileUse& use, std::uint64_t turned_away) {
    const bool few_left = use.open + use.limit / 10 >= use.limit;
    if (!few_left && turned_away == 0) {
        return std::nullopt;
    }
    const auto use_text = std::to_string(use.open) + " of " + std::to_string(use.limit) +
                          " files are open in the coordinator";
    return use_text +
           (turned_away > 0 ? ", and new connections are refused"
                            : ", and at the limit new connections are refused") +
           "; close needless connections, or raise the limit (LimitNOFILE=)";
}

}  // namespace muster::coordinator
