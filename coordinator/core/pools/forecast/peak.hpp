#pragma once

#include "coordinator/core/pools/forecast/window.hpp"

namespace muster::coordinator {

/// The most that was needed in the last time; what is older counts less, by `decay` at the far end
/// of the window. Good for need that comes in waves, which soon come again.
class Peak {
public:
    struct Options {
        Duration window = 15min;
        std::uint32_t decay_percent = 5;  ///< At most 100.
    };

    explicit Peak(const Options& options)
        : decay_percent_{options.decay_percent}, window_{options.window} {}

    void observe(const NeedSample& sample) { window_.add(sample); }
    [[nodiscard]] Amount predict(CivilMs at) const;

private:
    friend struct CoreFields;

    std::uint32_t decay_percent_;
    Window window_;
};

}  // namespace muster::coordinator
