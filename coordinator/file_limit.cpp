#include "coordinator/file_limit.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/resource.h>

namespace muster {

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

}  // namespace muster
