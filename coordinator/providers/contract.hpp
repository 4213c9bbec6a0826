#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "coordinator/core/pools/providers/provider_calls.hpp"

/// What the coordinator and a program of a provider or a predictor say to each other. People who
/// write such programs read docs/reference/provider-programs.md. Nothing here touches the system.
namespace muster::coordinator {

/// What follows the words of the command, such as `provision 3`.
[[nodiscard]] std::vector<std::string> arguments_of(const OutsideCall& call);

/// What the program reads from its standard input: one JSON object in a line.
[[nodiscard]] std::string input_of(const ClusterId& cluster, const OutsideCall& call);

/// How a program ended, and what it wrote until then.
struct ProgramEnd {
    int exit_code = 0;  ///< -1: a signal ended it, or the kernel does not say.
    int exit_signal = 0;
    std::string output{};
    std::string errors{};  ///< The end of it is enough.
};

[[nodiscard]] OutsideResult result_of(const OutsideCall& call, const ProgramEnd& end);

/// `provider cloud: list WHAT`, a sentence.
[[nodiscard]] CallFailed failure_of(const OutsideCall& call, std::string_view what);

}  // namespace muster::coordinator
