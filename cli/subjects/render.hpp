#pragma once

#include <cstddef>
#include <string>

#include "cli/screen/table.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

/// Answers as people read them. Pure; everything that came from the cluster is made printable.
namespace muster::cli {

/// Whole lines. `now` turns times into ages.
[[nodiscard]] std::string render(const ReplyBody& reply, CivilMs now, const Style& style);

/// Events in lines: sequence, time, topic, name and what happened. The columns stand below each
/// other, as far as is known when a line is written how wide they have to be.
class EventLines {
public:
    explicit EventLines(const Style& style) : style_{style} {}

    void make_room_for(const Event& event);
    [[nodiscard]] std::string text_of(const Event& event);

private:
    Style style_;
    std::size_t topic_ = 16;
    std::size_t name_ = 0;
};

}  // namespace muster::cli
