#include "agent/policy/policy_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file_descriptor.hpp"
#include "common/base/limits.hpp"
#include "common/config/toml_fields.hpp"

namespace muster::agent {

namespace {

constexpr std::array<std::string_view, 6> policy_keys{"users",       "root",    "commands",
                                                      "directories", "signers", "limits"};
constexpr std::array<std::string_view, 4> limit_keys{"cpu", "memory", "pids", "nofile"};
constexpr std::array<std::string_view, 2> limit_keys_with_unit{"cpu_milli", "memory_bytes"};
constexpr std::size_t most_texts = 256;
constexpr std::size_t most_bytes = std::size_t{256} << 10U;
constexpr std::int64_t most_open_files = 1'000'000'000;
constexpr mode_t written_by_others = S_IWGRP | S_IWOTH;

using MaybeTexts = std::optional<std::vector<std::string>>;

void read_texts(TomlFields& fields, const toml::table& table, std::string_view key,
                MaybeTexts& into) {
    const auto* const node = table.get(key);
    if (node == nullptr) {
        return;
    }
    fields.texts(node, key, into.emplace());
    const bool has_empty = std::ranges::find(*into, "") != into->end();
    if (has_empty || into->size() > most_texts) {
        fields.fail_at(node->source(), std::string{key} + " has " +
                                           (has_empty ? "an empty text" : "too many texts") +
                                           "; it has up to " + std::to_string(most_texts) +
                                           " texts, each with at least one letter");
    }
}

// A path that means another one would not be found at the beginning of a real path.
bool is_plain(const std::string& path) {
    return path.starts_with('/') && path.find('\0') == std::string::npos &&
           std::filesystem::path{path}.lexically_normal().string() == path;
}

void read_paths(TomlFields& fields, const toml::table& table, std::string_view key,
                std::string_view example, MaybeTexts& into) {
    read_texts(fields, table, key, into);
    if (!into) {
        return;
    }
    for (const std::string& path : *into) {
        if (!path.empty() && !is_plain(path)) {
            fields.fail_at(table.get(key)->source(),
                           std::string{key} + " has " + in_quotes(path) +
                               ", which is not a plain path from /; write it without `.`, `..` "
                               "and `//`, as in " +
                               std::string{key} + " = [\"" + std::string{example} + "\"]");
        }
    }
}

void read_most(TomlFields& fields, const toml::table& table, Policy::Most& into) {
    fields.known_keys(table, limit_keys, "[limits]", limit_keys_with_unit);
    fields.amount(table, "cpu_milli", 1, static_cast<std::int64_t>(limits::cpu_milli),
                  into.cpu_milli);
    fields.amount(table, "memory_bytes", 1, static_cast<std::int64_t>(limits::memory_bytes),
                  into.memory_bytes);
    fields.number(table.get("pids"), "pids", 1, static_cast<std::int64_t>(limits::cgroup_pids),
                  into.pids);
    fields.number(table.get("nofile"), "nofile", 1, most_open_files, into.nofile);
}

void read_signers(TomlFields& fields, const toml::table& table,
                  std::optional<std::vector<PublicKey>>& into) {
    MaybeTexts texts;
    read_texts(fields, table, "signers", texts);
    if (!texts) {
        return;
    }
    into.emplace();
    for (const std::string& text : *texts) {
        const auto key = parse_public_key(text);
        if (key) {
            into->push_back(*key);
        } else {
            fields.fail_at(table.get("signers")->source(),
                           "signers has " + in_quotes(text) +
                               ", which is not a key of 64 hexadecimal digits; 'muster signer "
                               "create FILE' makes one and prints it");
        }
    }
}

Policy read_keys(TomlFields& fields, const toml::table& table) {
    Policy policy;
    fields.known_keys(table, policy_keys, "the policy");
    read_texts(fields, table, "users", policy.users);
    fields.truth(table.get("root"), "root", policy.root);
    read_paths(fields, table, "commands", "/usr/bin/", policy.commands);
    read_paths(fields, table, "directories", "/srv/", policy.directories);
    read_signers(fields, table, policy.signers);
    if (const auto* const most = fields.table(table, "limits")) {
        read_most(fields, *most, policy.most);
    }
    return policy;
}

// ---- who could change it ----

tl::unexpected<Error> unsafe(const std::string& path, const std::string& what,
                             const std::string& cure) {
    return fail(Errc::refused, "the policy " + path + " is not used: " + what + "; " + cure);
}

Result<void> check_owner(const std::string& file, const std::string& path,
                         const struct stat& status) {
    const std::string whose = path == file ? "it" : "its directory " + path;
    if (status.st_uid != 0 && status.st_uid != geteuid()) {
        return unsafe(file, whose + " belongs to user " + std::to_string(status.st_uid),
                      "run chown " + std::to_string(geteuid()) + ' ' + path);
    }
    if ((status.st_mode & written_by_others) != 0) {
        return unsafe(file, whose + " can be written by others than its owner",
                      "run chmod go-w " + path);
    }
    return {};
}

Result<void> check_directory_of(const std::string& file) {
    std::string directory = std::filesystem::path{file}.parent_path().string();
    if (directory.empty()) {
        directory = ".";
    }
    struct stat status = {};
    if (stat(directory.c_str(), &status) != 0) {
        return fail(Errc::io,
                    "the policy " + file + " cannot be read: " + std::string{std::strerror(errno)});
    }
    return check_owner(file, directory, status);
}

/// Of a file that was checked: its name may mean another one by now.
Result<std::string> text_of(const FileDescriptor& opened, const std::string& file) {
    std::string text(most_bytes + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t count = read(opened.get(), text.data() + size, text.size() - size);
        if (count < 0 && errno != EINTR) {
            return fail(Errc::io, "the policy " + file +
                                      " cannot be read: " + std::string{std::strerror(errno)});
        }
        if (count == 0) {
            text.resize(size);
            return text;
        }
        size += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return fail(Errc::too_large, "the policy " + file + " has more than " +
                                     std::to_string(most_bytes) + " bytes; shorten it");
}

}  // namespace

Result<Policy> policy_from_toml(std::string_view text, std::string_view file) {
    return read_toml(text, file, read_keys);
}

Result<std::optional<Policy>> read_policy(const std::string& file) {
    const bool is_default = file.empty();
    if (is_default && geteuid() != 0) {
        return std::nullopt;
    }
    const std::string path = is_default ? default_policy_file : file;
    // Not blocking, because a pipe would wait for its other end.
    const FileDescriptor opened{
        open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
    if (!opened.is_open() && is_default && errno == ENOENT) {
        return std::nullopt;
    }
    if (!opened.is_open() && errno == ELOOP) {
        return unsafe(path, "it is a symbolic link", "name the file itself, or move it here");
    }
    struct stat status = {};
    if (!opened.is_open() || fstat(opened.get(), &status) != 0) {
        return fail(Errc::io,
                    "the policy " + path + " cannot be read: " + std::string{std::strerror(errno)});
    }
    if (!S_ISREG(status.st_mode)) {
        return unsafe(path, "it is not a regular file", "name a file");
    }
    if (auto safe = check_owner(path, path, status); !safe) {
        return tl::unexpected{safe.error()};
    }
    if (auto safe = check_directory_of(path); !safe) {
        return tl::unexpected{safe.error()};
    }
    return text_of(opened, path)
        .and_then([&](const std::string& text) { return policy_from_toml(text, path); })
        .map([](Policy policy) { return std::optional{std::move(policy)}; });
}

}  // namespace muster::agent
