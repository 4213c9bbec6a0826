#include "coordinator/providers/local/node_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/fnv.hpp"
#include "common/base/ids.hpp"
#include "common/base/limits.hpp"
#include "common/base/paths.hpp"
#include "common/base/read_file.hpp"

namespace muster::local_provider {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t record_bytes = 4096;
constexpr std::size_t hash_digits = 8;
constexpr std::chrono::hours kept_after_end{7 * 24};
constexpr std::string_view record_name = "/node.json";
constexpr std::string_view locks_name = "made";

std::string short_hash(std::string_view text) {
    Fnv sum;
    sum.text(text);
    return to_string(sum.digest()).substr(0, hash_digits);
}

tl::unexpected<Error> fail_on(const std::string& path, const char* what) {
    return fail(Errc::io, path + " cannot be " + what + ": " + std::strerror(errno));
}

std::string member_of(const Json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

std::string purpose_of(const NodeRecord& node) { return node.pool + ' ' + node.request + '\n'; }

std::string node_name(std::string_view pool, std::string_view request, std::uint32_t ordinal) {
    std::string name = std::string{pool} + '-' + std::string{request} + '-';
    name += std::to_string(ordinal);
    if (name.size() > limits::name_bytes) {
        const std::string hash = short_hash(name);
        name.resize(limits::name_bytes - hash_digits - 1);
        name += '-' + hash;
    }
    return name;
}

NodeFiles::NodeFiles(const std::string& directory, std::string cluster)
    : cluster_{std::move(cluster)},
      home_{fs::absolute(directory).lexically_normal() / short_hash(cluster_)} {}

Result<void> NodeFiles::make() const {
    return paths::make_private_directory(home_ + '/' + std::string{locks_name});
}

std::vector<std::string> NodeFiles::nodes() const {
    auto names = names_in(home_);
    std::erase_if(names, [](const std::string& name) { return name == locks_name; });
    std::ranges::sort(names);
    return names;
}

std::optional<NodeRecord> NodeFiles::record_of(std::string_view node) const {
    const auto text = read_file(home_of(node) + std::string{record_name}, record_bytes);
    const Json object = text ? Json::parse(*text, nullptr, false) : Json{};
    if (!object.is_object()) {
        return std::nullopt;
    }
    NodeRecord record{.cluster = member_of(object, "cluster"),
                      .pool = member_of(object, "pool"),
                      .request = member_of(object, "request"),
                      .node = std::string{node},
                      .address = member_of(object, "address")};
    return record.cluster == cluster_ ? std::optional{std::move(record)} : std::nullopt;
}

Result<void> NodeFiles::write_record(const NodeRecord& record) const {
    const std::string path = home_of(record.node) + std::string{record_name};
    const std::string text = Json{
        {"cluster", record.cluster},
        {"pool", record.pool},
        {"request", record.request},
        {"address",
         record.address}}.dump();
    const FileDescriptor file{open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    if (!file.is_open() || write_all(file.get(), text + '\n') != 0) {
        return fail_on(path, "written");
    }
    return {};
}

std::optional<ProcessIdentity> NodeFiles::agent_of(std::string_view node) const {
    const auto text = read_file(identity_file(node), record_bytes);
    return text ? process_in(*text) : std::nullopt;
}

Result<void> NodeFiles::make_home(std::string_view node) const {
    return paths::make_private_directory(home_of(node));
}

void NodeFiles::remove_home(std::string_view node) const {
    std::error_code busy;
    // Without its identity it is no node any more, whatever else cannot be removed now.
    fs::remove(identity_file(node), busy);
    fs::remove_all(home_of(node), busy);
}

Result<FileDescriptor> NodeFiles::lock(std::string_view node, Waits waits) const {
    const std::string path = home_ + '/' + std::string{locks_name} + '/' + std::string{node};
    while (true) {
        FileDescriptor file{open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
        if (!file.is_open()) {
            return fail_on(path, "opened");
        }
        while (flock(file.get(), waits == Waits::yes ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK) {
                return FileDescriptor{};
            }
            if (errno != EINTR) {
                return fail_on(path, "locked");
            }
        }
        // While we waited, the file may have been removed, and somebody may have locked another.
        struct stat held = {};
        struct stat named = {};
        if (fstat(file.get(), &held) == 0 && stat(path.c_str(), &named) == 0 &&
            held.st_ino == named.st_ino) {
            return file;
        }
    }
}

std::string NodeFiles::started_for(const FileDescriptor& lock) {
    std::array<char, record_bytes> text{};
    const auto size = pread(lock.get(), text.data(), text.size(), 0);
    return {text.data(), size < 0 ? 0 : static_cast<std::size_t>(size)};
}

Result<void> NodeFiles::mark_started(const FileDescriptor& lock, const NodeRecord& node) {
    if (write_all(lock.get(), purpose_of(node)) != 0) {
        return fail(Errc::io, "it cannot be noted that node " + node.node +
                                  " was started: " + std::strerror(errno));
    }
    return {};
}

void NodeFiles::forget_old() const {
    const fs::path locks = home_ + '/' + std::string{locks_name};
    for (const std::string& node : names_in(locks)) {
        std::error_code gone;
        const auto written = fs::last_write_time(locks / node, gone);
        if (gone || fs::exists(home_of(node), gone) ||
            fs::file_time_type::clock::now() - written < kept_after_end) {
            continue;
        }
        if (const auto held = lock(node, Waits::no); held && held->is_open()) {
            fs::remove(locks / node, gone);
        }
    }
}

}  // namespace muster::local_provider
