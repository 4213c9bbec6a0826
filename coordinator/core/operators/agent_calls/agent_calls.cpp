#include "coordinator/core/operators/agent_calls/agent_calls.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"

namespace muster::coordinator {

Result<void> AgentCalls::check_room(std::size_t answers) const {
    if (answers > limits::agent_calls) {
        return fail(Errc::too_large, std::to_string(answers) + " nodes are too many to ask at " +
                                         "once; name fewer, at most " +
                                         std::to_string(limits::agent_calls));
    }
    if (awaited_ + answers > limits::agent_calls) {
        return fail(Errc::busy, "agents already owe " + std::to_string(awaited_) +
                                    " answers to operators; ask again");
    }
    return {};
}

AgentCalls::Request& AgentCalls::open(Instant now, Ticket ticket, const RequestId& id,
                                      Result<ReplyBody> reply) {
    has_answered_ = true;
    return requests_.emplace_back(Request{.tickets = {ticket},
                                          .id = id,
                                          .deadline = now + limits::agent_call_patience,
                                          .instance = {},
                                          .tasks = {},
                                          .reply = std::move(reply),
                                          .awaited = {}});
}

AgentCallNumber AgentCalls::ask(Request& request, NodeIndex node) {
    last_ = next(last_);
    request.awaited.emplace(last_, node);
    ++awaited_;
    return last_;
}

bool AgentCalls::is_repeated(Ticket ticket, const RequestId& id, std::vector<ReplyTo>& replies) {
    if (id.is_none()) {
        return false;
    }
    const auto open = std::ranges::find(requests_, id, &Request::id);
    if (open != requests_.end()) {
        open->tickets.push_back(ticket);
        return true;
    }
    const auto known =
        std::ranges::find_if(signals_, [&](const auto& reply) { return reply->id == id; });
    if (known == signals_.end()) {
        return false;
    }
    replies.push_back({ticket, *known});
    return true;
}

AgentCalls::Request* AgentCalls::answered(AgentCallNumber number, NodeIndex node) {
    for (Request& request : requests_) {
        const auto found = request.awaited.find(number);
        if (found != request.awaited.end() && found->second == node) {
            request.awaited.erase(found);
            --awaited_;
            has_answered_ = true;
            return &request;
        }
    }
    return nullptr;
}

void AgentCalls::answer_due(Instant now, std::vector<ReplyTo>& replies) {
    const bool is_due = !requests_.empty() && requests_.front().deadline <= now;
    if (!is_due && !std::exchange(has_answered_, false)) {
        return;
    }
    std::erase_if(requests_, [&](const Request& request) {
        if (!request.awaited.empty() && now < request.deadline) {
            return false;
        }
        reply(request, replies);
        return true;
    });
}

void AgentCalls::reply(const Request& request, std::vector<ReplyTo>& replies) {
    const Shared<Reply> answer{Reply{request.id, request.reply}};
    for (const Ticket ticket : request.tickets) {
        replies.push_back({ticket, answer});
    }
    awaited_ -= request.awaited.size();
    if (request.reply && std::holds_alternative<TaskSignalReply>(*request.reply)) {
        signals_.push_back(answer);
        if (signals_.size() > limits::agent_call_answers_kept) {
            signals_.pop_front();
        }
    }
}

void AgentCalls::fail_all(const Error& error, std::vector<ReplyTo>& replies) {
    for (Request& request : requests_) {
        request.reply = tl::unexpected{error};
        reply(request, replies);
    }
    requests_.clear();
}

std::optional<Instant> AgentCalls::next_deadline() const {
    return requests_.empty() ? std::nullopt : std::optional{requests_.front().deadline};
}

}  // namespace muster::coordinator
