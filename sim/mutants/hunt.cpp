#include "sim/mutants/hunt.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "common/base/ensure.hpp"
#include "sim/faults/child.hpp"
#include "sim/program/random_run.hpp"

namespace muster::sim {

namespace {

/// A run that takes longer never ends: normal runs take seconds.
constexpr unsigned longest_run_seconds = 120;

using Name = std::array<char, 24>;

Name name_of(const std::string& text) {
    Name name{};
    text.copy(name.data(), name.size() - 1);
    return name;
}

/// A message through the pipe.
struct Sign {
    std::uint64_t seed = 0;
    std::uint64_t seeds = 0;
    std::uint64_t false_alarms = 0;
    double seconds = 0;
    Name checker{};  ///< Empty: the run of this seed begins, or no checker found anything.
};
static_assert(std::is_trivially_copyable_v<Sign>);

RandomRun run_for(const Mutant& mutant, std::uint64_t seed) {
    RandomRun run = drawn_run(seed);
    run.nodes = mutant.nodes > 0 ? mutant.nodes : run.nodes;
    if (mutant.seconds > 0) {
        run.faults_last = std::chrono::seconds{mutant.seconds};
    }
    if (!mutant.faults.empty()) {
        const auto faults = FaultSet::parse(mutant.faults);
        ensure(faults.has_value(), "the list of mutants names only known faults");
        run.faults = *faults;
    }
    return run;
}

/// Runs seed after seed under the mutant, until a promise is broken.
[[noreturn]] void run_seeds(const Mutant& mutant, std::uint64_t seed, std::uint64_t end, int to) {
    static_cast<void>(std::freopen("/dev/null", "w", stderr));  // Hides texts of ensure().
    activate(&mutant);
    for (Sign sign; seed < end; ++seed) {
        sign.seed = seed;
        alarm(longest_run_seconds);
        if (write_all(to, bytes_of(sign)) != 0) {
            break;
        }
        const RunResult result = carry_out(run_for(mutant, seed));
        if (!result.is_good()) {
            sign.checker = name_of(result.broken());
            static_cast<void>(write_all(to, bytes_of(sign)));
            break;
        }
    }
    _exit(0);
}

std::string ending_of(int status) {
    if (!WIFSIGNALED(status)) {
        return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit {}", WEXITSTATUS(status));
    }
    switch (WTERMSIG(status)) {
        case SIGABRT: return "ensure";
        case SIGALRM: return "no end";
        default: return fmt::format("signal {}", WTERMSIG(status));
    }
}

/// The last message of a child that runs seeds from this one on.
Sign hunt_from(const Mutant& mutant, std::uint64_t seed, std::uint64_t end) {
    const Child child = begin_child([&](int to) { run_seeds(mutant, seed, end, to); });
    ensure(child.pid > 0, "a process can be made");
    Sign last;
    for (Sign next; read_all(child.words.get(), &next, sizeof next);) {
        last = next;
    }
    int status = 0;
    waitpid(child.pid, &status, 0);
    if (last.checker.front() == '\0') {
        last.checker = name_of(ending_of(status));
    }
    return last;
}

Sign hunt_one(const HuntOptions& options, const Mutant& mutant) {
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t end = options.first + options.seeds;
    Sign found;
    for (std::uint64_t seed = options.first; seed < end;) {
        const std::uint64_t false_alarms = found.false_alarms;
        found = hunt_from(mutant, seed, end);
        found.false_alarms = false_alarms;
        if (found.checker.front() == '\0' || carry_out(run_for(mutant, found.seed)).is_good()) {
            break;
        }
        found.checker = {};  // The seed is broken without the mutant, too.
        ++found.false_alarms;
        seed = found.seed + 1;
    }
    found.seeds = found.seed - options.first + 1;
    found.seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - began}.count();
    return found;
}

Hunted hunted_of(const Mutant& mutant, const Sign& sign) {
    Hunted hunted{.mutant = &mutant,
                  .checker = sign.checker.data(),
                  .seeds = sign.seeds,
                  .false_alarms = sign.false_alarms,
                  .seconds = sign.seconds,
                  .again = {}};
    if (!hunted.checker.empty()) {
        hunted.again =
            fmt::format("{} --mutant {}", command_of(run_for(mutant, sign.seed)), mutant.name);
    }
    return hunted;
}

}  // namespace

Result<void> hunt(const HuntOptions& options, const std::vector<const Mutant*>& mutants,
                  const std::function<void(const Hunted&)>& on_done) {
    struct Hunter {
        const Mutant* mutant = nullptr;
        Child child;
    };
    std::vector<Hunter> hunters;
    auto next = mutants.begin();
    while (next != mutants.end() || !hunters.empty()) {
        while (next != mutants.end() && hunters.size() < options.jobs) {
            const Mutant* const mutant = *next++;
            hunters.push_back({mutant, begin_child([&](int to) {
                                   const Sign sign = hunt_one(options, *mutant);
                                   static_cast<void>(write_all(to, bytes_of(sign)));
                               })});
            if (hunters.back().child.pid < 0) {
                return fail(Errc::io,
                            fmt::format("cannot create a process: {}", std::strerror(errno)));
            }
        }
        std::vector<pollfd> files;
        files.reserve(hunters.size());
        for (const Hunter& hunter : hunters) {
            files.push_back({hunter.child.words.get(), POLLIN, 0});
        }
        poll(files.data(), files.size(), -1);
        for (std::size_t at = files.size(); at-- > 0;) {
            if (files[at].revents == 0) {
                continue;
            }
            const Hunter hunter = std::move(hunters[at]);
            hunters.erase(hunters.begin() + static_cast<std::ptrdiff_t>(at));
            Sign sign;
            if (!read_all(hunter.child.words.get(), &sign, sizeof sign)) {
                return fail(Errc::io, fmt::format("the hunt for {} ended by itself; its seeds may "
                                                  "end the simulator without it, too",
                                                  hunter.mutant->name));
            }
            waitpid(hunter.child.pid, nullptr, 0);
            on_done(hunted_of(*hunter.mutant, sign));
        }
    }
    return {};
}

}  // namespace muster::sim
