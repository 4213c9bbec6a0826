#include "coordinator/core/state/state.hpp"

/// Requests that make nothing durable: all but a wait are answered at once.
namespace muster::coordinator {

void State::ask(const Asked& asked, const PingRequest& /*request*/) {
    answer(asked, ReplyBody{PingReply{options.version, meta.cluster, meta.epoch}});
}

void State::ask(const Asked& asked, const StatusRequest& /*request*/) {
    answer(asked, ReplyBody{status(asked.now)});
}

void State::ask(const Asked& asked, const StatsRequest& /*request*/) {
    answer(asked, ReplyBody{stats(asked.now)});
}

void State::ask(const Asked& asked, const ReportedRequest& request) const {
    answer(asked, reported(request.pattern));
}

void State::ask(const Asked& asked, const NodeListRequest& request) const {
    answer(asked, list_nodes(asked.now, request.pattern));
}

void State::ask(const Asked& asked, const NodeShowRequest& request) const {
    answer(asked, show_node(asked.now, request.name));
}

void State::ask(const Asked& asked, const TaskListRequest& request) const {
    answer(asked, list_tasks(request.pattern));
}

void State::ask(const Asked& asked, const TaskShowRequest& request) const {
    answer(asked, show_task(asked.now, request.name));
}

void State::ask(const Asked& asked, const EventsRequest& request) const {
    answer(asked, ReplyBody{events.since(request.since, request.limit)});
}

void State::ask(const Asked& asked, const WaitRequest& request) {
    news = true;
    if (auto taken =
            waits.add(asked.ticket, request, asked.request.id, asked.now, pending.last_number());
        !taken) {
        answer(asked, tl::unexpected{taken.error()});
    }
}

void State::ask(const Asked& asked, const TermNowRequest& /*request*/) {
    terms.hurry(asked.now);
    answer(asked, ReplyBody{TermReply{next(terms.current())}});
}

void State::ask(const Asked& asked, const HelpRequest& /*request*/) {
    answer(asked, fail(Errc::refused, "the daemon answers this itself"));
}

void State::ask(const Asked& asked, const LogLevelRequest& /*request*/) {
    answer(asked, fail(Errc::refused, "the daemon answers this itself"));
}

}  // namespace muster::coordinator
