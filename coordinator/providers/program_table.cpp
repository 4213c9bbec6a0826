#include "coordinator/providers/program_table.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"

namespace muster::coordinator {
namespace {

/// Ending it early leaves no node half made.
bool changes_nothing(const OutsideCall& call) {
    return std::holds_alternative<ListNodes>(call.what) ||
           std::holds_alternative<PredictNeed>(call.what);
}

}  // namespace

ProgramTable::ProgramTable(const OutsideOptions& options, std::vector<std::string> environment)
    : environment_{std::move(environment)} {
    for (const auto& provider : options.providers) {
        providers_.emplace(provider.name, Place{provider});
    }
    for (const auto& predictor : options.predictors) {
        predictors_.emplace(predictor.name, Place{predictor});
    }
}

template <class Visit>
void ProgramTable::each_place(Visit visit) {
    for (auto* const places : {&providers_, &predictors_}) {
        for (auto& [name, place] : *places) {
            visit(place);
        }
    }
}

ProgramTable::Place& ProgramTable::place_of(const OutsideCall& call) {
    return (std::holds_alternative<PredictNeed>(call.what) ? predictors_ : providers_).at(call.to);
}

void ProgramTable::submit(Instant now, ProgramCall call) {
    Place& place = place_of(call.call);
    if (place.waiting.size() >= limits::calls_of_provider) {
        answer(call,
               failure_of(call.call, "did not begin: " + std::to_string(place.waiting.size()) +
                                         " other calls wait; fewer calls at once are right"));
        return;
    }
    place.waiting.push_back({std::move(call), now + place.options.deadline});
    start_waiting(now, place);
}

void ProgramTable::start_waiting(Instant now, Place& place) {
    while (place.running.size() < limits::programs_of_provider && !place.waiting.empty()) {
        ProgramCall call = std::move(place.waiting.front().call);
        place.waiting.pop_front();
        start(now, place, std::move(call));
    }
}

void ProgramTable::start(Instant now, Place& place, ProgramCall call) {
    auto words = place.options.command;
    std::ranges::move(arguments_of(call.call), std::back_inserter(words));
    auto started = start_program(std::move(words), environment_);
    if (!started) {
        answer(call, failure_of(call.call, "cannot begin: " + started.error().detail));
        return;
    }
    std::string input = input_of(call.cluster, call.call);
    place.running.emplace_back(std::move(call), now + place.options.deadline, *std::move(started),
                               std::move(input));
}

void ProgramTable::abandon() {
    each_place([](Place& place) {
        place.waiting.clear();
        for (Run& run : place.running) {
            run.is_answered = true;
            if (changes_nothing(run.call.call)) {
                run.program.kill();
            }
        }
    });
    answers_.clear();
}

void ProgramTable::kill_all() {
    each_place([](Place& place) {
        for (Run& run : place.running) {
            run.program.kill();
        }
    });
}

bool ProgramTable::is_empty() const {
    const auto is_idle = [](const auto& entry) {
        return entry.second.running.empty() && entry.second.waiting.empty();
    };
    return std::ranges::all_of(providers_, is_idle) && std::ranges::all_of(predictors_, is_idle);
}

std::optional<Instant> ProgramTable::next_deadline(const Place& place) {
    std::optional<Instant> next;
    const auto consider = [&](Instant until) { next = std::min(next.value_or(until), until); };
    if (!place.waiting.empty()) {
        consider(place.waiting.front().until);  // They are in the order of their deadlines.
    }
    for (const Run& run : place.running) {
        if (!run.was_killed) {
            consider(run.until);
        }
    }
    return next;
}

std::optional<Instant> ProgramTable::next_deadline() const {
    std::optional<Instant> next;
    for (const auto* const places : {&providers_, &predictors_}) {
        for (const auto& [name, place] : *places) {
            if (const auto of_place = next_deadline(place)) {
                next = std::min(next.value_or(*of_place), *of_place);
            }
        }
    }
    return next;
}

void ProgramTable::add_files(std::vector<pollfd>& into) const {
    for (const auto* const places : {&providers_, &predictors_}) {
        for (const auto& [name, place] : *places) {
            for (const Run& run : place.running) {
                const auto files = run.program.waits_for();
                into.insert(into.end(), files.begin(), files.end());
            }
        }
    }
}

void ProgramTable::work(Instant now, std::span<const pollfd> ready) {
    each_place([&](Place& place) {
        for (Run& run : place.running) {
            run.program.work(ready.first<RunningProgram::files>());
            ready = ready.subspan(RunningProgram::files);
            judge(run);
        }
    });
    each_place([&](Place& place) {
        fail_overdue(now, place);
        std::erase_if(place.running, [](const Run& run) { return run.program.has_ended(); });
        start_waiting(now, place);
    });
}

void ProgramTable::judge(Run& run) {
    if (run.program.has_printed_too_much()) {
        fail(run, "printed more than " + std::to_string(limits::program_output_bytes) +
                      " bytes on standard output, and was killed; what is right is one JSON "
                      "object");
    }
    if (run.program.has_ended() && !std::exchange(run.is_answered, true)) {
        answer(run.call, result_of(run.call.call, run.program.end()));
    }
}

void ProgramTable::fail_overdue(Instant now, Place& place) {
    const auto within = " within " + to_string(place.options.deadline);
    for (Run& run : place.running) {
        if (now >= run.until && !run.was_killed && !run.program.has_ended()) {
            fail(run, "did not end" + within +
                          ", and was killed; either it hangs, or a longer `deadline` is right");
        }
    }
    while (!place.waiting.empty() && now >= place.waiting.front().until) {
        const ProgramCall& call = place.waiting.front().call;
        answer(call, failure_of(call.call, "did not begin" + within + ", because " +
                                               std::to_string(place.running.size()) +
                                               " programs were running; fewer calls at once, or "
                                               "a faster program, are right"));
        place.waiting.pop_front();
    }
}

void ProgramTable::fail(Run& run, const std::string& what) {
    run.was_killed = true;
    run.program.kill();
    if (!std::exchange(run.is_answered, true)) {
        answer(run.call, failure_of(run.call.call, what));
    }
}

void ProgramTable::answer(const ProgramCall& call, OutsideResult result) {
    answers_.push_back({call.leadership, {call.call.number, std::move(result)}});
}

std::vector<ProgramAnswer> ProgramTable::take_answers() { return std::exchange(answers_, {}); }

}  // namespace muster::coordinator
