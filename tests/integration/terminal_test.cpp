#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// A terminal of 200 columns, and everything that programs have printed on it.
class PseudoTerminal {
public:
    PseudoTerminal() : master_{posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)} {
        std::array<char, 64> name{};
        if (grantpt(master_) != 0 || unlockpt(master_) != 0 ||
            ptsname_r(master_, name.data(), name.size()) != 0) {
            throw std::runtime_error{"there is no pseudo terminal"};
        }
        path_ = name.data();
        // While the test holds one end open, the end of a program does not close the terminal.
        slave_ = open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
        const winsize size{.ws_row = 24, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
        ioctl(slave_, TIOCSWINSZ, &size);
    }
    ~PseudoTerminal() {
        close(slave_);
        close(master_);
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

    /// True once two different numbers of seconds followed these words.
    bool counts(const std::string& words) {
        const std::regex counter{words + "([0-9]+) s"};
        return until([&] {
            while (read_more(0)) {
            }
            std::set<std::string> seconds;
            for (std::sregex_iterator found{shown_.begin(), shown_.end(), counter}, end;
                 found != end; ++found) {
                seconds.insert((*found)[1]);
            }
            return seconds.size() > 1;
        });
    }
    /// Everything. Call it only after the programs have ended.
    const std::string& all() {
        close(slave_);
        slave_ = -1;
        while (read_more(milliseconds_until(soon()))) {
        }
        return shown_;
    }

private:
    bool read_more(int milliseconds) {
        pollfd waiting{.fd = master_, .events = POLLIN, .revents = 0};
        std::array<char, 4096> part{};
        if (poll(&waiting, 1, milliseconds) != 1) {
            return false;
        }
        const auto size = read(master_, part.data(), part.size());
        shown_.append(part.data(), size > 0 ? static_cast<std::size_t>(size) : 0U);
        return size > 0;
    }

    int master_;
    int slave_ = -1;
    std::string path_;
    std::string shown_;
};

/// A `muster` with its standard error on a terminal, and its output in a file or on the terminal,
/// too.
Command on_terminal(const Cluster& cluster, const PseudoTerminal& terminal,
                    const std::string& output, std::vector<std::string> words,
                    std::vector<std::string> env = {"TERM=xterm"}) {
    words.insert(words.begin(), program("muster"));
    env.push_back("MUSTER_COORDINATOR=" + cluster.endpoints().operators);
    env.push_back("TEST_CLUSTER=" + cluster.directory());
    return {.argv = std::move(words),
            .env = std::move(env),
            .output = output,
            .errors = terminal.path()};
}

/// The output of `muster task list` on a terminal with this environment.
std::string task_list(const Cluster& cluster, std::vector<std::string> env) {
    PseudoTerminal terminal;
    Process muster{
        on_terminal(cluster, terminal, terminal.path(), {"task", "list"}, std::move(env))};
    CHECK(muster.wait(soon()) == Exit{.code = 0});
    return std::regex_replace(terminal.all(), std::regex{"\r\n"}, "\n");
}

}  // namespace

// Goal: colours are shown on terminals only, and never to users who disable them.
// Method: one answer on a real terminal, on one with colours disabled, and in a file.
TEST_CASE("colours are for terminals and can be disabled", "[integration][terminal]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("good", 1), cluster.task("unplaced", 2)});
    REQUIRE(cluster.wait("good"));
    REQUIRE(until([&] { return cluster.status().at("running") == 2; }));
    const auto plain = cluster.muster({"task", "list"}, {"TERM=xterm"}).output;
    CHECK(contains(plain, "good"));
    CHECK_FALSE(contains(plain, "\033"));

    const auto coloured = task_list(cluster, {"TERM=xterm"});
    CHECK(contains(coloured, "\033[32m"));
    CHECK(std::regex_replace(coloured, std::regex{"\033\\[[0-9]*m"}, "") == plain);
    CHECK(task_list(cluster, {"TERM=xterm", "NO_COLOR=1"}) == plain);
    CHECK(task_list(cluster, {"TERM=dumb"}) == plain);
}

// Goal: a terminal shows that a slow command is still working.
// Method: wait on a terminal until the counter has changed; then wait without a terminal.
TEST_CASE("a terminal shows the progress of a wait", "[integration][terminal]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 2)});
    const auto output = cluster.directory() + "/answer";
    PseudoTerminal terminal;
    Process muster{
        on_terminal(cluster, terminal, output, {"wait", "web", "--timeout", in_ms(paces(600))})};
    CHECK(terminal.counts("waiting for 'web' "));
    cluster.start_agent("n2");
    CHECK(muster.wait(soon()) == Exit{.code = 0});
    const std::string wiped = "\r\033[K";
    CHECK(terminal.all().ends_with(wiped));
    CHECK(contains(text_of(output), "web"));
    CHECK_FALSE(contains(text_of(output), "\033"));

    cluster.apply({cluster.task("more", 3)});
    const auto silent =
        cluster.muster({"wait", "more", "--timeout", in_ms(paces(12))}, {"TERM=xterm"});
    CHECK(silent.exit == Exit{.code = 5});
    CHECK_FALSE(contains(silent.errors, "\r"));
    CHECK_FALSE(contains(silent.errors, "\033"));
}

// Goal: the same for a coordinator that does not answer.
// Method: ask an endpoint without a listener until the counter has changed; then interrupt.
TEST_CASE("a terminal shows that an answer is awaited", "[integration][terminal]") {
    Cluster cluster{{.nodes = {}}};
    const auto nobody = free_endpoints().operators;
    PseudoTerminal terminal;
    Process muster{on_terminal(cluster, terminal, cluster.directory() + "/answer",
                               {"status", "-c", nobody, "--timeout", in_ms(paces(600))})};
    CHECK(terminal.counts("status: waiting for " + nobody + " "));
    muster.signal(SIGINT);
    CHECK(muster.wait(soon()) == Exit{.code = -1, .signal = SIGINT});
}

}  // namespace muster::integration
