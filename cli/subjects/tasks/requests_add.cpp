#include <string>
#include <utility>

#include "cli/subjects/requests.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

/// The first option that could not be read stands for the rest.
class Options {
public:
    explicit Options(const CommandLine& line) : line_{line} {}

    template <std::integral Number>
    void number(const std::string& option, Number& into) {
        if (const auto text = line_.value(option)) {
            const auto number = number_of<Number>(option, *text);
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
    void text(const std::string& option, std::string& into) {
        into = line_.value(option).value_or(std::move(into));
    }
    void flag(const std::string& option, bool& into) { into = line_.has(option); }
    /// One of the names of an enum; the words of an option are checked before.
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
    options.number("--cpu-milli", into.request.cpu_milli);
    options.number("--memory-bytes", into.request.memory_bytes);
    options.number("--slots", into.request.slots);
    options.text("--spread", into.spread);
    options.text("--group", into.group);
    options.flag("--every-node", into.every_node);
    options.flag("--pinned", into.pinned);
    options.number("--priority", into.priority);
    options.duration("--reschedule-after", into.reschedule_after);
    options.choice("--reconcile", into.reconcile);
}

}  // namespace

Made request_to_add(const CommandLine& line) {
    WantedTask task;
    task.name = line.arguments[0];
    task.spec.argv.assign(line.arguments.begin() + 1, line.arguments.end());
    Options options{line};
    options.number("--instances", task.instances);
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
