#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace muster {

/// The present name of a key of earlier versions; empty: there was no such key. A file with an old
/// key is refused, because a silently ignored setting is worse.
[[nodiscard]] constexpr std::string_view present_name(std::string_view old_key) {
    if (old_key == "term") {
        return "round";
    }
    if (old_key == "goodbye_grace") {
        return "departure_grace";
    }
    return old_key == "forget_after" ? "max_lost" : "";
}

/// Our key for a key of other orchestrators; empty: none is known.
[[nodiscard]] constexpr std::string_view usual_name(std::string_view foreign_key) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 20> names{{
        {"command", "argv"},
        {"cmd", "argv"},
        {"args", "argv"},
        {"exec", "argv"},
        {"replicas", "instances"},
        {"count", "instances"},
        {"scale", "instances"},
        {"environment", "env"},
        {"env_file", "env_files"},
        {"cwd", "workdir"},
        {"working_dir", "workdir"},
        {"working_directory", "workdir"},
        {"kill_timeout", "grace"},
        {"stop_timeout", "grace"},
        {"kill_signal", "stop_signal"},
        {"restart_policy", "restart"},
        {"ulimits", "rlimits"},
        {"labels", "constraints"},
        {"group", "user_group"},
        {"logging", "log"},
    }};
    const auto found =
        std::ranges::find(names, foreign_key, [](const auto& pair) { return pair.first; });
    return found == names.end() ? std::string_view{} : found->second;
}

}  // namespace muster
