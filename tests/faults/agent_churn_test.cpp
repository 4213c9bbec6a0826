#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <time.h>
#include <vector>

#include "common/random.hpp"
#include "tests/integration/harness.hpp"

// kill -9 of the agent at random moments, while operators change what is wanted.
namespace muster::faults {

namespace {

namespace fs = std::filesystem;
using integration::Cluster;
using integration::Json;
using integration::until;

std::size_t kills() {
    const char* const text = std::getenv("TEST_KILLS");
    return text == nullptr ? 50 : std::strtoul(text, nullptr, 10);
}

void pass(std::uint64_t microseconds) {
    const timespec time{.tv_sec = static_cast<time_t>(microseconds / 1'000'000),
                        .tv_nsec = static_cast<long>(microseconds % 1'000'000 * 1'000)};
    nanosleep(&time, nullptr);
}

std::size_t entries(const fs::path& directory) {
    std::error_code error;
    const fs::directory_iterator all{directory, error};
    return error ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Of processes, wherever the kernel lists its groups.
std::size_t cgroups_of(const std::string& agent) {
    std::size_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at{"/sys/fs/cgroup", error}, last; at != last && !error;
         at.increment(error)) {
        const bool is_ours = at->path().filename().string().find(agent) != std::string::npos;
        count += at->is_directory(error) && is_ours ? 1U : 0U;
    }
    return count;
}

/// What its open files are, as `3 x socket:`.
std::map<std::string, std::size_t> files_of(pid_t process) {
    std::map<std::string, std::size_t> files;
    std::error_code error;
    for (const auto& entry :
         fs::directory_iterator{"/proc/" + std::to_string(process) + "/fd", error}) {
        const std::string file = fs::read_symlink(entry.path(), error).string();
        ++files[file.substr(0, file.find(":["))];
    }
    return files;
}

/// What an agent holds of its host: it is the same for the same work.
struct Holding {
    std::size_t shims = 0;
    std::map<std::string, std::size_t> files;
    std::size_t sockets = 0;
    std::size_t ends = 0;
    std::size_t secrets = 0;
    std::size_t cgroups = 0;

    friend bool operator==(const Holding&, const Holding&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Holding& holding) {
        out << holding.shims << " shims, " << holding.sockets << " sockets, " << holding.ends
            << " ends, " << holding.secrets << " secrets, " << holding.cgroups << " cgroups";
        for (const auto& [file, count] : holding.files) {
            out << ", " << count << " x " << file;
        }
        return out;
    }
};

/// One node under churn, with tasks that nobody touches.
class Churn {
public:
    static constexpr std::size_t untouched = 10;

    Churn() {
        cluster_.apply({stays_});
        REQUIRE(cluster_.wait("stays"));
        pids_ = cluster_.pids("stays", untouched);
        restart();
        before_ = settled_holding();
    }

    void kill_once() {
        disturb();
        pass(random_.below(60'000));
        cluster_.kill_agent("n1");
        cluster_.start_agent("n1");
        pass(random_.below(20'000));
    }
    void check() {
        // So many lives in so short a time count against a node, rightly.
        REQUIRE(until([&] {
            static_cast<void>(cluster_.ask({{"verb", "node forgive"}, {"pattern", "n1"}}));
            return cluster_.status().at("converged").get<bool>();
        }));
        CHECK(cluster_.pids("stays", untouched) == pids_);
        const Json answer = cluster_.ask({{"verb", "task list"}});
        for (const auto& task : answer.at("tasks")) {
            const Json instances = cluster_.instances_of(task.at("name"));
            for (const auto& instance : instances) {
                CHECK(instance.at("restarts") == 0);
            }
        }
    }
    /// With all work of the churn gone there is what there was before it.
    void end() {
        cluster_.apply({stays_}, true);
        check();
        CHECK(until([&] { return cluster_.tasks().size() == untouched; }));
        restart();
        Holding last;
        static_cast<void>(until([&] { return (last = holding()) == before_; }));
        CHECK(last == before_);
    }

private:
    void restart() {
        cluster_.kill_agent("n1");
        cluster_.start_agent("n1");
        REQUIRE(cluster_.serving(1));
    }
    [[nodiscard]] Json task(std::uint64_t number, std::uint32_t instances) {
        auto made = cluster_.task("churn" + std::to_string(number), instances);
        made["max_per_node"] = 8;
        made["env"]["ROUND"] = std::to_string(random_.below(3));
        made["grace_ms"] = 1'000;
        made["limits"] = {{"pids", 64}};
        return made;
    }
    /// One or two changes of what is wanted.
    void disturb() {
        for (std::uint64_t left = 1 + random_.below(2); left > 0; --left) {
            const std::uint64_t number = random_.below(4);
            if (random_.chance(1, 6)) {
                static_cast<void>(cluster_.ask(
                    {{"verb", "task remove"}, {"pattern", "churn" + std::to_string(number)}}));
            } else {
                cluster_.apply({task(number, static_cast<std::uint32_t>(random_.below(5)))});
            }
        }
    }
    [[nodiscard]] Holding holding() {
        const fs::path run{cluster_.directory() + "/run"};
        const fs::path state{cluster_.directory() + "/state/agents/n1"};
        return {.shims = cluster_.shims_of("n1").size(),
                .files = files_of(cluster_.agent("n1").pid()),
                .sockets = entries(run / "agents/n1.shims"),
                .ends = entries(state / "ends"),
                .secrets = entries(fs::path{run.string() + "-secrets"} / "n1"),
                .cgroups = cgroups_of(home())};
    }
    /// As in the names of its groups.
    [[nodiscard]] std::string home() {
        const auto shims = cluster_.shims_of("n1");
        const std::string mark{shims.at(0).variable("MUSTER_PROCESS")};
        return mark.substr(0, mark.find('/'));
    }
    /// The same for a while: for a moment an agent has a file open that it reads.
    [[nodiscard]] Holding settled_holding() {
        Holding last = holding();
        std::size_t same = 0;
        REQUIRE(until([&] {
            const Holding next = holding();
            same = next == last ? same + 1 : 0;
            last = next;
            return same == 10;
        }));
        return last;
    }

    Cluster cluster_{{.nodes = {"n1"}, .term = "50ms"}};
    Json stays_ = [this] {
        auto made = cluster_.task("stays", untouched);
        made["max_per_node"] = untouched;
        made["limits"] = {{"pids", 64}};
        return made;
    }();
    std::vector<pid_t> pids_;
    Holding before_;
    Random random_{4};
};

}  // namespace

// Goal: an agent may be killed at any moment, and no task, file or process shows it.
TEST_CASE("an agent that is killed at random under churn restarts nothing and leaks nothing",
          "[integration][faults][S14]") {
    Churn churn;
    for (std::size_t kill = 1; kill <= kills(); ++kill) {
        CAPTURE(kill);
        churn.kill_once();
        if (kill % 10 == 0) {
            churn.check();
        }
    }
    churn.end();
}

}  // namespace muster::faults
