#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/base/ensure.hpp"

namespace muster {

/// A directory for one test. The destructor removes it and its contents.
class TemporaryDirectory {
public:
    TemporaryDirectory()
        : path_{(std::filesystem::temp_directory_path() / "muster-test-XXXXXX").string()} {
        ensure(mkdtemp(path_.data()) != nullptr, "a temporary directory can be made");
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string below(const std::string& name) const { return path_ + '/' + name; }

private:
    std::string path_;
};

}  // namespace muster
