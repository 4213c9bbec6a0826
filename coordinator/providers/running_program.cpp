#include "coordinator/providers/running_program.hpp"

#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/limits.hpp"

namespace muster::coordinator {
namespace {

/// Appends what is there, up to the size of a pipe. False: nothing was.
bool read_some(FileDescriptor& from, std::string& into) {
    std::array<char, std::size_t{64} << 10U> bytes{};
    if (!from.is_open()) {
        return false;
    }
    const auto count = ::read(from.get(), bytes.data(), bytes.size());
    if (count > 0) {
        into.append(bytes.data(), static_cast<std::size_t>(count));
        return true;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        from.reset();
    }
    return false;
}

}  // namespace

RunningProgram::~RunningProgram() {
    if (!has_ended_) {
        kill();
        // Its end may take long, if a disk does not answer. The owner has waited for it before.
        static_cast<void>(waitpid(started_.id, nullptr, WNOHANG));
    }
}

// poll() passes over a file that is closed.
std::array<pollfd, RunningProgram::files> RunningProgram::waits_for() const {
    return {pollfd{started_.input.get(), POLLOUT, 0}, pollfd{started_.output.get(), POLLIN, 0},
            pollfd{started_.errors.get(), POLLIN, 0}, pollfd{started_.process.get(), POLLIN, 0}};
}

void RunningProgram::work(std::span<const pollfd, files> ready) {
    if (ready[0].revents != 0) {
        write_input();
    }
    if (ready[1].revents != 0) {
        static_cast<void>(read_output());
    }
    if (ready[2].revents != 0) {
        static_cast<void>(read_errors());
    }
    if (ready[3].revents != 0) {
        finish();
    }
}

// A program need not read its input: its end of the pipe may be closed.
void RunningProgram::write_input() {
    const auto written = ::write(started_.input.get(), unsent_.data(), unsent_.size());
    if (written < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    unsent_.erase(0, written < 0 ? unsent_.size() : static_cast<std::size_t>(written));
    if (unsent_.empty()) {
        started_.input.reset();
    }
}

bool RunningProgram::has_printed_too_much() const {
    return end_.output.size() > limits::program_output_bytes;
}

bool RunningProgram::read_output() {
    return !has_printed_too_much() && read_some(started_.output, end_.output);
}

// The reason is at the end, so the beginning may go.
bool RunningProgram::read_errors() {
    const bool any = read_some(started_.errors, end_.errors);
    if (end_.errors.size() > limits::program_errors_bytes) {
        end_.errors.erase(0, end_.errors.size() - limits::program_errors_bytes);
    }
    return any;
}

void RunningProgram::kill() {
    if (has_ended_) {
        return;
    }
    // Until it is reaped, no other group can have its number.
    ::kill(-started_.id, SIGKILL);
    started_.input.reset();
    started_.output.reset();
    started_.errors.reset();
}

void RunningProgram::finish() {
    ::kill(-started_.id, SIGKILL);
    // A process of another session may still write, so reading has an end of its own.
    constexpr int most_reads = 64;
    while (read_output()) {
    }
    for (int reads = 0; reads < most_reads && read_errors(); ++reads) {
    }
    siginfo_t how{};
    const bool is_known =
        waitid(P_PID, static_cast<id_t>(started_.id), &how, WEXITED | WNOHANG) == 0;
    end_.exit_code = is_known && how.si_code == CLD_EXITED ? how.si_status : -1;
    end_.exit_signal = is_known && how.si_code != CLD_EXITED ? how.si_status : 0;
    started_.input.reset();
    started_.output.reset();
    started_.errors.reset();
    started_.process.reset();
    has_ended_ = true;
}

}  // namespace muster::coordinator
