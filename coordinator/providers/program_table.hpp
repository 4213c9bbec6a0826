#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/providers/provider_options.hpp"
#include "coordinator/providers/running_program.hpp"

namespace muster::coordinator {

/// A call of one leadership.
struct ProgramCall {
    std::uint64_t leadership = 0;
    ClusterId cluster;
    OutsideCall call;
};
struct ProgramAnswer {
    std::uint64_t leadership = 0;
    OutsideAnswer answer;
};

/// All programs that run, and the calls that wait for one:
///
///     submit() --> waiting --(at most 8 run)--> running --> take_answers()
///                     \-- its deadline --> CallFailed <-- its deadline, and it is killed
///
/// So each call has one answer at most two deadlines later, even if the kernel cannot end a
/// program. Only one thread uses it.
class ProgramTable {
public:
    ProgramTable(const OutsideOptions& options, std::vector<std::string> environment);

    /// Its name is known.
    void submit(Instant now, ProgramCall call);
    /// No answer is of use any more. Calls that wait are dropped, and programs that change nothing
    /// are killed. A provision or a removal goes on, and keeps its place.
    void abandon();
    void kill_all();
    [[nodiscard]] bool is_empty() const;

    [[nodiscard]] std::optional<Instant> next_deadline() const;
    /// Adds what to wait for.
    void add_files(std::vector<pollfd>& into) const;
    /// Does what is possible and due. `ready` is what add_files() added.
    void work(Instant now, std::span<const pollfd> ready);
    [[nodiscard]] std::vector<ProgramAnswer> take_answers();

private:
    struct Waiting {
        ProgramCall call;
        Instant until;
    };
    struct Run {
        Run(ProgramCall its_call, Instant its_end, StartedProgram started, std::string input)
            : call{std::move(its_call)},
              until{its_end},
              program{std::move(started), std::move(input)} {}

        ProgramCall call;
        Instant until;
        bool is_answered = false;
        bool was_killed = false;  ///< At its deadline. The kernel has yet to end it.
        RunningProgram program;
    };
    /// A provider or a predictor.
    struct Place {
        ProviderOptions options;
        std::deque<Waiting> waiting{};
        std::list<Run> running{};
    };

    [[nodiscard]] static std::optional<Instant> next_deadline(const Place& place);
    [[nodiscard]] Place& place_of(const OutsideCall& call);
    void start_waiting(Instant now, Place& place);
    void start(Instant now, Place& place, ProgramCall call);
    void fail_overdue(Instant now, Place& place);
    void judge(Run& run);
    void fail(Run& run, const std::string& what);
    void answer(const ProgramCall& call, OutsideResult result);
    template <class Visit>
    void each_place(Visit visit);

    std::vector<std::string> environment_;
    std::map<std::string, Place> providers_;
    std::map<std::string, Place> predictors_;
    std::vector<ProgramAnswer> answers_;
};

}  // namespace muster::coordinator
