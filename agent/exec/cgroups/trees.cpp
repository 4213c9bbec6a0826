#include "agent/exec/cgroups/trees.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "common/base/read_file.hpp"

namespace muster::agent {

namespace {

/// The relevant fields of a line of mountinfo.
struct CgroupMount {
    int version = 2;
    std::string root;               ///< The root of the mount within the hierarchy.
    std::string place;              ///< The mount point.
    std::set<std::string> options;  ///< Version 1: the controllers are among them.
};

std::set<std::string> parts_of(const std::string& text) {
    std::istringstream stream{text};
    std::set<std::string> parts;
    for (std::string part; std::getline(stream, part, ',');) {
        parts.insert(part);
    }
    return parts;
}

// The kernel escapes blanks and backslashes as three octal digits.
std::string unescaped(const std::string& text) {
    const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string digits = text[i] == '\\' ? text.substr(i + 1, 3) : "";
        if (digits.size() == 3 && std::ranges::all_of(digits, is_octal)) {
            plain += static_cast<char>(std::stoi(digits, nullptr, 8));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

// "31 23 0:28 /root /place options optional... - type source options"
std::optional<CgroupMount> mount_of(const std::string& line) {
    std::istringstream stream{line};
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 6 || words.end() - dash < 4) {
        return std::nullopt;
    }
    const std::string& type = *(dash + 1);
    if (type != "cgroup" && type != "cgroup2") {
        return std::nullopt;
    }
    return CgroupMount{type == "cgroup" ? 1 : 2, unescaped(words[3]), unescaped(words[4]),
                       parts_of(*(dash + 3))};
}

/// Our place in a hierarchy, "4:memory:/path". In version 2 the list of controllers is empty.
struct OwnPlace {
    std::set<std::string> controllers;
    std::string path;
};

std::optional<OwnPlace> own_place_of(const std::string& line) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
        return std::nullopt;
    }
    return OwnPlace{parts_of(line.substr(first + 1, second - first - 1)), line.substr(second + 1)};
}

// Nothing: the mount shows another part of the hierarchy.
std::optional<std::string> directory_of(const CgroupMount& mount, const std::string& path) {
    const std::string root = mount.root == "/" ? "" : mount.root;
    const bool is_below =
        path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
    if (!is_below || path.starts_with("/..")) {
        return std::nullopt;
    }
    const std::string rest = path.substr(root.size());
    return rest == "/" ? mount.place : mount.place + rest;
}

template <class Take>
void for_each_line(std::string_view text, Take take) {
    std::istringstream stream{std::string{text}};
    for (std::string line; std::getline(stream, line);) {
        if (auto found = take(line)) {
            return;
        }
    }
}

bool is_of(const CgroupMount& mount, const OwnPlace& own) {
    return mount.version == 2
               ? own.controllers.empty()
               : !own.controllers.empty() && std::ranges::includes(mount.options, own.controllers);
}

}  // namespace

std::vector<CgroupTree> cgroup_trees(std::string_view mounts, std::string_view own) {
    std::vector<CgroupTree> trees;
    for_each_line(own, [&](const std::string& line) {
        const auto place = own_place_of(line);
        for_each_line(mounts, [&](const std::string& mounted) {
            const auto mount = place ? mount_of(mounted) : std::nullopt;
            const auto directory =
                mount && is_of(*mount, *place) ? directory_of(*mount, place->path) : std::nullopt;
            if (directory) {
                trees.push_back({mount->version, place->controllers, *directory});
            }
            return directory.has_value();
        });
        return false;
    });
    return trees;
}

std::vector<CgroupTree> cgroup_trees_of_process() {
    const auto text_of = [](const char* path) { return read_file(path, unbounded).value_or(""); };
    return cgroup_trees(text_of("/proc/self/mountinfo"), text_of("/proc/self/cgroup"));
}

}  // namespace muster::agent
