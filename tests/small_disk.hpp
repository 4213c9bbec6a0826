#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/mount.h>
#include <utility>

#include "tests/catch.hpp"

namespace muster {

/// A file system of 256 KiB at the given path. It is mounted only if the test has the right to
/// mount.
class SmallDisk {
public:
    explicit SmallDisk(std::string path) : path_{std::move(path)} {
        std::filesystem::create_directories(path_);
        mounted_ = mount("muster-test", path_.c_str(), "tmpfs", 0, "size=256k") == 0;
    }
    ~SmallDisk() {
        if (mounted_) {
            umount2(path_.c_str(), MNT_DETACH);
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    [[nodiscard]] bool mounted() const { return mounted_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool make_read_only() const {
        return mount("muster-test", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    }
    [[nodiscard]] bool grow() const {
        return mount("muster-test", path_.c_str(), "tmpfs", MS_REMOUNT, "size=16m") == 0;
    }

    static constexpr auto skipped =
        "SKIPPED: mounting a small file system takes the rights of root";

private:
    std::string path_;
    bool mounted_ = false;
};

/// Overwrites bytes in the middle of a file, as a failing disk does.
inline void overwrite(const std::string& file, std::streamoff at, const std::string& bytes) {
    std::fstream stream{file, std::ios::binary | std::ios::in | std::ios::out};
    stream.seekp(at);
    stream << bytes;
    REQUIRE(stream.flush());
}

}  // namespace muster
