#include "common/net/host/clock.hpp"

#include <ctime>

namespace muster::net {
namespace {

Duration read(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

}  // namespace

Instant boottime_now() { return Instant{read(CLOCK_BOOTTIME)}; }

CivilMs civil_now() { return CivilMs{to_ms(read(CLOCK_REALTIME))}; }

}  // namespace muster::net
