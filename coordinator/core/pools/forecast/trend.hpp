#pragma once

#include "coordinator/core/pools/forecast/window.hpp"

namespace muster::coordinator {

/// The line through what was needed in the last time, some time ahead: the least squares of Gauss.
/// A sum over the window also hides noise, which would ask for nodes and let them go again.
class Trend {
public:
    struct Options {
        Duration window = 10min;
        Duration ahead = 2min;  ///< As long as a node takes to come.
    };

    explicit Trend(const Options& options) : ahead_{options.ahead}, window_{options.window} {}

    void observe(const NeedSample& sample) { window_.add(sample); }
    [[nodiscard]] Amount predict(CivilMs at) const;

private:
    friend struct CoreFields;

    Duration ahead_;
    Window window_;
};

}  // namespace muster::coordinator
