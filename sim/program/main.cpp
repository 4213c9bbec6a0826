#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/terminal.hpp"
#include "common/base/process.hpp"
#include "sim/mutants/hunt.hpp"
#include "sim/mutants/mutants.hpp"
#include "sim/program/arguments.hpp"
#include "sim/program/random_run.hpp"
#include "sim/program/speed.hpp"
#include "sim/scenario/report.hpp"

// muster-sim: runs simulated clusters and says which promises were broken.
//
//     muster-sim soak --seeds 10000 --jobs 2   random operations and faults, then healing, for each
//     muster-sim replay 17 --trace             one of these runs again, with its whole trace
//     muster-sim replay FILE                   replays what a coordinator recorded
//     muster-sim run rack.toml                 a written scenario, and the cost of each step
//     muster-sim shrink 17                     a smaller run that breaks the same promise
//     muster-sim mutants                       whether deliberate bugs are found (special build)
//     muster-sim speed --nodes 100             how much faster than real time a quiet one runs
//     muster-sim pools demand.csv              how predictors would have sized a pool
//
// Exit codes: 0 all is well, 1 a promise was broken, 2 the command cannot be carried out.

namespace {

using namespace muster;
using namespace muster::sim;

constexpr int broken_code = 1;
constexpr auto between_lines = std::chrono::milliseconds{500};

int refuse(const std::string& why) {
    fmt::print(stderr, "muster-sim: {}\n", why);
    return error_code;
}

/// The end of a run's command if a mutant is active.
std::string with_mutant(const Arguments& arguments) {
    return arguments.mutants.empty() ? "" : " --mutant " + arguments.mutants.front();
}

double days(Duration time) { return std::chrono::duration<double>{time}.count() / 86'400; }

int run_soak(const Arguments& arguments) {
    using Clock = std::chrono::steady_clock;
    const bool is_terminal = isatty(STDERR_FILENO) == 1;
    const auto began = Clock::now();
    auto last_line = began;
    const auto result = soak(
        {.first = arguments.seed,
         .seeds = arguments.seeds,
         .jobs = arguments.jobs,
         .run_of = [&](std::uint64_t seed) { return arguments.chosen.run_of(seed); }},
        [&](const SoakResult& so_far, const std::string& words) {
            if (!words.empty()) {
                fmt::print("{}", words);
                if (!arguments.mutants.empty()) {
                    fmt::print("with{}\n", with_mutant(arguments));
                }
                std::fflush(stdout);
            }
            if (is_terminal && Clock::now() - last_line >= between_lines) {
                last_line = Clock::now();
                fmt::print(stderr, "\r{} of {} seeds, {} broken, {:.1f} simulated days\033[K",
                           so_far.done, arguments.seeds, so_far.broken, days(so_far.simulated));
            }
        });
    if (is_terminal) {
        fmt::print(stderr, "\r\033[K");
    }
    if (!result) {
        return refuse(result.error().detail);
    }
    const std::chrono::duration<double> took = Clock::now() - began;
    fmt::print("{} of {} seeds broken; {:.2f} simulated days in {:.0f} s\n", result->broken,
               result->done, days(result->simulated), took.count());
    return result->broken == 0 ? 0 : broken_code;
}

int run_replay_file(const Arguments& arguments) {
    const auto is_same = replay_file(arguments.replay);
    if (!is_same) {
        return refuse(arguments.replay.file + ": " + is_same.error().detail);
    }
    return *is_same ? 0 : broken_code;
}

int run_replay(const Arguments& arguments) {
    RandomRun run = arguments.chosen.run_of(arguments.seed);
    run.keep_routine = arguments.routine;
    run.hash_outputs = true;
    run.record = arguments.record;
    const RunResult result = carry_out(run);
    if (arguments.trace) {
        fmt::print("{}", result.trace);
    }
    for (const std::string& violation : result.violations) {
        fmt::print("{}\n", violation);
    }
    fmt::print("seed {}: {}, {} nodes, faults {}, trace {:016x}, outputs {:016x}\n", run.seed,
               result.is_good() ? "good" : "BROKEN " + result.broken(), run.nodes,
               run.faults.text(), result.hash, result.outputs_hash);
    if (result.not_recorded) {
        return refuse("--record: " + *result.not_recorded);
    }
    return result.is_good() ? 0 : broken_code;
}

int run_scenario(const Arguments& arguments) {
    auto scenario = read_scenario(arguments.scenario);
    if (!scenario) {
        return refuse(scenario.error().detail);
    }
    scenario->options.seed = arguments.scenario_seed.value_or(scenario->options.seed);
    scenario->options.keep_routine = arguments.routine;
    const ScenarioResult result = play(*scenario, {.trace = arguments.trace});
    const bool is_json = arguments.output == "json";
    if (arguments.trace) {
        fmt::print(is_json ? stderr : stdout, "{}", result.trace);
    }
    const bool colours = cli::detect_terminal().colours;
    fmt::print("{}", is_json ? to_json(*scenario, result) : to_text(*scenario, result, colours));
    return result.is_good() ? 0 : broken_code;
}

int run_shrink(const Arguments& arguments) {
    const RandomRun run = arguments.chosen.run_of(arguments.seed);
    const auto judge = [](const RandomRun& tried) { return carry_out(tried).broken(); };
    const std::string promise = judge(run);
    if (promise.empty()) {
        return refuse(
            fmt::format("seed {} breaks no promise, so there is nothing to shrink", run.seed));
    }
    const RandomRun least = shrink(run, judge, [](const RandomRun& smaller) {
        fmt::print(stderr, "{} nodes, {} s, {}\n", smaller.nodes, to_ms(smaller.faults_last) / 1000,
                   smaller.faults.text());
    });
    fmt::print("{}: {}{}\n", promise, command_of(least), with_mutant(arguments));
    return 0;
}

int run_speed(const Arguments& arguments) {
    const std::uint32_t nodes = arguments.chosen.nodes.value_or(100);
    const std::chrono::seconds span{arguments.chosen.seconds.value_or(60)};
    const auto times = speed_of(nodes, span, arguments.seed);
    if (!times) {
        fmt::print(stderr, "muster-sim: {}\n", times.error().detail);
        return broken_code;
    }
    fmt::print("{} nodes, {} tasks: {:.0f} times real time\n", nodes, 10 * nodes, *times);
    return 0;
}

/// The mutants with these names, or all that are hunted. An error says what is wrong with a name.
Result<std::vector<const Mutant*>> named_mutants(const std::vector<std::string>& names) {
    if (mutants().empty()) {
        return fail(Errc::invalid,
                    "this build has no mutants; one that has is made by "
                    "'cmake --preset mutants && cmake --build --preset mutants'");
    }
    std::vector<const Mutant*> chosen;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(mutants(), name, &Mutant::name);
        if (found == mutants().end()) {
            return fail(Errc::invalid,
                        "'" + name + "' is not a mutant; see 'muster-sim mutants --list'");
        }
        chosen.push_back(&*found);
    }
    if (names.empty()) {
        for (const Mutant& mutant : mutants()) {
            if (mutant.is_hunted) {
                chosen.push_back(&mutant);
            }
        }
    }
    return chosen;
}

int run_mutants(const Arguments& arguments) {
    const auto chosen = named_mutants(arguments.mutants);
    if (!chosen) {
        return refuse(chosen.error().detail);
    }
    if (arguments.lists) {
        for (const Mutant* const mutant : *chosen) {
            fmt::print("{:40} {}\n{:40} {}\n", mutant->name, mutant->file, "", mutant->why);
        }
        return 0;
    }
    std::vector<double> times;
    fmt::print("{:40} {:10} {:>6} {:>7}\n", "MUTANT", "CAUGHT BY", "SEEDS", "SECONDS");
    const auto hunted = hunt(arguments.hunt, *chosen, [&](const Hunted& one) {
        const bool is_caught = !one.checker.empty();
        fmt::print("{:40} {:10} {:6} {:7.1f}  {}\n", one.mutant->name,
                   is_caught ? one.checker : "NOTHING", one.seeds, one.seconds,
                   is_caught ? one.again : "not caught");
        if (one.false_alarms > 0) {
            fmt::print("  {} of these seeds are broken without it, too\n", one.false_alarms);
        }
        if (is_caught) {
            times.push_back(one.seconds);
        }
    });
    if (!hunted) {
        return refuse(hunted.error().detail);
    }
    std::ranges::sort(times);
    fmt::print("{} of {} mutants caught", times.size(), chosen->size());
    if (!times.empty()) {
        fmt::print("; median {:.1f} s, slowest {:.1f} s", times[times.size() / 2], times.back());
    }
    fmt::print("\n");
    return times.size() == chosen->size() ? 0 : broken_code;
}

int run_pools(const Arguments& arguments) {
    const auto table = try_pools(arguments.pools, cli::detect_terminal().colours);
    if (!table) {
        return refuse(table.error().detail);
    }
    fmt::print("{}", *table);
    return 0;
}

int run(const Arguments& arguments) {
    // Line buffered, so that no output is lost when an ensure() ends the process.
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    if (arguments.command != Command::mutants && !arguments.mutants.empty()) {
        const auto chosen = named_mutants({arguments.mutants.front()});
        if (!chosen) {
            return refuse("--mutant: " + chosen.error().detail);
        }
        activate(chosen->front());
    }
    switch (arguments.command) {
        case Command::soak: return run_soak(arguments);
        case Command::replay: return run_replay(arguments);
        case Command::replay_file: return run_replay_file(arguments);
        case Command::shrink: return run_shrink(arguments);
        case Command::mutants: return run_mutants(arguments);
        case Command::run: return run_scenario(arguments);
        case Command::speed: return run_speed(arguments);
        case Command::pools: return run_pools(arguments);
    }
    return error_code;
}

}  // namespace

int main(int argc, char** argv) {
    muster::hold_standard_files();
    std::signal(SIGXFSZ, SIG_IGN);  // At a file size limit the write fails instead.
    std::error_code failed;
    int code = 0;
    try {
        const auto read = read_arguments(argc, argv);
        const auto* const arguments = std::get_if<Arguments>(&read);
        code = arguments == nullptr ? std::get<int>(read) : run(*arguments);
    } catch (const std::system_error& error) {  // From fmt::print.
        failed = error.code();
    } catch (const std::bad_alloc&) {
        code = refuse("there is not enough memory for this");
    }
    if (!failed && (!std::cout.flush() || std::fflush(stdout) != 0)) {
        failed = {errno, std::generic_category()};
    }
    if (!failed) {
        return code;
    }
    // Standard error may have failed, too. Then nothing can be reported.
    std::fputs(("muster-sim: the output cannot be written: " + failed.message() + "\n").c_str(),
               stderr);
    return error_code;
}
