#include "sim/program/arguments.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "common/base/number.hpp"
#include "common/spec/duration.hpp"
#include "sim/mutants/mutants.hpp"

namespace muster::sim {
namespace {

constexpr std::uint64_t last_seed = 1'000'000'000'000;
constexpr std::uint64_t most_jobs = 1'024;
constexpr std::uint64_t most_pool = 100'000;

int no_verb(const std::string& word) {
    fmt::print(
        stderr,
        "muster-sim: there is no verb '{}'; the verbs are soak, replay, shrink, mutants, run, "
        "speed and pools\n",
        word);
    return error_code;
}

std::string is_filled(const std::string& text) { return text.empty() ? "it is empty" : ""; }

/// Reads one command line. Options need a variable until all of them have been read.
class Reader {
public:
    Reader() {
        app_.require_subcommand(1);
        app_.set_version_flag("--version", "muster-sim " MUSTER_VERSION);
        arguments_.jobs = std::max(1U, std::thread::hardware_concurrency());
        arguments_.hunt.jobs = arguments_.jobs;
        add_soak();
        add_replay();
        add_shrink();
        add_mutants();
        add_run();
        add_speed();
        add_pools();
    }

    [[nodiscard]] std::variant<Arguments, int> read(int argc, char** argv) {
        const std::string word = argc > 1 ? argv[1] : "";
        if (word == "help") {
            const CLI::App* const verb = argc > 2 ? verb_of(argv[2]) : &app_;
            if (verb == nullptr) {
                return no_verb(argv[2]);
            }
            fmt::print("{}", verb->help(verb == &app_ ? "" : "muster-sim"));
            return 0;
        }
        if (!word.empty() && !word.starts_with('-') && verb_of(word) == nullptr) {
            return no_verb(word);
        }
        try {
            app_.parse(argc, argv);
        } catch (const CLI::ParseError& error) {
            return app_.exit(error) == 0 ? 0 : error_code;
        }
        if (const auto concluded = conclude(); !concluded) {
            fmt::print(stderr, "muster-sim: {}\n", concluded.error().detail);
            return error_code;
        }
        return std::move(arguments_);
    }

private:
    CLI::App& add(Command command, const char* name, const char* what) {
        CLI::App* const added = app_.add_subcommand(name, what);
        added->callback([this, command] { arguments_.command = command; });
        return *added;
    }

    void add_soak() {
        CLI::App& verb = add(Command::soak, "soak", "Many random runs");
        add_number(verb, "--first", arguments_.seed, "The first seed", 0, last_seed);
        add_number(verb, "--seeds", arguments_.seeds, "How many", 1, last_seed);
        add_number(verb, "--jobs", arguments_.jobs, "How many at a time", 1, most_jobs);
        add_choices(verb);
    }

    void add_replay() {
        CLI::App& verb =
            add(Command::replay, "replay", "One random run, or what a coordinator recorded, again");
        verb.add_option("SEED|FILE", what_)->required();
        verb.add_flag("--trace", arguments_.trace, "Print what happened, line by line");
        verb.add_option("--until", arguments_.replay.until,
                        "Of a file: up to 90s, or \"2026-11-21 10:04:33\" UTC")
            ->check(is_filled);
        verb.add_option("--explain", arguments_.replay.explain,
                        "Of a file: then ask why web.3, web or n7 is so")
            ->check(is_filled);
        verb.add_flag("--routine", arguments_.routine,
                      "Polls and unchanged answers are traced too");
        verb.add_option("--record", arguments_.record,
                        "Record the coordinators of a random run to DIR")
            ->check(is_filled);
        add_choices(verb);
    }

    void add_shrink() {
        CLI::App& verb =
            add(Command::shrink, "shrink", "A smaller run that breaks the same promise");
        verb.add_option("SEED", what_)->required();
        add_choices(verb);
    }

    void add_mutants() {
        CLI::App& verb =
            add(Command::mutants, "mutants", "Whether deliberate bugs are found, and by what");
        verb.add_flag("--list", arguments_.lists, "Only list the mutants");
        add_number(verb, "--first", arguments_.hunt.first, "The first seed", 0, last_seed);
        add_number(verb, "--seeds", arguments_.hunt.seeds,
                   "Seeds after which a mutant counts as not caught", 1, last_seed);
        add_number(verb, "--jobs", arguments_.hunt.jobs, "How many at a time", 1, most_jobs);
        verb.add_option("NAME", arguments_.mutants, "These, instead of all");
    }

    void add_run() {
        CLI::App& verb = add(Command::run, "run", "A written scenario: what each step of it costs");
        verb.add_option("FILE", arguments_.scenario,
                        "docs/internals/scenarios.md says how it is written")
            ->required();
        verb.add_option("--seed", arguments_.scenario_seed, "Instead of the one in the file")
            ->check(CLI::Range(std::uint64_t{0}, last_seed));
        verb.add_option("-o,--output", arguments_.output, "table or json")
            ->capture_default_str()
            ->check(CLI::IsMember({"table", "json"}));
        verb.add_flag("--trace", arguments_.trace,
                      "Print what happened, line by line; to stderr with json");
        verb.add_flag("--routine", arguments_.routine, "Polls and unchanged answers too");
    }

    void add_speed() {
        add_size(add(Command::speed, "speed", "How fast a quiet cluster runs"),
                 "How many, instead of 100", "Simulated, instead of 60");
    }

    void add_pools() {
        PoolsOptions& pools = arguments_.pools;
        CLI::App& verb =
            add(Command::pools, "pools",
                "How predictors would have sized a pool through a history of its need");
        verb.add_option("FILE", pools.file, "Lines of TIME,AMOUNT; - is standard input");
        verb.add_option("--month", pools.month, "Instead: a generated month, of this seed")
            ->check(CLI::Range(std::uint64_t{0}, last_seed));
        add_number(verb, "--node", pools.trial.of_node, "What a node has, in the unit of the need",
                   1, coordinator::most_amount);
        add_duration(verb, "--boot", boot_, "From the request for a node until it serves");
        add_duration(verb, "--drain", drain_, "So long a node drains");
        add_number(verb, "--min", pools.trial.limits.min, "Nodes at least", 0, most_pool);
        add_number(verb, "--max", pools.trial.limits.max, "Nodes at most", 0, most_pool);
        add_number(verb, "--step", pools.trial.limits.step, "Nodes asked for or drained at once", 1,
                   most_pool);
        add_duration(verb, "--up-cooldown", up_cooldown_, "Between two growths");
        add_duration(verb, "--down-cooldown", down_cooldown_, "From a change to a shrinking");
        verb.add_option("--schedule", pools.schedule, "Try a time table, too: a line of it")
            ->type_name("LINE")
            ->allow_extra_args(false);
        verb.add_option("--zone", pools.zone, "The time zone of the time table")
            ->capture_default_str();
    }

    static void add_duration(CLI::App& verb, const char* name, std::string& into,
                             const char* what) {
        verb.add_option(name, into, what)->capture_default_str();
    }

    [[nodiscard]] Result<void> conclude_pools() {
        PoolsOptions& pools = arguments_.pools;
        if (pools.file.empty() == !pools.month) {
            return fail(Errc::invalid, "name either a file of TIME,AMOUNT or --month");
        }
        if (pools.trial.limits.min > pools.trial.limits.max) {
            return fail(Errc::invalid, "--min is above --max");
        }
        if (pools.schedule.empty() && pools.zone != PoolsOptions{}.zone) {
            return fail(Errc::invalid, "--zone is for --schedule");
        }
        const std::tuple<const char*, std::string&, Duration&> all[] = {
            {"--boot", boot_, pools.trial.boot},
            {"--drain", drain_, pools.trial.drain},
            {"--up-cooldown", up_cooldown_, pools.trial.limits.up_cooldown},
            {"--down-cooldown", down_cooldown_, pools.trial.limits.down_cooldown}};
        for (const auto& [name, text, into] : all) {
            const auto duration = parse_duration(text);
            if (!duration || *duration > 1h) {
                return fail(Errc::invalid, fmt::format("{}: {}", name,
                                                       duration ? "it is longer than 1h"
                                                                : duration.error().detail));
            }
            into = *duration;
        }
        return {};
    }

    static void add_number(CLI::App& verb, const char* name, auto& into, const char* what,
                           std::uint64_t least, std::uint64_t most) {
        verb.add_option(name, into, what)->capture_default_str()->check(CLI::Range(least, most));
    }

    void add_size(CLI::App& verb, const char* nodes, const char* seconds) {
        verb.add_option("--nodes", arguments_.chosen.nodes, nodes)->check(CLI::Range(1U, 10'000U));
        verb.add_option("--seconds", arguments_.chosen.seconds, seconds)
            ->check(CLI::Range(1U, 1'000'000U));
    }

    void add_choices(CLI::App& verb) {
        add_size(verb, "How many, instead of 2 to 6", "Simulated time of faults, not 60");
        verb.add_option("--rows-of-step", arguments_.chosen.rows_of_step,
                        "Of a change, in one step: with more it takes several")
            ->check(CLI::Range(1U, 10'000U));
        verb.add_option("--coordinators", arguments_.chosen.coordinators,
                        "That share a store in etcd, instead of 1, or 2 or 3 in some seeds")
            ->check(CLI::Range(1U, 9U));
        verb.add_option("--pools", arguments_.chosen.pools,
                        "Whose nodes a provider makes, instead of none, or 1 or 2 in some seeds")
            ->check(CLI::Range(0U, 4U));
        verb.add_option("--faults", faults_, "Instead of a part of all: all, none or NAME,...");
        if (!mutants().empty()) {
            verb.add_option("--mutant", arguments_.mutants,
                            "A deliberate bug that is at work in it")
                ->expected(1);
        }
    }

    [[nodiscard]] const CLI::App* verb_of(const std::string& name) const {
        const auto found =
            app_.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
        return found.empty() ? nullptr : found.front();
    }

    [[nodiscard]] Result<void> conclude() {
        if (faults_) {
            const auto faults = FaultSet::parse(*faults_);
            if (!faults) {
                return fail(Errc::invalid, "--faults: " + faults.error().detail);
            }
            arguments_.chosen.faults = *faults;
        }
        if (arguments_.command == Command::replay) {
            return conclude_replay();
        }
        if (arguments_.command == Command::pools) {
            return conclude_pools();
        }
        if (arguments_.command == Command::shrink) {
            const auto seed = number_in<std::uint64_t>(what_);
            if (!seed) {
                return fail(Errc::invalid,
                            "'" + what_ + "' is not a seed; a seed is a number from 0");
            }
            arguments_.seed = *seed;
        }
        return {};
    }

    // Refuses options that would have no effect on the replay.
    [[nodiscard]] Result<void> conclude_replay() {
        const auto seed = number_in<std::uint64_t>(what_);
        if (!seed && what_ != "-" && access(what_.c_str(), F_OK) != 0) {
            return fail(Errc::invalid, "'" + what_ + "' is neither a seed nor a file");
        }
        const std::vector<std::string> idle =
            seed ? std::vector<std::string>{"--until", "--explain"}
                 : std::vector<std::string>{"--nodes",        "--seconds", "--rows-of-step",
                                            "--coordinators", "--pools",   "--faults",
                                            "--routine",      "--record"};
        const CLI::App& verb = *app_.get_subcommand("replay");
        const auto given = std::ranges::find_if(
            idle, [&](const std::string& name) { return verb.get_option(name)->count() > 0; });
        if (given != idle.end()) {
            return fail(Errc::invalid,
                        fmt::format("{} is for {}, and '{}' is a {}", *given,
                                    seed ? "the record of a coordinator" : "a random run", what_,
                                    seed ? "seed" : "file"));
        }
        if (seed) {
            arguments_.seed = *seed;
        } else {
            arguments_.command = Command::replay_file;
            arguments_.replay.file = what_;
            arguments_.replay.trace = arguments_.trace;
        }
        return {};
    }

    CLI::App app_{"Runs simulated muster clusters and says which promises were broken.",
                  "muster-sim"};
    Arguments arguments_;
    std::optional<std::string> faults_;
    std::string boot_ = "3min";
    std::string drain_ = "50s";
    std::string up_cooldown_ = "0s";
    std::string down_cooldown_ = "0s";
    std::string what_;  // The seed or file to replay or shrink.
};

}  // namespace

RandomRun Chosen::run_of(std::uint64_t seed) const {
    RandomRun run = drawn_run(seed);
    run.nodes = nodes.value_or(run.nodes);
    run.faults = faults.value_or(run.faults);
    if (seconds) {
        run.faults_last = std::chrono::seconds{*seconds};
    }
    run.rows_of_step = rows_of_step;
    run.coordinators = coordinators.value_or(run.coordinators);
    run.pools = pools.value_or(run.pools);
    return run;
}

std::variant<Arguments, int> read_arguments(int argc, char** argv) {
    return Reader{}.read(argc, argv);
}

}  // namespace muster::sim
