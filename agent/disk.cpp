#include "agent/disk.hpp"

#include <sys/eventfd.h>
#include <utility>

#include "common/ensure.hpp"

namespace muster {

Disk::Disk(StateDirectory& state, JournalFile& journal)
    : state_{state}, journal_{journal}, news_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    ensure(news_.is_open(), "a daemon that just started has files left");
    thread_ = std::thread{[this] { write_until_stopped(); }};
}

Disk::~Disk() {
    {
        const std::lock_guard lock{mutex_};
        is_stopping_ = true;
    }
    work_.notify_one();
    thread_.join();
}

void Disk::write(AgentMemory memory) { submit(memory); }

void Disk::write(JournalWrite changes) { submit(std::move(changes)); }

void Disk::submit(Job job) {
    {
        const std::lock_guard lock{mutex_};
        jobs_.push_back(std::move(job));
    }
    work_.notify_one();
}

std::vector<AgentInput> Disk::collect() {
    eventfd_t count = 0;
    eventfd_read(news_.get(), &count);
    const std::lock_guard lock{mutex_};
    return std::exchange(done_, {});
}

void Disk::write_until_stopped() {
    while (true) {
        std::vector<Job> jobs;
        {
            std::unique_lock lock{mutex_};
            work_.wait(lock, [this] { return !jobs_.empty() || is_stopping_; });
            if (jobs_.empty()) {
                return;
            }
            jobs = std::exchange(jobs_, {});
        }
        for (const Job& job : jobs) {
            AgentInput done = carry_out(job);
            const std::lock_guard lock{mutex_};
            done_.push_back(std::move(done));
            eventfd_write(news_.get(), 1);
        }
    }
}

AgentInput Disk::carry_out(const Job& job) {
    if (const auto* memory = std::get_if<AgentMemory>(&job)) {
        const auto written = state_.write_memory(*memory);
        return written ? AgentInput{Remembered{}} : RememberFailed{written.error().detail};
    }
    const auto written = journal_.write(std::get<JournalWrite>(job));
    return written ? AgentInput{Journaled{}} : JournalFailed{written.error().detail};
}

}  // namespace muster
