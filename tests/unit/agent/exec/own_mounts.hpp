#pragma once

#include <sched.h>
#include <string>
#include <sys/mount.h>

namespace muster::agent {

/// From now on this process, and what it makes, sees mounts of its own. Tests run one in a process.
class OwnMounts {
public:
    OwnMounts()
        : is_here_{unshare(CLONE_NEWNS) == 0 &&
                   mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0} {}

    [[nodiscard]] bool is_here() const { return is_here_; }
    /// Shows a file in the place of another.
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
