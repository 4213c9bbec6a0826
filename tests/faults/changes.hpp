#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "tests/integration/support/harness.hpp"

namespace muster::faults {

/// The changes that operators request during faults (tasks `t0`, `t1`, ...), and their answers.
class Changes {
public:
    /// Requests go to this endpoint.
    Changes(const integration::Cluster& cluster, std::string endpoint);

    /// Requests one more change and returns its answer, which can be a refusal.
    integration::Json ask();
    /// Requests one more change. It is answered after the fault, or asked again.
    void send();
    /// Repeats the unanswered requests, then requests one more change after each answer, until the
    /// coordinator dies. Returns how many requests it answered for the first time.
    std::size_t request_until_dead(integration::Process& coordinator);

    /// Waits until all requests are answered.
    void await_answers();
    /// Checks that the tasks are exactly the acknowledged ones, and that a retry of the last
    /// requests gets the first answer.
    void check() const;

    [[nodiscard]] std::size_t count() const { return changes_.size(); }

private:
    struct Change {
        integration::Json request;
        integration::Json answer{};  ///< The first final answer; null before it.
    };

    void ask_one_more(integration::Client& client);
    std::size_t repeat_unanswered(integration::Client& client);
    void on_answer(const integration::Json& answer);

    const integration::Cluster& cluster_;
    std::string endpoint_;
    std::unique_ptr<integration::Client> patient_;  // The client that send() uses.
    std::deque<Change> changes_;
    std::size_t answered_ = 0;  // All requests before this one are answered.
    std::size_t answers_ = 0;
};

}  // namespace muster::faults
