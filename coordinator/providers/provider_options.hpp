#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/names.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

enum class ProviderKind : std::uint8_t {
    command,        ///< Any program.
    local_process,  ///< The program of muster that makes nodes of this host's processes.
};

/// A provider or a predictor, as the configuration has it. No request ever names a program.
struct ProviderOptions {
    std::string name;
    ProviderKind kind = ProviderKind::command;
    std::vector<std::string> command{};    ///< The file of the program, then its first arguments.
    std::string directory{};               ///< Of local processes. Empty: the default.
    std::vector<std::string> arguments{};  ///< More words for the program of local processes.
    Duration deadline = 60s;               ///< Of one call.
};

struct OutsideOptions {
    std::vector<ProviderOptions> providers{};  ///< By their names, as the predictors.
    std::vector<ProviderOptions> predictors{};
};

}  // namespace muster::coordinator

namespace muster {

template <>
inline constexpr auto enum_names<coordinator::ProviderKind> = name_list("command", "local-process");

}  // namespace muster
