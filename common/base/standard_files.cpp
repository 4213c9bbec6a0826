#include "common/base/standard_files.hpp"

#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

namespace muster {

void hold_standard_files() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) < 0) {
            // The lowest free number is taken, which is this one.
            static_cast<void>(open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

}  // namespace muster
