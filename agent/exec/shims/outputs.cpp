#include "agent/exec/shims/outputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "common/base/read_file.hpp"

namespace muster::agent {

namespace {

namespace fs = std::filesystem;

// All files that a shim writes for one instance.
constexpr std::array suffixes{".out", ".out.times", ".out.1", ".out.1.times",
                              ".err", ".err.times", ".err.1", ".err.1.times"};

// The instance of a file. Nothing: the file is not one of ours.
std::optional<std::string> instance_of(std::string_view file) {
    for (const std::string_view suffix : suffixes) {
        if (file.ends_with(suffix)) {
            return std::string{file.substr(0, file.size() - suffix.size())};
        }
    }
    return std::nullopt;
}

}  // namespace

void Outputs::ended(const InstanceId& id) {
    begins(id);
    ended_.push_back(to_string(id));
    while (ended_.size() > ended_kept_) {
        remove(ended_.front());
        ended_.pop_front();
    }
}

void Outputs::remove(const std::string& instance) const {
    std::error_code ignored;
    for (const char* suffix : suffixes) {
        fs::remove(path_ + '/' + instance + suffix, ignored);
    }
}

// The least recently written instance comes first.
void Outputs::open(const std::string& directory) {
    path_ = directory;
    std::map<std::string, fs::file_time_type> written;
    for (const std::string& name : names_in(path_)) {
        if (const auto instance = instance_of(name)) {
            std::error_code gone;
            auto& last = written.try_emplace(*instance, fs::file_time_type::min()).first->second;
            last = std::max(last, fs::last_write_time(path_ + '/' + name, gone));
        }
    }
    std::vector<std::pair<std::string, fs::file_time_type>> order{written.begin(), written.end()};
    std::ranges::stable_sort(order, {}, &std::pair<std::string, fs::file_time_type>::second);
    for (const auto& [instance, last] : order) {
        ended_.push_back(instance);
    }
}

}  // namespace muster::agent
