#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace muster {

/// During its lifetime this process can open no further file. Read results during its lifetime, and
/// check them afterwards: a sanitizer opens files to inspect an object and reports a false error
/// without them.
class FewFiles {
public:
    FewFiles() {
        getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit few{most, before_.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
        for (int file = open_one(); file >= 0; file = open_one()) {
            files_.push_back(file);
        }
    }
    ~FewFiles() {
        setrlimit(RLIMIT_NOFILE, &before_);
        for (const int file : files_) {
            close(file);
        }
    }
    FewFiles(const FewFiles&) = delete;
    FewFiles& operator=(const FewFiles&) = delete;

    [[nodiscard]] static bool can_open_one() {
        const int file = open_one();
        close(file);
        return file >= 0;
    }

private:
    static constexpr rlim_t most = 200;
    static int open_one() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

    rlimit before_{};
    std::vector<int> files_;
};

}  // namespace muster
