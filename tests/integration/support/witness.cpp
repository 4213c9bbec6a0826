#include "tests/integration/support/witness.hpp"

#include <algorithm>
#include <csignal>
#include <poll.h>

namespace muster::integration {

namespace {

using namespace std::chrono_literals;

constexpr auto nap = 5ms;

}  // namespace

bool is_inconclusive(std::chrono::milliseconds stalled, std::chrono::milliseconds pace) {
    return stalled > pace / 3;
}

Witness::Witness()
    : thread_{[this](const std::stop_token& ends) {
          sigset_t all;  // Signals are for the threads of the test.
          sigfillset(&all);
          pthread_sigmask(SIG_BLOCK, &all, nullptr);
          while (!ends.stop_requested()) {
              poll(nullptr, 0, static_cast<int>(nap.count()));
              const auto now = Clock::now();
              // From one to the next, so that no stall falls between two naps.
              longest_ = std::max(longest_.load(), now - woke_.load() - nap);
              woke_ = now;
          }
      }} {}

Witness::~Witness() = default;

std::chrono::milliseconds Witness::longest_oversleep() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(longest_.load(), Clock::now() - woke_.load() - nap));
}

}  // namespace muster::integration
