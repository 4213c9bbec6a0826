#include "agent/exec/launch/identity.hpp"

#include <array>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>
#include <utility>

#include "common/base/number.hpp"

namespace muster::agent {

namespace {

constexpr int most_groups = 64;  // The most that a shim accepts.

// The user may be created later, or never on this host: the coordinator tries other hosts.
NoLaunch unknown(const std::string& what, const std::string& name) {
    return NoLaunch{permanent("there is no " + what + " '" + name +
                              "' on this host: make it, or name another")};
}

// Large enough for the longest entries.
using Buffer = std::array<char, 16 * 1024>;

tl::expected<Identity, LaunchFailure> user_named(const std::string& name) {
    passwd entry = {};
    passwd* found = nullptr;
    Buffer buffer;
    const auto number = number_in<uid_t>(name);
    const int error = number
                          ? getpwuid_r(*number, &entry, buffer.data(), buffer.size(), &found)
                          : getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr && number && error == 0) {
        return Identity{*number, static_cast<gid_t>(*number), {}, {}};  // A number needs no name.
    }
    if (found == nullptr) {
        return unknown("user", name);
    }
    Identity identity{entry.pw_uid, entry.pw_gid, {}, entry.pw_dir};
    std::array<gid_t, most_groups> groups{};
    int count = most_groups;
    getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count);
    identity.other_groups.assign(groups.begin(), groups.begin() + std::min(count, most_groups));
    return identity;
}

tl::expected<gid_t, LaunchFailure> group_named(const std::string& name) {
    group entry = {};
    group* found = nullptr;
    Buffer buffer;
    const auto number = number_in<gid_t>(name);
    if (number) {
        return *number;
    }
    getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr) {
        return unknown("group", name);
    }
    return entry.gr_gid;
}

}  // namespace

tl::expected<std::optional<Identity>, LaunchFailure> identity_of(const std::string& user,
                                                                 const std::string& group) {
    if (user.empty() && group.empty()) {
        return std::nullopt;
    }
    tl::expected<Identity, LaunchFailure> identity = Identity{geteuid(), getegid(), {}, {}};
    if (!user.empty()) {
        identity = user_named(user);
    }
    if (identity && !group.empty()) {
        const auto number = group_named(group);
        if (!number) {
            return NoLaunch{number.error()};
        }
        identity->group = *number;
    }
    if (!identity) {
        return NoLaunch{identity.error()};
    }
    const bool is_own = identity->user == geteuid() && identity->group == getegid();
    if (geteuid() != 0 && !is_own) {
        return NoLaunch{permanent("this agent runs as user " + std::to_string(geteuid()) +
                                  " and cannot start a task as user '" + user + "', group '" +
                                  group + "': run the agent as root, or leave both out")};
    }
    return is_own ? std::optional<Identity>{} : std::optional{std::move(*identity)};
}

}  // namespace muster::agent
