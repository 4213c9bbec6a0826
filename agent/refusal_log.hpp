#pragma once

#include <optional>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/log/log.hpp"

namespace muster::agent {

/// Which refusals are logged. A refused agent tries again each second, perhaps for days. The first
/// refusal of a kind is logged, and later one from time to time.
class RefusalLog {
public:
    /// The limit for refusals with this code, which becomes the last one.
    [[nodiscard]] log::RateLimit& limit(Errc code) {
        if (code != last_) {
            limit_ = log::RateLimit{1, interval};
            last_ = code;
        }
        return limit_;
    }
    void welcomed() { last_.reset(); }

    /// Advice for the operator, appended to the coordinator's reason.
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
