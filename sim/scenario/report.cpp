#include "sim/scenario/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/screen/table.hpp"
#include "cli/screen/text.hpp"
#include "common/spec/quantity.hpp"

namespace muster::sim {

namespace {

using Json = nlohmann::ordered_json;

std::string seconds(Duration time) {
    if (time < 1s) {
        return fmt::format("{}ms", to_ms(time));
    }
    return fmt::format("{:.1f}s", std::chrono::duration<double>{time}.count());
}

/// `12`, or `12, least 9` if fewer would have been enough.
std::string moves(std::uint64_t made, const std::optional<Moves>& least,
                  std::uint64_t Moves::*which) {
    const bool is_least = !least || (*least).*which == made;
    return is_least ? fmt::format("{}", made) : fmt::format("{}, least {}", made, (*least).*which);
}

std::vector<cli::Cell> row_of(const StepResult& step) {
    using cli::Tone;
    const std::string shortage =
        step.short_most == 0 ? "-"
                             : fmt::format("{} for {}", step.short_most, seconds(step.short_for));
    return {seconds(step.at),
            step.text,
            {step.converged ? seconds(*step.converged) : "no",
             step.converged ? Tone::plain : Tone::bad},
            fmt::format("{}", step.plans),
            moves(step.made.starts, step.least, &Moves::starts),
            moves(step.made.stops, step.least, &Moves::stops),
            shortage,
            fmt::format("{}-{}", step.load_least, step.load_most),
            step.unplaced ? fmt::format("{}", *step.unplaced) : "?",
            fmt::format("{}", step.messages),
            size_text(step.bytes)};
}

/// The result of the scenario.
std::string verdict(const ScenarioResult& result) {
    if (!result.violations.empty()) {
        return cli::counted(result.violations.size(), "promise") + " BROKEN";
    }
    if (!result.converged) {
        return "NOT converged at the end";
    }
    if (result.refused > 0) {
        return "converged at the end, but " + cli::counted(result.refused, "request") + " REFUSED";
    }
    const std::uint32_t unplaced =
        result.steps.empty() ? 0 : result.steps.back().unplaced.value_or(0);
    return unplaced == 0
               ? "converged, no promise broken"
               : fmt::format("converged as far as there is room, {} unplaced, no promise broken",
                             unplaced);
}

Json json_of(const Moves& moves) { return {{"starts", moves.starts}, {"stops", moves.stops}}; }

Json json_of(const StepResult& step) {
    return {
        {"at_ms", to_ms(step.at)},
        {"do", step.text},
        {"converged", step.converged.has_value()},
        {"converged_after_ms", step.converged ? Json(to_ms(*step.converged)) : Json()},
        {"plans", step.plans},
        {"made", json_of(step.made)},
        {"least", step.least ? json_of(*step.least) : Json()},
        {"short", {{"most", step.short_most}, {"for_ms", to_ms(step.short_for)}}},
        {"load", {{"least", step.load_least}, {"most", step.load_most}}},
        {"unplaced", step.unplaced ? Json(*step.unplaced) : Json()},
        {"messages", step.messages},
        {"bytes", step.bytes},
        {"refused", step.refused},
        {"violations", step.violations},
        {"notes", step.notes},
    };
}

}  // namespace

std::string to_text(const Scenario& scenario, const ScenarioResult& result, bool colours) {
    cli::Table table{{"AT", "STEP", "CONVERGED", "PLANS", "STARTS", "STOPS", "SHORT", "LOAD",
                      "UNPLACED", "MESSAGES", "BYTES"}};
    for (const StepResult& step : result.steps) {
        table.add(row_of(step));
    }
    std::string text;
    for (const std::string& violation : result.violations) {
        text += violation + "\n";
    }
    text += table.to_text({.colours = colours});
    for (const StepResult& step : result.steps) {
        for (const std::string& note : step.notes) {
            text += fmt::format("{} {}: {}\n", seconds(step.at), step.text, note);
        }
    }
    text += fmt::format("{} nodes, seed {}: {}; {} simulated, trace {:016x}\n", result.nodes,
                        scenario.options.seed, verdict(result), cli::length(result.simulated),
                        result.hash);
    return text;
}

std::string to_json(const Scenario& scenario, const ScenarioResult& result) {
    Json json{{"scenario", scenario.file},
              {"seed", scenario.options.seed},
              {"nodes", result.nodes},
              {"good", result.is_good()},
              {"converged", result.converged},
              {"simulated_ms", to_ms(result.simulated)},
              {"trace", fmt::format("{:016x}", result.hash)},
              {"violations", result.violations},
              {"steps", Json::array()}};
    for (const StepResult& step : result.steps) {
        json["steps"].push_back(json_of(step));
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace muster::sim
