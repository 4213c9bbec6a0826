#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "tests/catch.hpp"

#include "tests/integration/support/process.hpp"

namespace muster::integration {

/// During its lifetime the process can open nothing more, because it is over its limit.
class NoMoreFiles {
public:
    explicit NoMoreFiles(pid_t pid) : pid_{pid} {
        REQUIRE(prlimit(pid_, RLIMIT_NOFILE, nullptr, &before_) == 0);
        const rlimit none{12, before_.rlim_max};
        REQUIRE(open_files(pid_) > none.rlim_cur);
        REQUIRE(prlimit(pid_, RLIMIT_NOFILE, &none, nullptr) == 0);
    }
    ~NoMoreFiles() { prlimit(pid_, RLIMIT_NOFILE, &before_, nullptr); }
    NoMoreFiles(const NoMoreFiles&) = delete;
    NoMoreFiles& operator=(const NoMoreFiles&) = delete;

private:
    pid_t pid_;
    rlimit before_{};
};

}  // namespace muster::integration
