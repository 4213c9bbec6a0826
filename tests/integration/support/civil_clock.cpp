#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// A library for LD_PRELOAD: it adds to the civil clock the number of seconds that is in the file
// CIVIL_CLOCK at that moment. Other clocks do not change.

namespace {

const volatile std::int64_t* map_offset() {
    const char* const path = std::getenv("CIVIL_CLOCK");
    const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        std::abort();
    }
    void* const page = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        std::abort();
    }
    close(file);
    return static_cast<const volatile std::int64_t*>(page);
}

}  // namespace

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the names in the system
// header are reserved.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    static const volatile std::int64_t* const offset = map_offset();
    const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        time->tv_sec += *offset;
    }
    return result;
}
