#pragma once

#include <memory>
#include <string>

#include "common/base/result.hpp"

namespace muster::coordinator {

/// Which of the coordinators on one directory leads: the one that holds the lock of this file. The
/// others wait for it. The kernel frees it when its holder ends, however that happens.
///
/// It only lets them wait. That a store has one writer is ensured by the store itself.
class LeaderLock {
public:
    /// Asks for the lock, and makes its file if there is none. Returns at once.
    [[nodiscard]] static Result<LeaderLock> ask(const std::string& path);

    /// Readable when the lock has become ours.
    [[nodiscard]] int fd() const;
    /// True once, when it has.
    [[nodiscard]] bool take_news();

private:
    struct Claim;
    explicit LeaderLock(std::shared_ptr<Claim> claim) : claim_{std::move(claim)} {}

    std::shared_ptr<Claim> claim_;
};

}  // namespace muster::coordinator
