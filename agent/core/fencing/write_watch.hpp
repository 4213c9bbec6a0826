#pragma once

#include <optional>

#include "common/base/time.hpp"

namespace muster::agent {

/// Whether the disk takes one of the files that an agent writes, one write at a time.
///
/// Owned by Agent.
class WriteWatch {
public:
    /// A disk that failed is written to again after this long, also if there is nothing new.
    static constexpr Duration between_tries = 1s;
    /// What takes longer has failed, as far as anybody who waits for it can tell.
    static constexpr Duration longest = 3s;

    /// What was to be tried is tried now.
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
    /// When it is to be tried again. Nothing: it has not failed, or is being tried.
    [[nodiscard]] std::optional<Instant> retry() const { return retry_; }

private:
    std::optional<Instant> since_;
    std::optional<Instant> retry_;
    bool failed_ = false;
};

}  // namespace muster::agent
