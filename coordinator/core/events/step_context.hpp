#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/events/event_log.hpp"
#include "coordinator/core/io.hpp"

namespace muster::coordinator {

/// Civil time for people, computed from the last CivilTime input. 0 until the first one.
class CivilClock {
public:
    void set(Instant now, CivilMs civil) {
        civil_ = civil;
        set_at_ = now;
    }
    /// As last set; 0: never.
    [[nodiscard]] CivilMs last() const { return civil_.value_or(CivilMs{}); }
    [[nodiscard]] CivilMs at(Instant now) const { return known_at(now).value_or(CivilMs{}); }
    [[nodiscard]] std::optional<CivilMs> known_at(Instant now) const {
        if (!civil_) {
            return std::nullopt;
        }
        return static_cast<CivilMs>(raw(*civil_) + to_ms(now - set_at_));
    }

private:
    friend struct CoreFields;

    std::optional<CivilMs> civil_;
    Instant set_at_{};
};

/// One step on its way through the rooms: its time, and its output.
struct StepContext {
    Instant now;
    const CivilClock& clock;
    EventLog& events;
    Output output{};

    [[nodiscard]] CivilMs civil() const { return clock.at(now); }
    void emit(std::string topic, std::string_view name, std::string detail = {}) {
        events.add(civil(), std::move(topic), name, std::move(detail));
    }
    /// Answers an agent whose message is refused.
    void refuse(Session session, Errc code, std::string detail) {
        output.messages.push_back(
            {session, Refused{.code = code, .detail = std::move(detail), .known = {}}});
    }
};

/// One operator's request on its way through the core.
struct RequestContext {
    StepContext& step;
    const FromOperator& input;

    [[nodiscard]] Ticket ticket() const { return input.ticket; }
    [[nodiscard]] const CoreRequest& request() const { return *input.request; }
    void reply(Result<ReplyBody> result) const {
        step.output.replies.push_back({input.ticket, Reply{request().id, std::move(result)}});
    }
};

}  // namespace muster::coordinator
