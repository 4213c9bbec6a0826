#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/generators.hpp"
#include "tests/scenarios/support.hpp"

// Properties of clusters of every shape: hosts, tasks, instances and remainders are drawn from the
// seed and change one after the other, without faults. Faults are in random_test.cpp.
namespace muster::sim {
namespace {

// Of each property. With sanitizers a third of a share: these took a sixth of all tests there.
constexpr std::uint64_t shapes = share_of(is_sanitized ? 1'000 : 3'400);
constexpr int changes = 6;                   // Of each shape.
constexpr Duration converges_within = 240s;  // A roll-out takes min_healthy for each copy.
constexpr Duration silence_noticed = 4s;
constexpr int most_windows = 20;
constexpr Duration window = 12s;  // Longer than min_healthy: a copy on trial is not at rest.

struct Sizes {
    std::uint32_t least_hosts = 1;
    std::uint32_t most_hosts = 1;
    bool rules = false;  ///< Hosts differ, and tasks have requirements.

    [[nodiscard]] std::uint32_t draw(Random& random) const {
        return least_hosts + static_cast<std::uint32_t>(random.below(most_hosts - least_hosts + 1));
    }
};

/// A small cluster with changes. After each of them it has converged and the load is even. Until
/// then no task had fewer instances than the change allows.
class RandomStory {
public:
    RandomStory(std::uint64_t seed, const Sizes& sizes)
        : random_{seed ^ 0x70726f70ULL},
          most_hosts_{sizes.most_hosts},
          rules_{sizes.rules},
          cluster_{{.seed = seed,
                    .nodes = sizes.draw(random_),
                    .offers = sizes.rules,
                    .compare_numbers = false}} {  // Slow; in random_test.cpp.
        const std::uint64_t tasks = 1 + random_.below(5);
        for (std::uint64_t task = 0; task < tasks; ++task) {
            want(name_of(task));
        }
        check_converged();
    }

    Cluster& cluster() { return cluster_; }
    Random& random() { return random_; }

    /// Makes one random change and waits until the cluster has converged.
    void change() {
        cluster_.trace().clear();
        floors_ = running_by_task();
        switch (random_.below(7)) {
            case 0: add_host(); break;
            case 1: kill_host(); break;
            case 2: boot_host(); break;
            case 3: remove_task(); break;
            default: want(any_task()); break;
        }
        check_converged();
    }

    /// Checks that everything wanted runs, as evenly as there is room, and that then nothing more
    /// happens.
    void check_converged() {
        const bool converged = cluster_.run_until(
            [&] {
                watch();
                return all_are_up() && cluster_.converged() && (rules_ || cluster_.balanced());
            },
            converges_within);
        if (!converged) {
            for (const std::string& difference : cluster_.differences()) {
                UNSCOPED_INFO(difference);
            }
            UNSCOPED_INFO(cluster_.trace().last(60));
        }
        REQUIRE(converged);
        // Moves are paced, so the load can be even for a moment before the plan is complete.
        for (int rounds = 0; rounds < 60 && status().moving > 0; ++rounds) {
            cluster_.run(1s);
        }
        cluster_.run(2s);  // Reports reach the coordinator.
        if (!too_few_.empty()) {
            UNSCOPED_INFO(cluster_.trace().text());
        }
        CHECK(too_few_.empty());
    }

    /// An executed plan is followed by an empty plan. With different hosts the test cannot know the
    /// final spread, only that there is one.
    void is_steady() {
        const std::string before = cluster_.trace().text();
        bool orders = true;
        for (int time = 0; orders && time < (rules_ ? most_windows : 1); ++time) {
            cluster_.trace().clear();
            cluster_.run(window);
            orders = cluster_.trace().contains(" batch ");
        }
        if (orders) {
            UNSCOPED_INFO(before << "and then\n" << cluster_.trace().text());
        }
        CHECK_FALSE(orders);
    }

    StatusReply status() {
        const auto question = cluster_.ask(StatusRequest{});
        cluster_.run(100ms);
        REQUIRE(cluster_.answer(question).has_value());
        return std::get<StatusReply>(*cluster_.answer(question)->result);
    }

    /// Checks that exactly the instances without room are unplaced, with a reason.
    void check_unplaced() {
        const StatusReply status = this->status();
        std::size_t unplaced = 0;
        std::size_t wanted = 0;
        for (const coordinator::StoredTask& task : cluster_.store().tasks) {
            unplaced += task.wanted.instances - cluster_.running(task.wanted.name);
            wanted += task.wanted.instances;
        }
        CHECK(status.wanted == wanted);
        CHECK(status.unplaced == unplaced);
        std::size_t explained = 0;
        for (const UnplacedReason& reason : status.unplaced_reasons) {
            explained += reason.count;
            CHECK_FALSE(reason.code.empty());
        }
        CHECK(explained == unplaced);
        CHECK(status.serving == hosts_up());
    }

    /// Adds a host and checks that the load is even again with the fewest possible starts.
    void moves_the_fewest_to_a_new_host() {
        if (hosts_up() == 0 || cluster_.labels().size() > most_hosts_ || is_short()) {
            return;
        }
        floors_ = running_by_task();
        const auto before = processes();
        cluster_.trace().clear();
        std::vector<std::size_t> loads{0};
        for (const std::string& label : cluster_.labels()) {
            if (cluster_.in_reach(label)) {
                loads.push_back(cluster_.running_on(label));
            }
        }
        add_host();
        check_converged();
        std::size_t begun = 0;
        for (const TrueProcess process : processes()) {
            begun += std::size_t{!before.contains(process)};
        }
        INFO(cluster_.trace().text());
        CHECK(begun == fewest_moves(loads));
    }

private:
    // With equal nodes the r fullest keep one more than the others; the surplus moves.
    static std::size_t fewest_moves(std::vector<std::size_t> loads) {
        std::size_t total = 0;
        for (const std::size_t load : loads) {
            total += load;
        }
        std::sort(loads.rbegin(), loads.rend());
        const std::size_t floor = total / loads.size();
        const std::size_t remainder = total % loads.size();
        std::size_t moves = 0;
        for (std::size_t at = 0; at < loads.size(); ++at) {
            const std::size_t share = floor + (at < remainder ? 1 : 0);
            moves += loads[at] - std::min(loads[at], share);
        }
        return moves;
    }

    static std::string name_of(std::uint64_t task) { return "t" + std::to_string(task); }
    std::string any_task() { return name_of(random_.below(6)); }

    std::size_t hosts_up() const {
        const auto labels = cluster_.labels();
        return static_cast<std::size_t>(
            std::count_if(labels.begin(), labels.end(),
                          [&](const std::string& label) { return cluster_.in_reach(label); }));
    }
    bool all_are_up() const {
        const auto labels = cluster_.labels();
        return std::all_of(labels.begin(), labels.end(), [&](const std::string& label) {
            return cluster_.in_reach(label) || !cluster_.host(label).is_powered();
        });
    }
    bool is_short() const {
        const auto& tasks = cluster_.store().tasks;
        return std::any_of(tasks.begin(), tasks.end(), [&](const coordinator::StoredTask& task) {
            return task.wanted.instances > cluster_.running(task.wanted.name);
        });
    }
    std::set<TrueProcess> processes() const {
        std::set<TrueProcess> found;
        for (const auto& [number, process] : cluster_.truth().processes()) {
            found.insert(number);
        }
        return found;
    }
    std::map<std::string, std::size_t> running_by_task() const {
        std::map<std::string, std::size_t> running;
        for (const coordinator::StoredTask& task : cluster_.store().tasks) {
            running[task.wanted.name] = cluster_.running(task.wanted.name);
        }
        return running;
    }

    std::size_t running_below(const std::string& task, Ordinal instances) const {
        const auto& all = cluster_.truth().processes();
        return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& it) {
            return it.second.id.task == task && it.second.id.ordinal < instances;
        }));
    }

    // ---- changes ----

    void want(const std::string& task) {
        TaskSpec spec = serving();
        // The same version, or a roll-out, during which one instance may be missing at a time.
        spec.argv.emplace_back(random_.chance(1, 4) ? "new" : "old");
        spec.max_per_node = random_.chance(1, 4) ? 2 : 1;
        const auto instances = static_cast<std::uint32_t>(random_.below(hosts_up() + 3));
        // The highest ordinals do not stay, whether or not the others run.
        const std::size_t room = hosts_up() * spec.max_per_node;
        floors_[task] = std::min({floors_[task], running_below(task, instances), room});
        floors_[task] -= std::min<std::size_t>(floors_[task], 1);
        ApplyRequest request;
        request.tasks.push_back({task, instances, spec, {}});
        if (rules_) {
            request.tasks.front().place = any_rule(random_);
            request.tasks.front().place.every_node = false;
        }
        cluster_.ask(std::move(request));
    }
    void remove_task() {
        const std::string task = any_task();
        floors_.erase(task);
        cluster_.remove(task);
    }
    void add_host() {
        if (cluster_.labels().size() <= most_hosts_) {
            cluster_.add_host("m" + std::to_string(cluster_.labels().size()),
                              rules_ ? any_offer(random_) : Offer{});
        }
    }
    void kill_host() {
        const auto labels = cluster_.labels();
        const std::string& label = labels[random_.below(labels.size())];
        if (cluster_.host(label).is_powered()) {
            cluster_.kill_host(label);
            for (auto& [task, floor] : floors_) {
                floor = std::min(floor, cluster_.running(task));
            }
            cluster_.run(silence_noticed);
            if (cluster_.is_frozen()) {  // The change may silence too many of few hosts.
                cluster_.ask(FreezeOffRequest{{.reason = "it is dead", .author = "op"}});
            }
        }
    }
    void boot_host() {
        for (const std::string& label : cluster_.labels()) {
            if (!cluster_.host(label).is_powered()) {
                cluster_.boot_host(label);
                return;
            }
        }
    }

    // Fewer instances may run after a rule removed some, so this check is only for clusters without
    // rules.
    void watch() {
        if (rules_) {
            return;
        }
        for (const auto& [task, floor] : floors_) {
            if (cluster_.running(task) < floor) {
                too_few_.insert(task);
            }
        }
    }

    Random random_;
    std::size_t most_hosts_;
    bool rules_;
    Cluster cluster_;
    std::map<std::string, std::size_t> floors_;  ///< The fewest running instances of each task.
    std::set<std::string> too_few_;
};

void live_through(const Sizes& sizes) {
    for (std::uint64_t seed = 1; seed <= shapes; ++seed) {
        CAPTURE(seed);
        RandomStory story{seed, sizes};
        for (int at = 0; at < changes; ++at) {
            CAPTURE(at);
            story.change();
            story.is_steady();
            story.check_unplaced();
        }
        if (!sizes.rules) {
            story.moves_the_fewest_to_a_new_host();
        }
        require_no_violations(story.cluster());
    }
}

}  // namespace

// Goal: the balance keeps its promises for every number of hosts, tasks, instances and remainder.
// Method: random shapes and changes; the fewest moves are computed from the loads alone.
TEST_CASE("on one or two hosts each change ends evenly, whole, steady and by the fewest moves",
          "[scenario][properties][SP-1][SP-2][SP-3][SP-4][SP-5]") {
    live_through({.least_hosts = 1, .most_hosts = 2});
}

TEST_CASE("on three to five hosts each change ends evenly, whole, steady and by the fewest moves",
          "[scenario][properties][SP-1][SP-2][SP-3][SP-4][SP-5]") {
    live_through({.least_hosts = 3, .most_hosts = 5});
}

TEST_CASE("on six to nine hosts each change ends evenly, whole, steady and by the fewest moves",
          "[scenario][properties][SP-1][SP-2][SP-3][SP-4][SP-5]") {
    live_through({.least_hosts = 6, .most_hosts = 9});
}

// Goal: the same with placement rules, except for the balance, which is then a local improvement.
// Method: hosts have labels, pools and slots, and tasks require them. An unplaced instance has no
// room on any host, and no instance is on an unsuitable host.
TEST_CASE("with any requirements of tasks, each change ends whole and steady",
          "[scenario][properties][placement][SP-3][SP-5]") {
    live_through({.least_hosts = 2, .most_hosts = 6, .rules = true});
}

}  // namespace muster::sim
