#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "tests/integration/support/harness.hpp"

namespace muster::faults {

/// What operators want while things go wrong, tasks `t0`, `t1`, ..., and what was answered to them.
class Changes {
public:
    /// Asks at this endpoint.
    Changes(const integration::Cluster& cluster, std::string endpoint);

    /// One thing more, and its answer: it may be refused.
    integration::Json ask();
    /// One thing more, which is answered when the fault is over, or asked again.
    void send();
    /// Asks what was not answered once more, then for one more thing after each answer, until the
    /// coordinator dies. How many it answered for the first time.
    std::size_t ask_until_dead(integration::Process& coordinator);

    /// All are answered at last.
    void settle();
    /// All that were acknowledged are there and no others, and a retry of the last ones gets the
    /// first answer.
    void check() const;

    [[nodiscard]] std::size_t count() const { return changes_.size(); }

private:
    struct Change {
        integration::Json request;
        integration::Json answer{};  ///< The first that was final; null while there is none.
    };

    void ask_one_more(integration::Client& client);
    std::size_t repeat_unanswered(integration::Client& client);
    void take(const integration::Json& answer);

    const integration::Cluster& cluster_;
    std::string endpoint_;
    std::unique_ptr<integration::Client> patient_;  // By which send() sends.
    std::deque<Change> changes_;
    std::size_t answered_ = 0;  // All before it are.
    std::size_t answers_ = 0;
};

}  // namespace muster::faults
