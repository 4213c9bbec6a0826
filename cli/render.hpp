#pragma once

#include <string>

#include "cli/table.hpp"
#include "common/operator.hpp"
#include "common/time.hpp"

/// Answers as people read them. Pure; everything that came from the cluster is made printable.
namespace muster::cli {

/// Whole lines. `now` turns times into ages.
[[nodiscard]] std::string render(const ReplyBody& reply, CivilMs now, const Style& style);

/// One line: time, topic, name and what happened.
[[nodiscard]] std::string render(const Event& event, const Style& style);

}  // namespace muster::cli
