#pragma once

#include <optional>

#include "common/base/time.hpp"

namespace muster::agent {

/// Whether the writes of one file of the agent succeed, one write at a time.
///
/// Owned by Agent.
class WriteWatch {
public:
    /// The agent writes again this long after a failed write, also if there is nothing new.
    static constexpr Duration between_tries = 1s;
    /// A write that takes longer counts as failed.
    static constexpr Duration longest = 3s;

    /// The write that was due is tried now.
    void tried() { retry_.reset(); }
    void begun(Instant now) {
        since_ = now;
        retry_.reset();
    }
    void succeeded() {
        since_.reset();
        retry_.reset();
        failed_ = false;
    }
    void failed(Instant now) {
        since_.reset();
        retry_ = now + between_tries;
        failed_ = true;
    }

    [[nodiscard]] bool has_failed() const { return failed_; }
    [[nodiscard]] bool is_failing(Instant now) const {
        return failed_ || (since_ && now - *since_ > longest);
    }
    /// When to write again. Nothing: no write has failed, or one is under way.
    [[nodiscard]] std::optional<Instant> retry() const { return retry_; }

private:
    std::optional<Instant> since_;
    std::optional<Instant> retry_;
    bool failed_ = false;
};

}  // namespace muster::agent
