// Where the cgroups of a host are, according to the kernel's files.

#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "agent/exec/cgroups/trees.hpp"

using namespace muster;
using namespace muster::agent;

namespace {

std::string cgroup2_at(const std::string& root, const std::string& place) {
    return "29 23 0:26 " + root + ' ' + place +
           " rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
}

}  // namespace

TEST_CASE("on a host with version 2 there is one tree, with the agent's own place in it",
          "[cgroups]") {
    CHECK(
        cgroup_trees("23 28 0:21 / /sys rw - sysfs sysfs rw\n" + cgroup2_at("/", "/sys/fs/cgroup"),
                     "0::/system.slice/muster-agent.service\n") ==
        std::vector<CgroupTree>{{2, {}, "/sys/fs/cgroup/system.slice/muster-agent.service"}});
}

// Method: version 1 as Debian 10 mounts it, beside the tree of version 2 without controllers.
TEST_CASE("on a hybrid host each hierarchy is a separate tree", "[cgroups]") {
    const std::string mounts =
        "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
        "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n" +
        cgroup2_at("/", "/sys/fs/cgroup/unified");
    const std::string own =
        "4:memory:/jobs/7\n"
        "2:cpu,cpuacct:/\n"
        "8:pids:/not/mounted\n"
        "0::/a\n";
    CHECK(cgroup_trees(mounts, own) ==
          std::vector<CgroupTree>{{1, {"memory"}, "/sys/fs/cgroup/memory/jobs/7"},
                                  {1, {"cpu", "cpuacct"}, "/sys/fs/cgroup/cpu,cpuacct"},
                                  {2, {}, "/sys/fs/cgroup/unified/a"}});
}

// Method: a container sees part of the tree as a whole, or a namespace, or another part.
TEST_CASE("a tree in which the agent's own place is not visible is left out", "[cgroups]") {
    const std::string place = "/sys/fs/cgroup";
    CHECK(cgroup_trees(cgroup2_at("/docker/ab", place), "0::/docker/ab/x\n") ==
          std::vector<CgroupTree>{{2, {}, "/sys/fs/cgroup/x"}});
    CHECK(cgroup_trees(cgroup2_at("/docker/ab", place), "0::/docker/ab\n") ==
          std::vector<CgroupTree>{{2, {}, "/sys/fs/cgroup"}});
    CHECK(cgroup_trees(cgroup2_at("/docker/ab", place), "0::/docker/abc\n").empty());
    CHECK(cgroup_trees(cgroup2_at("/", place), "0::/../other\n").empty());
}

TEST_CASE("in a tree that is mounted twice, the first mount that shows the agent's place counts",
          "[cgroups]") {
    const std::string mounts = cgroup2_at("/elsewhere", "/one") +
                               cgroup2_at("/", "/with\\040blank") + cgroup2_at("/", "/three");
    CHECK(cgroup_trees(mounts, "0::/\n") == std::vector<CgroupTree>{{2, {}, "/with blank"}});
}

TEST_CASE("a line of unknown form is skipped", "[cgroups]") {
    CHECK(cgroup_trees("", "").empty());
    CHECK(cgroup_trees("31 23 - cgroup2\n\n-\n", "0::/\n").empty());
    CHECK(cgroup_trees(cgroup2_at("/", "/x"), "nothing\n:\n0:\n").empty());
}
