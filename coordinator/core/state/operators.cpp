#include <utility>

#include "coordinator/core/state/state.hpp"

/// What operators ask: each kind of request has one function, in the file of its subject.
namespace muster::coordinator {

void State::apply(Instant now, const FromOperator& input, Output& output) {
    const Asked asked{now, input.ticket, input.request, output};
    std::visit([&](const auto& request) { ask(asked, request); }, input.request.body);
}

void State::answer(const Asked& asked, Result<ReplyBody> result) {
    asked.output.replies.push_back({asked.ticket, Reply{asked.request.id, std::move(result)}});
}

void State::turn_away(const Input& input, Output& output) {
    if (const auto* asked = std::get_if<FromOperator>(&input)) {
        output.replies.push_back(
            {asked->ticket,
             Reply{asked->request.id,
                   fail(Errc::not_leader, "this coordinator does not lead any more")}});
    }
}

}  // namespace muster::coordinator
