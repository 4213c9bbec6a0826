#include "coordinator/core/ledger/table.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/ledger/task_table.hpp"

namespace muster::coordinator {
namespace {

StoredTask task(const std::string& name, std::uint32_t instances) {
    StoredTask stored;
    stored.wanted.name = name;
    stored.wanted.instances = instances;
    stored.wanted.spec.argv = {"/bin/true"};
    stored.generation = Generation{1};
    stored.created = Generation{1};
    return stored;
}

StoredIntent listed(const std::string& name) {
    return {.name = name, .admission = Admission::listed};
}

std::vector<std::string> names_in(const TaskTable& tasks) {
    std::vector<std::string> names;
    tasks.each(
        [&](std::string_view name, const ProposedTask& /*task*/) { names.emplace_back(name); });
    return names;
}

}  // namespace

// Goal: pending writes are seen, and durable ones are seen once.
// Method: two writes to one task, confirmed one after the other.
TEST_CASE("the proposed state is the workload plus what is pending", "[proposed]") {
    Workload workload{Generation{1}};
    workload.put(task("a", 2));
    TaskTable tasks{DurableRows<StoredTask>{workload}};
    CHECK(tasks.count_soon().tasks == 1);
    CHECK(tasks.count_soon().instances == 2);
    tasks.propose(1, {.put = {task("b", 3)}, .erased = {}});
    tasks.propose(2, {.put = {}, .erased = {"b", "a"}});
    CHECK_FALSE(tasks.find("a"));
    CHECK_FALSE(tasks.find("b"));
    CHECK(names_in(tasks).empty());
    CHECK(tasks.count_soon().instances == 0);

    workload.put(task("b", 3));
    tasks.confirm(1);
    CHECK_FALSE(tasks.find("b"));
    workload.unwant(*workload.find("a"));
    workload.unwant(*workload.find("b"));
    tasks.confirm(2);
    CHECK(names_in(tasks).empty());
    CHECK(tasks.count_soon().tasks == 0);
    tasks.propose(3, {.put = {task("a", 7)}, .erased = {}});
    CHECK(names_in(tasks) == std::vector<std::string>{"a"});
}

// Goal: durable and proposed rows are separate, and both are counted.
// Method: rows are put, changed and withdrawn, durable later than proposed.
TEST_CASE("a table has its durable and its proposed rows", "[proposed]") {
    const std::vector<StoredIntent> stored{listed("n1")};
    Intents intents{DurableRows<StoredIntent>{stored}};
    const Rows<StoredIntent> first{
        .put = {StoredIntent{.name = "n1", .admission = Admission::removed}, listed("n2")},
        .erased = {}};
    const Rows<StoredIntent> second{.put = {StoredIntent{.name = "n2"}}, .erased = {}};
    intents.propose(1, first);
    CHECK(intents.durable("n1") == listed("n1"));
    CHECK(intents.proposed("n1").admission == Admission::removed);
    CHECK(is_removed(intents, "n1"));
    CHECK(intents.count() == RowCount<StoredIntent>{.listed = 1, .removed = 0});
    CHECK(intents.count_soon() == RowCount<StoredIntent>{.listed = 1, .removed = 1});
    intents.propose(2, second);
    CHECK(intents.count_soon() == RowCount<StoredIntent>{.listed = 0, .removed = 1});
    intents.propose_end(2, "n3");
    CHECK(is_removed(intents, "n3"));

    intents.apply(first);
    intents.confirm(1);
    CHECK(intents.durable("n2") == listed("n2"));
    CHECK(intents.proposed("n2") == StoredIntent{.name = "n2"});
    intents.apply(second);
    intents.confirm(2);
    CHECK_FALSE(is_removed(intents, "n3"));
    CHECK(intents.rows().find("n2") == nullptr);  // An empty row is not kept.
    CHECK(intents.count() == intents.count_soon());
}

}  // namespace muster::coordinator
