#pragma once

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mount.h>
#include <vector>

namespace muster::agent {

/// Mounts of this process and its children alone, from the first change on. Each test runs in its
/// own process.
class OwnMounts {
public:
    /// Bind-mounts a file in place of another.
    [[nodiscard]] bool show(const std::string& file, const char* place) {
        return begin() && mount(file.c_str(), place, nullptr, MS_BIND, nullptr) == 0;
    }
    /// Wherever they are mounted. True on a host that shows none, too.
    [[nodiscard]] bool hide_cgroups() {
        std::vector<std::string> places;
        std::ifstream mounts{"/proc/self/mountinfo"};
        for (std::string line; std::getline(mounts, line);) {
            if (line.find(" - cgroup") != std::string::npos) {
                std::istringstream words{line};
                std::string place;
                for (int field = 0; field < 5; ++field) {
                    words >> place;
                }
                places.push_back(place);
            }
        }
        // The innermost first.
        return std::all_of(places.rbegin(), places.rend(), [&](const std::string& place) {
            return begin() && umount2(place.c_str(), MNT_DETACH) == 0;
        });
    }

    static constexpr auto skipped =
        "SKIPPED: mounts of our own take the rights of root, and a root directory that is a mount";

private:
    bool begin() {
        is_begun_ = is_begun_ || (unshare(CLONE_NEWNS) == 0 &&
                                  mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
        return is_begun_;
    }

    bool is_begun_ = false;
};

}  // namespace muster::agent
