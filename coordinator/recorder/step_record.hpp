#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/recorder/records.hpp"

/// How the records of a file are made and read.
namespace muster::coordinator {

[[nodiscard]] bool same_decisions(const Outcome& a, const Outcome& b);

using Step = std::variant<RecordedInput, Outcome>;

/// Makes records. Its memory is used again: each record is valid until the next.
class StepEncoder {
public:
    [[nodiscard]] std::string_view head(const RecordHead& head);
    [[nodiscard]] std::string_view input(Instant now, const Input& input);
    /// Empty: no outcome. Equal outputs have equal bytes.
    [[nodiscard]] std::string_view outcome(const Output& output);

private:
    std::string bytes_;
    std::string others_;
    std::string scratch_;
    std::vector<ToAgent> untagged_;
};

[[nodiscard]] Result<RecordHead> decode_head(std::string_view record);
[[nodiscard]] Result<Step> decode_step(std::string_view record);

}  // namespace muster::coordinator
