#pragma once

#include <string_view>

namespace muster {

/// The present name of a key that earlier versions had; empty: there was no such key. A file with
/// an old key is refused, for a setting that is silently ignored is worse than none.
[[nodiscard]] constexpr std::string_view present_name(std::string_view old_key) {
    if (old_key == "term") {
        return "round";
    }
    return old_key == "forget_after" ? "max_lost" : "";
}

}  // namespace muster
