#include <fcntl.h>
#include <unistd.h>

/// A program of the size of a shim that executes the task at once (bench/agent/agent.cpp).
int main() {
    fcntl(3, F_SETFD, FD_CLOEXEC);
    execl("/bin/sleep", "/bin/sleep", "1000", static_cast<char*>(nullptr));
    return 127;
}
