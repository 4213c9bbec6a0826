#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

/// Asked about affinity groups, and the answers.
namespace muster {

struct GroupListRequest {
    std::string pattern = "*";

    friend bool operator==(const GroupListRequest&, const GroupListRequest&) = default;
};

struct GroupShowRequest {
    std::string name;

    friend bool operator==(const GroupShowRequest&, const GroupShowRequest&) = default;
};

/// A group that a wanted task names, or that some node ran last.
struct GroupView {
    std::string name;
    std::uint32_t tasks = 0;      ///< Wanted tasks that name it,
    std::uint32_t instances = 0;  ///< and their instances.
    std::uint32_t warm = 0;       ///< Nodes that ran it last,
    std::uint32_t idle = 0;       ///< and of these, those that run nothing of any group.

    friend bool operator==(const GroupView&, const GroupView&) = default;
};

struct GroupListReply {
    std::vector<GroupView> groups;

    friend bool operator==(const GroupListReply&, const GroupListReply&) = default;
};

/// A node that is warm for the group.
struct WarmNodeView {
    std::string node;
    bool idle = false;
    CivilMs started{};  ///< When its last instance of the group did, by the node's own clock.

    friend bool operator==(const WarmNodeView&, const WarmNodeView&) = default;
};

struct GroupShowReply {
    GroupView group;
    std::vector<std::string> tasks;
    std::vector<WarmNodeView> nodes;

    friend bool operator==(const GroupShowReply&, const GroupShowReply&) = default;
};

}  // namespace muster
