#include <variant>

#include "coordinator/core/queries/read_scope.hpp"
#include "coordinator/core/queries/reads.hpp"
#include "coordinator/core/rooms.hpp"

/// What a coordinator does that does not lead: it answers, and has no other effect.
namespace muster::coordinator {

namespace {

Result<ReplyBody> answer_standing_by(const Facts& facts, const FromOperator& input) {
    const ReadScope scope{facts, input.by};
    const CoreRequestBody& request = input.request->body;
    if (auto may = scope.may_ask(request); !may) {
        return tl::unexpected{std::move(may.error())};
    }
    return std::visit(
        [&]<class Request>(const Request& body) -> Result<ReplyBody> {
            if constexpr (std::is_same_v<Request, EventsRequest>) {
                return ReplyBody{scope.events(body)};
            } else if constexpr (std::is_invocable_v<Reads, const Request&>) {
                return scope.limited(Reads{facts}(body));
            } else {
                return fail(Errc::not_leader, "this coordinator stands by, and does only answer");
            }
        },
        static_cast<const CoreRequestBody::Base&>(request));
}

}  // namespace

Output Rooms::step_standing_by(Instant now, const Input& input) {
    Output output;
    if (const auto* const civil = std::get_if<CivilTime>(&input)) {
        in_.clock.set(now, civil->at);
    } else if (const auto* const asked = std::get_if<FromOperator>(&input)) {
        in_.planning.refresh_totals();
        output.replies.push_back(
            {asked->ticket, Reply{asked->request->id, answer_standing_by(in_.facts(now), *asked)}});
    }
    return output;
}

}  // namespace muster::coordinator
