#pragma once

#include <optional>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/log/log.hpp"

namespace muster::agent {

/// What the log tells of refusals. An agent that is refused tries again each second, perhaps for
/// days: the first of its kind is news, and one now and then.
class RefusalTalk {
public:
    /// Of those with this code, which becomes the last.
    [[nodiscard]] log::RateLimit& limit(Errc code) {
        if (code != last_) {
            limit_ = log::RateLimit{1, interval};
            last_ = code;
        }
        return limit_;
    }
    void welcomed() { last_.reset(); }

    /// What follows the reason that the coordinator gave: what a person can do about it.
    [[nodiscard]] static std::string_view advice(Errc code) {
        return code == Errc::name_in_use
                   ? "; stop the other agent of this name, or start this one with another --name"
                   : "";
    }

private:
    static constexpr Duration interval = 10min;

    log::RateLimit limit_{1, interval};
    std::optional<Errc> last_;
};

}  // namespace muster::agent
