#include "coordinator/requests/worker.hpp"

#include <memory>
#include <thread>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/host/clock.hpp"
#include "common/net/loop.hpp"

namespace muster::coordinator {

namespace {

/// Records which thread has destroyed it.
struct Mourned {
    explicit Mourned(std::thread::id& given) : by{given} {}
    ~Mourned() { by = std::this_thread::get_id(); }
    Mourned(const Mourned&) = delete;
    Mourned& operator=(const Mourned&) = delete;

    std::thread::id& by;
};

}  // namespace

// Goal: long work is done in another thread, and its effects in this one.
// Method: jobs that record their thread, finished when the descriptor is readable.
TEST_CASE("the effects of jobs happen in the loop's thread, in order", "[worker]") {
    Worker worker;
    net::Loop loop;
    loop.watch(worker.fd(), [&](Instant now) { worker.finish(now); });
    std::vector<int> followed;
    for (int job = 0; job < 10; ++job) {
        worker.submit([&followed, job, here = std::this_thread::get_id()] {
            const auto there = std::this_thread::get_id();
            return [&followed, job, here, there](Instant) {
                CHECK(there != here);
                CHECK(std::this_thread::get_id() == here);
                followed.push_back(job);
            };
        });
    }
    while (worker.pending() > 0) {
        loop.turn(net::boottime_now() + 1s);
    }
    CHECK(followed == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("discarded objects are destroyed in the worker's thread", "[worker]") {
    Worker worker;
    std::thread::id by;
    worker.discard(std::make_shared<Mourned>(by));
    worker.finish_all({});
    CHECK(worker.pending() == 0);
    CHECK(by != std::thread::id{});
    CHECK(by != std::this_thread::get_id());
}

}  // namespace muster::coordinator
