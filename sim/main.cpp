#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "common/standard_files.hpp"
#include "sim/mutants/hunt.hpp"
#include "sim/mutants/mutants.hpp"
#include "sim/random_run.hpp"
#include "sim/replay_file.hpp"
#include "sim/scenario_file.hpp"
#include "sim/scenario_report.hpp"
#include "sim/scenario_run.hpp"
#include "sim/shrink.hpp"
#include "sim/soak.hpp"
#include "sim/speed.hpp"

// muster-sim: runs simulated clusters and says which promises were broken.
//
//     muster-sim soak --seeds 10000 --jobs 2   random operations and faults, then healing, for each
//     muster-sim replay 17 --trace             one of them again, with its whole story
//     muster-sim replay FILE                   what a coordinator recorded, once more
//     muster-sim run rack.toml                 a written scenario, and what each step of it cost
//     muster-sim shrink 17                     a smaller run that breaks the same promise
//     muster-sim mutants                       whether deliberate bugs are found; of a build with
//     them muster-sim speed --nodes 100             how much faster than real time a quiet cluster
//     runs
//
// Exit codes: 0 all is well, 1 a promise was broken, 2 it cannot be done.

namespace {

using namespace muster;
using namespace muster::sim;

constexpr int broken_code = 1;
constexpr int error_code = 2;
constexpr std::uint64_t last_seed = 1'000'000'000'000;
constexpr auto between_lines = std::chrono::milliseconds{500};

/// What a run is made of where its seed is not to decide.
struct Chosen {
    std::optional<std::uint32_t> nodes;
    std::optional<std::uint32_t> seconds;
    std::optional<FaultSet> faults;

    [[nodiscard]] RandomRun run_of(std::uint64_t seed) const {
        RandomRun run = drawn_run(seed);
        run.nodes = nodes.value_or(run.nodes);
        run.faults = faults.value_or(run.faults);
        if (seconds) {
            run.faults_last = std::chrono::seconds{*seconds};
        }
        return run;
    }
};

struct Arguments {
    Chosen chosen;
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1'000;
    std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
    std::string record;
    ReplayOptions replay;
    bool routine = false;
    std::string scenario;
    std::optional<std::uint64_t> scenario_seed;
    std::string output = "table";
    bool trace = false;
    bool lists = false;
    HuntOptions hunt;
    std::vector<std::string> mutants;
};

/// What the command of a run ends with, where a mutant is at work.
std::string with_mutant(const Arguments& arguments) {
    return arguments.mutants.empty() ? "" : " --mutant " + arguments.mutants.front();
}

double days(Duration time) { return std::chrono::duration<double>{time}.count() / 86'400; }

int run_soak(const Arguments& arguments) {
    using Clock = std::chrono::steady_clock;
    const bool is_terminal = isatty(STDERR_FILENO) == 1;
    const auto began = Clock::now();
    auto said = began;
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
            if (is_terminal && Clock::now() - said >= between_lines) {
                said = Clock::now();
                fmt::print(stderr, "\r{} of {} seeds, {} broken, {:.1f} simulated days\033[K",
                           so_far.done, arguments.seeds, so_far.broken, days(so_far.simulated));
            }
        });
    if (is_terminal) {
        fmt::print(stderr, "\r\033[K");
    }
    if (!result) {
        fmt::print(stderr, "muster-sim: {}\n", result.error().detail);
        return error_code;
    }
    const std::chrono::duration<double> took = Clock::now() - began;
    fmt::print("{} of {} seeds broken; {:.2f} simulated days in {:.0f} s\n", result->broken,
               result->done, days(result->simulated), took.count());
    return result->broken == 0 ? 0 : broken_code;
}

int run_replay_file(const ReplayOptions& options) {
    const auto is_same = replay_file(options);
    if (!is_same) {
        fmt::print(stderr, "muster-sim: {}: {}\n", options.file, is_same.error().detail);
        return error_code;
    }
    return *is_same ? 0 : broken_code;
}

std::optional<std::uint64_t> seed_of(const std::string& text) {
    std::uint64_t seed = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
    const bool is_seed = read.ec == std::errc{} && read.ptr == text.data() + text.size();
    return is_seed ? std::optional{seed} : std::nullopt;
}

/// The first option given that would have no effect on what is replayed; empty: none.
std::string idle_option(const CLI::App& verb, bool is_seed) {
    const std::vector<std::string> idle =
        is_seed
            ? std::vector<std::string>{"--until", "--explain"}
            : std::vector<std::string>{"--nodes", "--seconds", "--faults", "--routine", "--record"};
    const auto given = std::ranges::find_if(
        idle, [&](const std::string& name) { return verb.get_option(name)->count() > 0; });
    return given == idle.end() ? "" : *given;
}

int run_replay(const Arguments& arguments, const CLI::App& verb) {
    const std::string& what = arguments.replay.file;
    const auto seed = seed_of(what);
    if (!seed && what != "-" && access(what.c_str(), F_OK) != 0) {
        fmt::print(stderr, "muster-sim: '{}' is neither a seed nor a file\n", what);
        return error_code;
    }
    if (const std::string idle = idle_option(verb, seed.has_value()); !idle.empty()) {
        fmt::print(stderr, "muster-sim: {} is for {}, and '{}' is a {}\n", idle,
                   seed ? "the record of a coordinator" : "a random run", arguments.replay.file,
                   seed ? "seed" : "file");
        return error_code;
    }
    if (!seed) {
        return run_replay_file(arguments.replay);
    }
    RandomRun run = arguments.chosen.run_of(*seed);
    run.keep_routine = arguments.routine;
    run.record = arguments.record;
    const RunResult result = carry_out(run);
    if (arguments.replay.trace) {
        fmt::print("{}", result.trace);
    }
    for (const std::string& violation : result.violations) {
        fmt::print("{}\n", violation);
    }
    fmt::print("seed {}: {}, {} nodes, faults {}, trace {:016x}\n", run.seed,
               result.is_good() ? "good" : "BROKEN " + result.broken(), run.nodes,
               run.faults.text(), result.hash);
    if (result.not_recorded) {
        fmt::print(stderr, "muster-sim: --record: {}\n", *result.not_recorded);
        return error_code;
    }
    return result.is_good() ? 0 : broken_code;
}

int run_scenario(const Arguments& arguments) {
    auto scenario = read_scenario(arguments.scenario);
    if (!scenario) {
        fmt::print(stderr, "muster-sim: {}\n", scenario.error().detail);
        return error_code;
    }
    scenario->options.seed = arguments.scenario_seed.value_or(scenario->options.seed);
    scenario->options.keep_routine = arguments.routine;
    const ScenarioResult result = play(*scenario, {.trace = arguments.trace});
    const bool is_json = arguments.output == "json";
    if (arguments.trace) {
        fmt::print(is_json ? stderr : stdout, "{}", result.trace);
    }
    const bool colours = cli::look_at_terminal().colours;
    fmt::print("{}", is_json ? to_json(*scenario, result) : to_text(*scenario, result, colours));
    return result.is_good() ? 0 : broken_code;
}

int run_shrink(const Arguments& arguments) {
    const RandomRun run = arguments.chosen.run_of(arguments.seed);
    const auto judge = [](const RandomRun& tried) { return carry_out(tried).broken(); };
    const std::string promise = judge(run);
    if (promise.empty()) {
        fmt::print(stderr, "muster-sim: seed {} breaks no promise, so there is nothing to shrink\n",
                   run.seed);
        return error_code;
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

/// Those of these names, or all. Says what is wrong with them.
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
                        "'" + name + "' is no mutant; see 'muster-sim mutants --list'");
        }
        chosen.push_back(&*found);
    }
    if (names.empty()) {
        for (const Mutant& mutant : mutants()) {
            chosen.push_back(&mutant);
        }
    }
    return chosen;
}

int run_mutants(const Arguments& arguments) {
    const auto chosen = named_mutants(arguments.mutants);
    if (!chosen) {
        fmt::print(stderr, "muster-sim: {}\n", chosen.error().detail);
        return error_code;
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
                   is_caught ? one.again : "it got away");
        if (one.false_alarms > 0) {
            fmt::print("  {} of these seeds are broken without it, too\n", one.false_alarms);
        }
        if (is_caught) {
            times.push_back(one.seconds);
        }
    });
    if (!hunted) {
        fmt::print(stderr, "muster-sim: {}\n", hunted.error().detail);
        return error_code;
    }
    std::ranges::sort(times);
    fmt::print("{} of {} mutants caught", times.size(), chosen->size());
    if (!times.empty()) {
        fmt::print("; median {:.1f} s, slowest {:.1f} s", times[times.size() / 2], times.back());
    }
    fmt::print("\n");
    return times.size() == chosen->size() ? 0 : broken_code;
}

/// The one mutant that is to be at work in a run. Not 0: there is none of this name.
int put_named_to_work(const std::string& name) {
    const auto chosen = named_mutants({name});
    if (!chosen) {
        fmt::print(stderr, "muster-sim: --mutant: {}\n", chosen.error().detail);
        return error_code;
    }
    put_to_work(chosen->front());
    return 0;
}

std::string is_filled(const std::string& text) { return text.empty() ? "it says nothing" : ""; }

void add_choices(CLI::App& verb, Arguments& arguments, std::optional<std::string>& faults) {
    verb.add_option("--nodes", arguments.chosen.nodes, "How many, instead of 2 to 6")
        ->check(CLI::Range(1U, 10'000U));
    verb.add_option("--seconds", arguments.chosen.seconds, "Simulated time of faults, not 60")
        ->check(CLI::Range(1U, 1'000'000U));
    verb.add_option("--faults", faults, "Instead of a part of all: all, none or NAME,...");
    if (!mutants().empty()) {
        verb.add_option("--mutant", arguments.mutants, "A deliberate bug that is at work in it")
            ->expected(1);
    }
}

int run(int argc, char** argv) {
    Arguments arguments;
    arguments.hunt.jobs = arguments.jobs;
    std::optional<std::string> faults;
    CLI::App app{"Runs simulated muster clusters and says which promises were broken."};
    app.require_subcommand(1);
    app.set_version_flag("--version", "muster-sim " MUSTER_VERSION);
    CLI::App* const soak_verb = app.add_subcommand("soak", "Many random runs");
    soak_verb->add_option("--first", arguments.seed, "The first seed")
        ->capture_default_str()
        ->check(CLI::Range(std::uint64_t{0}, last_seed));
    soak_verb->add_option("--seeds", arguments.seeds, "How many")
        ->capture_default_str()
        ->check(CLI::Range(std::uint64_t{1}, last_seed));
    soak_verb->add_option("--jobs", arguments.jobs, "How many at a time")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1'024U));
    add_choices(*soak_verb, arguments, faults);
    CLI::App* const replay =
        app.add_subcommand("replay", "One random run, or what a coordinator recorded, again");
    replay->add_option("SEED|FILE", arguments.replay.file)->required();
    replay->add_flag("--trace", arguments.replay.trace, "Print what happened, line by line");
    replay
        ->add_option("--until", arguments.replay.until,
                     "Of a file: up to 90s, or \"2026-11-21 10:04:33\" UTC")
        ->check(is_filled);
    replay
        ->add_option("--explain", arguments.replay.explain,
                     "Of a file: then ask why web.3, web or n7 is so")
        ->check(is_filled);
    replay->add_flag("--routine", arguments.routine, "Polls and unchanged answers are traced too");
    replay
        ->add_option("--record", arguments.record, "Record the coordinators of a random run to DIR")
        ->check(is_filled);
    add_choices(*replay, arguments, faults);
    CLI::App* const shrink_verb =
        app.add_subcommand("shrink", "A smaller run that breaks the same promise");
    shrink_verb->add_option("SEED", arguments.seed)->required();
    add_choices(*shrink_verb, arguments, faults);
    CLI::App* const mutants_verb =
        app.add_subcommand("mutants", "Whether deliberate bugs are found, and by what");
    mutants_verb->add_flag("--list", arguments.lists, "Only say which there are");
    mutants_verb->add_option("--first", arguments.hunt.first, "The first seed")
        ->capture_default_str()
        ->check(CLI::Range(std::uint64_t{0}, last_seed));
    mutants_verb->add_option("--seeds", arguments.hunt.seeds, "After how many one has got away")
        ->capture_default_str()
        ->check(CLI::Range(std::uint64_t{1}, last_seed));
    mutants_verb->add_option("--jobs", arguments.hunt.jobs, "How many at a time")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1'024U));
    mutants_verb->add_option("NAME", arguments.mutants, "These, instead of all");
    CLI::App* const scenario =
        app.add_subcommand("run", "A written scenario: what each step of it costs");
    scenario->add_option("FILE", arguments.scenario, "docs/scenarios.md says how it is written")
        ->required();
    scenario->add_option("--seed", arguments.scenario_seed, "Instead of the one in the file")
        ->check(CLI::Range(std::uint64_t{0}, last_seed));
    scenario->add_option("-o,--output", arguments.output, "table or json")
        ->capture_default_str()
        ->check(CLI::IsMember({"table", "json"}));
    scenario->add_flag("--trace", arguments.trace,
                       "Print what happened, line by line; to stderr with json");
    scenario->add_flag("--routine", arguments.routine, "Polls and unchanged answers too");
    CLI::App* const speed = app.add_subcommand("speed", "How fast a quiet cluster runs");
    speed->add_option("--nodes", arguments.chosen.nodes, "How many, instead of 100")
        ->check(CLI::Range(1U, 10'000U));
    speed->add_option("--seconds", arguments.chosen.seconds, "Simulated, instead of 60")
        ->check(CLI::Range(1U, 1'000'000U));
    const std::string word = argc > 1 ? argv[1] : "";
    if (word == "help") {
        fmt::print("{}", app.help());
        return 0;
    }
    if (!word.empty() && !word.starts_with('-') &&
        app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; })
            .empty()) {
        fmt::print(stderr,
                   "muster-sim: there is no verb '{}': there are soak, replay, shrink, mutants, "
                   "run and speed\n",
                   word);
        return error_code;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : error_code;
    }
    if (faults) {
        const auto parsed = FaultSet::parse(*faults);
        if (!parsed) {
            fmt::print(stderr, "muster-sim: --faults: {}\n", parsed.error().detail);
            return error_code;
        }
        arguments.chosen.faults = *parsed;
    }
    // What was said is not lost when an ensure() ends us.
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    if (mutants_verb->parsed()) {
        return run_mutants(arguments);
    }
    if (!arguments.mutants.empty() && put_named_to_work(arguments.mutants.front()) != 0) {
        return error_code;
    }
    if (soak_verb->parsed()) {
        return run_soak(arguments);
    }
    if (replay->parsed()) {
        return run_replay(arguments, *replay);
    }
    if (scenario->parsed()) {
        return run_scenario(arguments);
    }
    return shrink_verb->parsed() ? run_shrink(arguments) : run_speed(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    muster::hold_standard_files();
    std::error_code failed;
    int code = 0;
    try {
        code = run(argc, argv);
    } catch (const std::system_error& error) {  // Of fmt::print.
        failed = error.code();
    }
    if (!failed && (!std::cout.flush() || std::fflush(stdout) != 0)) {
        failed = {errno, std::generic_category()};
    }
    if (!failed) {
        return code;
    }
    // Standard error may be what failed; then nobody can be told.
    std::fputs(("muster-sim: the output cannot be written: " + failed.message() + "\n").c_str(),
               stderr);
    return error_code;
}
