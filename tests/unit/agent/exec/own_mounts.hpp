#pragma once

#include <sched.h>
#include <string>
#include <sys/mount.h>

namespace muster::agent {

/// From now on this process and its children have mounts of their own. Each test runs in its own
/// process.
class OwnMounts {
public:
    OwnMounts()
        : is_here_{unshare(CLONE_NEWNS) == 0 &&
                   mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0} {}

    [[nodiscard]] bool is_here() const { return is_here_; }
    /// Bind-mounts a file in place of another.
    [[nodiscard]] bool show(const std::string& file, const char* place) const {
        return is_here_ && mount(file.c_str(), place, nullptr, MS_BIND, nullptr) == 0;
    }
    [[nodiscard]] bool hide(const char* place) const {
        return is_here_ && umount2(place, MNT_DETACH) == 0;
    }

    static constexpr auto skipped = "SKIPPED: mounts of our own take the rights of root";

private:
    bool is_here_;
};

}  // namespace muster::agent
