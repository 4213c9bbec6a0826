#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/model/observation.hpp"

namespace muster::sim {

/// Checks one promise, or a few that need the same records. A checker gets those observations for
/// which it has an `on(now, observation)`, and costs no more than what changed.
class Checker {
public:
    Checker() = default;
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    [[nodiscard]] std::vector<Violation> take_violations() { return std::exchange(found_, {}); }

protected:
    ~Checker() = default;

    template <class... Values>
    void violated(std::string property, fmt::format_string<Values...> what, Values&&... values) {
        found_.push_back({std::move(property), fmt::format(what, std::forward<Values>(values)...)});
    }

private:
    std::vector<Violation> found_;
};

}  // namespace muster::sim
