#include "coordinator/core/workload/workload.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

namespace muster::coordinator {
namespace {

StoredTask task(const std::string& name, std::uint32_t instances, std::uint64_t generation) {
    StoredTask stored;
    stored.wanted.name = name;
    stored.wanted.instances = instances;
    stored.wanted.spec.argv = {"/bin/true"};
    stored.generation = stored.created = Generation{generation};
    return stored;
}

}  // namespace

// Goal: each name has one dense index.
// Method: add tasks, find them by both.
TEST_CASE("a task is found by its name and by its index", "[workload]") {
    Workload workload;
    const TaskIndex web = workload.put(task("web", 3, 1));
    const TaskIndex api = workload.put(task("api", 2, 2));
    CHECK(workload.find("web") == web);
    CHECK_FALSE(workload.find("we"));
    CHECK(workload[api].name == "api");
    CHECK(workload.name(web) == "web");
    CHECK(workload.wanted() == std::vector<TaskIndex>{api, web});
    CHECK(workload.wanted_count() == 2);
}

// Goal: the counter bounds what this store can have ordered.
// Method: put, and raise it directly; it never falls.
TEST_CASE("the counter is the highest number seen", "[workload]") {
    Workload workload{Generation{5}};
    workload.put(task("web", 1, 3));
    CHECK(workload.counter() == Generation{5});
    workload.put(task("web", 1, 9));
    CHECK(workload.counter() == Generation{9});
    workload.raise_counter(Generation{7});
    CHECK(workload.counter() == Generation{9});
}

// Goal: a change is returned once, whatever its origin.
// Method: change a task twice, remove another, take the changed ones.
TEST_CASE("changes since the last call are returned once", "[workload]") {
    Workload workload;
    const TaskIndex web = workload.put(task("web", 1, 1));
    const TaskIndex api = workload.put(task("api", 1, 2));
    CHECK(workload.take_touched() == std::vector<TaskIndex>{web, api});
    workload.put(task("api", 2, 2));
    workload.put(task("api", 3, 2));
    CHECK(workload.take_touched() == std::vector<TaskIndex>{api});
    CHECK(workload.take_touched().empty());
    workload.unwant(web);
    CHECK(workload.take_touched() == std::vector<TaskIndex>{web});
}

// Goal: a name keeps its index exactly as long as it is known.
// Method: remove a task, release it, add another.
TEST_CASE("an index is used again after it was released", "[workload]") {
    Workload workload;
    const TaskIndex web = workload.put(task("web", 4, 1));
    CHECK(workload.intern("web") == web);
    workload.unwant(web);
    CHECK(workload.find("web") == web);
    CHECK_FALSE(workload[web].wanted);
    CHECK(workload[web].instances == 0);
    CHECK(workload.wanted_count() == 0);
    workload.release(web);
    CHECK_FALSE(workload.find("web"));
    CHECK(workload.intern("api") == web);
    CHECK(workload.name(web) == "api");
}

// Goal: a spec's digest changes with its generation.
// Method: scale, then change the spec.
TEST_CASE("the digest changes with the generation and not with the number", "[workload]") {
    Workload workload;
    StoredTask stored = task("web", 1, 1);
    const TaskIndex web = workload.put(stored);
    const Digest before = workload[web].digest;
    CHECK(before == digest_of(stored.wanted.spec));
    stored.wanted.instances = 9;
    workload.put(stored);
    CHECK(workload[web].digest == before);
    stored.wanted.spec.argv.emplace_back("-v");
    stored.generation = Generation{2};
    workload.put(stored);
    CHECK(workload[web].digest == digest_of(stored.wanted.spec));
    CHECK(workload[web].digest != before);
}

}  // namespace muster::coordinator
