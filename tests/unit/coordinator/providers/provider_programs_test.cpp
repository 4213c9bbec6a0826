#include "coordinator/providers/provider_programs.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/providers/running_programs.hpp"

namespace muster::coordinator {
namespace {

/// A call that no pipe can take at once.
OutsideCall large_prediction(std::uint64_t number) {
    PredictNeed need{.pool = "web", .recent = {}};
    need.recent.assign(50'000, NeedSample{CivilMs{1'000'000'000'000}, 123'456});
    return {number, "ml", need};
}

/// The process has this signal disposition for a while.
class Disposition {
public:
    Disposition(int signal, void (*to)(int)) : signal_{signal}, before_{std::signal(signal, to)} {}
    ~Disposition() { std::signal(signal_, before_); }
    Disposition(const Disposition&) = delete;
    Disposition& operator=(const Disposition&) = delete;

private:
    int signal_;
    void (*before_)(int);
};

/// The set of signals in a line of /proc, but the two that the C library has for itself.
std::uint64_t signals_in(const std::string& text, const std::string& line) {
    constexpr std::uint64_t internal = 0x1'8000'0000;
    const auto at = text.find(line);
    REQUIRE(at != std::string::npos);
    return std::stoull(text.substr(at + line.size()), nullptr, 16) & ~internal;
}

bool has_line(const std::string& text, const std::string& line) {
    return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

}  // namespace

TEST_CASE("a program's answer arrives with the number of its call", "[providers]") {
    RunningPrograms running{"good"};
    running.provision(7);
    CHECK(running.answers(1)[0].number == 7);
    CHECK(running.file("arguments") == "provision 3\n");
    CHECK(running.file("input") ==
          R"({"cluster":"00000000000000010000000000000002","pool":"web","request":"7-12",)"
          R"("count":3})"
          "\n");
    running.list(8);
    CHECK(running.answer() == OutsideResult{NodesListed{{{"i-1", "web-1", "web", "7-12"}}}});
    running.programs->call({9, "cloud", RemoveNode{"web", "i-1"}});
    CHECK(running.answer() == OutsideResult{NodeRemoved{}});
    CHECK(running.file("arguments") == "remove i-1\n");
    running.programs->call(large_prediction(10));
    CHECK(running.answer() == OutsideResult{NeedPredicted{400}});
    CHECK(running.file("input").size() > 1'000'000);
}

TEST_CASE("a failure of a program is an answer with its reason", "[providers]") {
    CHECK([] {
        RunningPrograms running{"refuse"};
        running.provision(1);
        return running.failure();
    }() == "provider cloud: provision 3 failed (exit status 3) with: no quota?in zone a");
    const auto failure_of = [](const std::string& how) {
        RunningPrograms running{how};
        running.provision(1);
        return running.failure();
    };
    CHECK_THAT(failure_of("silent"), Catch::Contains("(exit status 4) without a reason"));
    CHECK_THAT(failure_of("garbage"), Catch::Contains("not JSON"));
    CHECK_THAT(failure_of("killed"), Catch::Contains("was ended by signal 15"));
    CHECK_THAT(failure_of("flood_errors"), Catch::EndsWith("(exit status 1) with: no quota"));
}

TEST_CASE("a program that cannot be executed is an answer", "[providers]") {
    RunningPrograms missing{std::vector<std::string>{"/no/such/program"}, 1h};
    missing.list(1);
    CHECK_THAT(missing.failure(), Catch::Contains("provider cloud: list cannot begin: "
                                                  "/no/such/program cannot be executed: No such"));
    RunningPrograms no_program{std::vector<std::string>{MUSTER_SOURCE_DIR "/README.md"}, 1h};
    no_program.list(1);
    CHECK_THAT(no_program.failure(), Catch::Contains("Permission denied"));
}

TEST_CASE("a call to a name without a program is an answer", "[providers]") {
    RunningPrograms running{"good"};
    running.programs->call({1, "clouds", ListNodes{}});
    CHECK_THAT(running.failure(), Catch::Contains("provider clouds: list cannot begin: the "
                                                  "configuration of this coordinator has no such"));
    running.programs->call({2, "ml", ListNodes{}});  // A predictor is no provider.
    CHECK_THAT(running.failure(), Catch::Contains("no such"));
    ProviderPrograms none{OutsideOptions{}};
    none.call({3, "cloud", ListNodes{}});
    REQUIRE(is_readable(none.fd(), 0s));
    CHECK(none.take().size() == 1);
    CHECK_FALSE(is_readable(none.fd(), 0s));
}

// Goal: nothing of the daemon reaches a program but what it needs.
// Method: an open file, signals that are blocked and ignored, and variables, as the program sees
// them.
TEST_CASE("a program has no file, signal or secret of the coordinator", "[providers]") {
    const Disposition ignored{SIGPIPE, SIG_IGN};
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    setenv("SECRET_OF_TEST", "1", 1);
    setenv("MUSTER_OF_TEST", "1", 1);
    {
        RunningPrograms running{"surroundings"};
        const auto leak = running.directory.below("leak");
        const FileDescriptor leaked{::open(leak.c_str(), O_CREAT | O_RDWR, 0600)};  // Stays open.
        running.list(1);
        static_cast<void>(running.answer());
        CHECK_THAT(running.file("files"), Catch::Contains("pipe:") && !Catch::Contains("leak") &&
                                              !Catch::Contains("eventfd"));
        CHECK(signals_in(running.file("signals"), "SigBlk:") == 0);
        CHECK(signals_in(running.file("signals"), "SigIgn:") == 0);
        CHECK(has_line(running.file("environment"), "MUSTER_OF_TEST=1"));
        CHECK_THAT(running.file("environment"),
                   Catch::Contains("PATH=") && !Catch::Contains("SECRET_OF_TEST"));
        CHECK(running.file("work") == "/\n");
    }
    unsetenv("SECRET_OF_TEST");
    unsetenv("MUSTER_OF_TEST");
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("a program need neither read its input nor hold its output open", "[providers]") {
    const Disposition fatal{SIGPIPE, SIG_DFL};
    RunningPrograms deaf{"no_input"};
    deaf.programs->call(large_prediction(1));
    CHECK(deaf.answer() == OutsideResult{NeedPredicted{400}});

    RunningPrograms mute{"no_output"};
    mute.list(1);
    CHECK(mute.next_told() == "started");
    CHECK_FALSE(is_readable(mute.programs->fd(), 0s));  // It still runs.
    mute.let_one_go();
    CHECK_THAT(mute.failure(), Catch::Contains("it printed nothing"));
}

TEST_CASE("an answer may be larger than a pipe", "[providers]") {
    RunningPrograms running{"many"};
    running.list(1);
    const auto result = running.answer();
    REQUIRE(std::holds_alternative<NodesListed>(result));
    CHECK(std::get<NodesListed>(result).nodes.size() == 4'000);
}

TEST_CASE("a program that prints without end is killed", "[providers]") {
    RunningPrograms running{"flood"};
    running.list(1);
    CHECK_THAT(running.failure(),
               Catch::Contains("printed more than 4194304 bytes on standard output"));
}

// Goal: a process that a program leaves behind neither delays the answer nor stays.
// Method: a child that holds the standard output open.
TEST_CASE("a program has answered once it has ended, and its group ends with it", "[providers]") {
    RunningPrograms running{"leave_child"};
    running.provision(1);
    const auto child = running.next_told();
    CHECK(running.answer() == OutsideResult{NodesGranted{3}});
    CHECK(ends(child));
}

TEST_CASE("a program and its group are killed at the deadline", "[providers]") {
    RunningPrograms running{"hang", 100ms};
    running.provision(1);
    CHECK_THAT(running.failure(),
               Catch::Contains("provision 3 did not end within 100ms, and was killed"));
    CHECK(ends(running.next_told()));
    running.provision(2);  // Its place is free.
    CHECK(running.answers(1)[0].number == 2);
}

// Goal: a provider is not asked for more than it bears, and no call is forgotten.
// Method: twice as many calls as may run. Each program tells when it begins and when it ends.
TEST_CASE("eight programs of a provider run at once, and other calls wait", "[providers]") {
    constexpr std::size_t calls = 2 * limits::programs_of_provider;
    RunningPrograms running{"hold"};
    for (std::uint64_t number = 1; number <= calls; ++number) {
        running.provision(number);
    }
    std::size_t now = 0;
    std::size_t most = 0;
    std::size_t begun = 0;
    for (std::size_t told = 0; told < 2 * calls; ++told) {
        if (running.next_told() == "end") {
            --now;
        } else {
            ++begun;
            most = std::max(most, ++now);
        }
        if (begun >= limits::programs_of_provider && told + 1 >= begun) {
            running.let_one_go();
        }
    }
    CHECK(most == limits::programs_of_provider);
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, result] : running.answers(calls)) {
        CHECK(result == OutsideResult{NodesGranted{3}});
        numbers.push_back(number);
    }
    std::ranges::sort(numbers);
    CHECK(numbers.front() == 1);
    CHECK(numbers.back() == calls);
    CHECK(std::ranges::adjacent_find(numbers) == numbers.end());
}

TEST_CASE("a call that waits too long for its program is an answer", "[providers]") {
    RunningPrograms running{"hang", 300ms};
    // The last one would begin after two deadlines.
    constexpr std::size_t calls = 2 * limits::programs_of_provider + 1;
    for (std::uint64_t number = 1; number <= calls; ++number) {
        running.list(number);
    }
    const auto answers = running.answers(calls);
    const auto last = std::ranges::find(answers, calls, &OutsideAnswer::number);
    REQUIRE(last != answers.end());
    const auto* const failed = std::get_if<CallFailed>(&last->result);
    REQUIRE(failed != nullptr);
    CHECK_THAT(failed->why, Catch::Contains("list did not begin within 300ms, because 8 programs"));
}

// Goal: what a leadership began does no harm to the next one, and no node is left half made.
// Method: a list and a provision that run when the leadership ends.
TEST_CASE("the end of a leadership kills lists and lets provisions end unanswered", "[providers]") {
    RunningPrograms running{"hold"};
    running.list(1);
    const auto list = running.next_told();
    running.provision(2);
    static_cast<void>(running.next_told());
    running.programs->cancel_all();
    CHECK(ends(list));
    running.let_one_go();
    CHECK(running.next_told() == "end");

    running.programs->begin(ClusterId{3, 4});
    running.list(1);
    static_cast<void>(running.next_told());
    running.let_one_go();
    const auto answers = running.answers(1);  // Nothing of the calls before.
    CHECK(answers[0].number == 1);
    CHECK(std::holds_alternative<NodesListed>(answers[0].result));
    CHECK(running.programs->take().empty());
}

TEST_CASE("the end of a leadership drops answers that nobody took, and calls that wait",
          "[providers]") {
    RunningPrograms running{"hold"};
    running.programs->call({1, "clouds", ListNodes{}});
    for (std::uint64_t number = 2; number < 20; ++number) {
        running.provision(number);
    }
    for (std::size_t begun = 0; begun < limits::programs_of_provider; ++begun) {
        static_cast<void>(running.next_told());
    }
    running.programs->cancel_all();
    CHECK(running.programs->take().empty());
    for (std::size_t ended = 0; ended < limits::programs_of_provider; ++ended) {
        running.let_one_go();
        CHECK(running.next_told() == "end");  // None of those that waited begins.
    }
}

TEST_CASE("the end of the process leaves no program behind", "[providers]") {
    RunningPrograms running{"hang"};
    running.list(1);
    running.provision(2);
    const auto first = running.next_told();
    const auto second = running.next_told();
    running.programs.reset();
    CHECK(ends(first));
    CHECK(ends(second));
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // No child is left, not even a dead one.
}

}  // namespace muster::coordinator
