#include <csignal>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

/// A user other than root, with copies of the programs and directories of its own: the user who
/// runs the test, or nobody if that is root.
class PlainUser {
public:
    PlainUser() {
        for (const auto* const name :
             {"muster", "muster-agent", "muster-coordinator", "muster-shim"}) {
            std::filesystem::copy_file(integration::program(name), program(name));
        }
        for (const auto* const name : {"/home", "/runtime", "/state"}) {
            std::filesystem::create_directory(path() + name);
        }
        if (geteuid() == 0) {
            become_ = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
            id_ = 65534;
            for (const auto& entry : std::filesystem::directory_iterator{path()}) {
                give_away(entry.path());
            }
            give_away(path());
        }
    }

    /// False: there is only root here, or the user cannot enter the directory.
    [[nodiscard]] bool exists() const {
        const auto tested = run(path(), as({"/usr/bin/test", "-x", program("muster")}));
        return given_ && tested.exit == Exit{.code = 0};
    }
    [[nodiscard]] const std::string& path() const { return directory_.path(); }
    [[nodiscard]] uid_t id() const { return id_; }
    [[nodiscard]] std::string program(const std::string& name) const { return path() + "/" + name; }
    /// The command line that runs the program as this user.
    [[nodiscard]] std::vector<std::string> as(std::vector<std::string> argv) const {
        argv.insert(argv.begin(), become_.begin(), become_.end());
        return argv;
    }

private:
    void give_away(const std::string& what) {
        given_ = chown(what.c_str(), id_, id_) == 0 && chmod(what.c_str(), 0700) == 0 && given_;
    }

    Directory directory_;
    std::vector<std::string> become_;
    uid_t id_ = geteuid();
    bool given_ = true;
};

/// True for a private directory of this user.
bool is_private(const std::string& path, uid_t user) {
    struct stat found = {};
    return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == user &&
           (found.st_mode & 0777U) == 0700U;
}

}  // namespace

// Goal: without configuration, an ordinary user gets a cluster with all files in the user's
// directories.
// Method: start the programs as such a user with free ports only, and check where the files are.
TEST_CASE("without a configuration all files are in the directories of the user",
          "[integration][startup]") {
    const PlainUser user;
    if (!user.exists()) {
        WARN("SKIPPED: there is no user but root here");
        return;
    }
    const bool is_set = GENERATE(true, false);  // XDG_STATE_HOME is set.
    const auto state = user.path() + (is_set ? "/state" : "/home/.local/state") + "/muster";
    const auto sockets = user.path() + "/runtime/muster";
    const std::vector<std::string> env{"HOME=" + user.path() + "/home",
                                       "XDG_STATE_HOME=" + (is_set ? user.path() + "/state" : ""),
                                       "XDG_RUNTIME_DIR=" + user.path() + "/runtime"};
    const auto log = user.path() + "/log";
    const auto start = [&](std::vector<std::string> words) {
        words.front() = user.program(words.front());
        return Command{.argv = user.as(words), .env = env, .output = log, .errors = log};
    };
    const auto endpoints = free_endpoints();
    Process coordinator{start({"muster-coordinator", "--insecure-loopback", "--agents",
                               endpoints.agents, "--operators", endpoints.operators, "--events",
                               endpoints.events, "--http", endpoints.http})};
    const bool answered = ask_line("ipc://" + sockets + "/operators.sock", "ping").has_value();
    INFO(text_of(log));
    REQUIRE(answered);
    Process agent{start({"muster-agent", "--name", "n1", "--coordinator", endpoints.agents})};
    REQUIRE(ask_line("ipc://" + sockets + "/agents/n1.sock", "status"));
    CHECK(until([&] {  // Over the socket, which muster finds by itself.
        const auto asked =
            run(user.path(), user.as({user.program("muster"), "status", "-o", "json"}), env);
        return asked.exit == Exit{.code = 0} && Json::parse(asked.output).at("serving") == 1;
    }));

    CHECK(is_private(state + "/coordinator", user.id()));
    CHECK(std::filesystem::exists(state + "/coordinator/store.sqlite"));
    CHECK(is_private(state + "/agents/n1", user.id()));
    CHECK(is_private(sockets, user.id()));
    for (Process* const daemon : {&agent, &coordinator}) {
        daemon->signal(SIGTERM);
        CHECK(daemon->wait(soon()) == Exit{.code = 0});
    }
}

}  // namespace muster::integration
