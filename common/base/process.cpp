#include "common/base/process.hpp"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <initializer_list>
#include <malloc.h>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>

namespace muster {

void keep_freed_memory() {
    constexpr int largest_reused = 32 << 20;  // The largest block that malloc reuses.
    constexpr int kept = 256 << 20;
    // Other allocators, such as a sanitizer's, ignore this.
    static_cast<void>(mallopt(M_MMAP_THRESHOLD, largest_reused));
    static_cast<void>(mallopt(M_TRIM_THRESHOLD, kept));
}

void hold_standard_files() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) < 0) {
            // open() takes the lowest free number, which is this one.
            static_cast<void>(open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

std::string program_of_muster(const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const auto* const place : {".", "../libexec/muster"}) {
        const fs::path program = (here / place / name).lexically_normal();
        if (access(program.c_str(), X_OK) == 0) {
            return program.string();
        }
    }
    return {};
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

void keep_memory_private() {
    // Fails on no kernel that muster runs on.
    static_cast<void>(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

}  // namespace muster
