#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cli/subjects/requests.hpp"
#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"
#include "common/spec/quantity.hpp"

namespace muster::cli {

namespace {

/// Collects the options. Only the first error is kept.
class Options {
public:
    explicit Options(const CommandLine& line) : line_{line} {}

    template <std::integral Number>
    void number(const std::string& option, Number& into,
                Number most = std::numeric_limits<Number>::max()) {
        if (const auto text = line_.value(option)) {
            const auto number = number_of<Number>(option, *text, most);
            take(number ? Step{} : tl::unexpected(number.error()));
            into = number.value_or(into);
        }
    }
    void duration(const std::string& option, Duration& into) {
        if (const auto text = line_.value(option)) {
            const auto parsed = parse_duration(*text);
            take(parsed ? Step{} : usage(option + ": " + parsed.error().detail));
            into = parsed.value_or(into);
        }
    }
    /// An amount with its unit, up to `most`.
    template <std::unsigned_integral Number>
    void amount(const std::string& option, Result<std::uint64_t> (*parse)(std::string_view),
                std::uint64_t most, Number& into) {
        if (const auto text = line_.value(option)) {
            const auto parsed = parse(*text);
            take(parsed ? Step{} : usage(option + ": " + parsed.error().detail));
            if (parsed && *parsed > most) {
                take(usage(option + " is too large: " + *text));
            }
            into = static_cast<Number>(std::min(parsed.value_or(into), most));
        }
    }
    void text(const std::string& option, std::string& into) {
        into = line_.value(option).value_or(std::move(into));
    }
    void flag(const std::string& option, bool& into) { into = line_.has(option); }
    /// One of the names of an enum; the words of an option were checked before.
    template <Named E>
    void choice(const std::string& option, E& into) {
        into = value_named<E>(line_.value(option).value_or("")).value_or(into);
    }
    void variables(std::map<std::string, std::string>& into) {
        for (const std::string& pair : line_.values("--env")) {
            const auto equals = pair.find('=');
            if (equals == std::string::npos || equals == 0) {
                take(usage("--env is KEY=VALUE, not '" + pair + "'"));
                return;
            }
            into[pair.substr(0, equals)] = pair.substr(equals + 1);
        }
    }
    void constraints(std::vector<Constraint>& into) {
        for (const std::string& text : line_.values("--constraint")) {
            auto constraint = parse_constraint(text);
            if (!constraint) {
                take(usage("--constraint: " + constraint.error().detail));
                return;
            }
            into.push_back(*std::move(constraint));
        }
    }
    [[nodiscard]] const tl::expected<void, BadRequest>& result() const { return result_; }

private:
    using Step = tl::expected<void, BadRequest>;

    void take(Step step) {
        if (result_ && !step) {
            result_ = std::move(step);
        }
    }

    const CommandLine& line_;
    Step result_;
};

void read_placement(Options& options, PlacementRule& into) {
    options.text("--pool", into.pool);
    options.constraints(into.constraints);
    options.amount("--cpu", parse_cores, limits::cpu_milli, into.request.cpu_milli);
    options.amount("--memory", parse_size, limits::memory_bytes, into.request.memory_bytes);
    options.number("--slots", into.request.slots);
    options.text("--spread", into.spread);
    options.text("--group", into.group);
    options.flag("--every-node", into.every_node);
    options.flag("--pinned", into.pinned);
    options.number("--priority", into.priority);
    options.duration("--reschedule-after", into.reschedule_after);
    options.choice("--reconcile", into.reconcile);
}

/// A number in the place of the program, unless `--` precedes it.
std::optional<std::string> misplaced_instances(const CommandLine& line) {
    const std::string& program = line.arguments[1];
    const bool is_number = program.find_first_not_of("0123456789") == std::string::npos;
    return is_number && !program.empty() && line.arguments_before_dashes > 1
               ? std::optional{program}
               : std::nullopt;
}

}  // namespace

Made request_to_add(const CommandLine& line) {
    if (const auto number = misplaced_instances(line)) {
        return usage("'" + *number + "' would be the program of task '" + line.arguments[0] +
                     "'; set the number of instances with -n, as in: muster task add " +
                     line.arguments[0] + " -n " + *number + " -- PROGRAM");
    }
    WantedTask task;
    task.name = line.arguments[0];
    task.spec.argv.assign(line.arguments.begin() + 1, line.arguments.end());
    Options options{line};
    options.number<std::uint32_t>("--instances", task.instances, limits::instances_per_task);
    options.variables(task.spec.env);
    options.text("--workdir", task.spec.workdir);
    options.choice("--restart", task.spec.restart.policy);
    options.number("--max-per-node", task.spec.max_per_node);
    options.text("--stop-signal", task.spec.stop_signal);
    options.duration("--grace", task.spec.grace);
    read_placement(options, task.place);
    if (!options.result()) {
        return tl::unexpected(options.result().error());
    }
    if (auto valid = validate(task); !valid) {
        return bad_content(valid.error());
    }
    return TaskAddRequest{std::move(task), line.has("--force")};
}

}  // namespace muster::cli
