#include "common/net/host/notify.hpp"

#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/catch.hpp"

#include "tests/temporary_directory.hpp"

namespace muster {
namespace {

/// Sets an environment variable for the duration of a test.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_{name} {
        setenv(name, value.c_str(), 1);
    }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

}  // namespace

// Goal: systemd learns when the daemon is ready.
// Method: listen as systemd does.
TEST_CASE("a state is sent to the socket that systemd names", "[net][notify]") {
    const TemporaryDirectory directory;
    const auto path = directory.path() + "/notify";
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    REQUIRE(fd >= 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    {
        const Variable variable{"NOTIFY_SOCKET", path};
        net::notify_systemd("READY=1");
    }
    char text[32] = {};
    CHECK(recv(fd, text, sizeof(text), MSG_DONTWAIT) == 7);
    CHECK(std::string{text} == "READY=1");
    close(fd);
}

TEST_CASE("without systemd nothing is sent", "[net][notify]") {
    net::notify_systemd("READY=1");
    const Variable nobody{"NOTIFY_SOCKET", "/nonexistent/notify"};
    net::notify_systemd("READY=1");
    CHECK_FALSE(net::watchdog_interval());
}

TEST_CASE("the watchdog is notified twice in each period", "[net][notify]") {
    const Variable usec{"WATCHDOG_USEC", "3000000"};
    CHECK(net::watchdog_interval() == Duration{1500ms});
    {
        const Variable other{"WATCHDOG_PID", "1"};
        CHECK_FALSE(net::watchdog_interval());
    }
    const Variable ours{"WATCHDOG_PID", std::to_string(getpid())};
    CHECK(net::watchdog_interval() == Duration{1500ms});
}

}  // namespace muster
