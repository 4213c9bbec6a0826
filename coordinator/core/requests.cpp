#include "coordinator/core/requests.hpp"

#include <algorithm>
#include <variant>

#include "common/limits.hpp"

namespace muster {

namespace {

/// What an answer costs to keep: the change of one task is the unit.
std::size_t weight_of(const Reply& reply) {
    if (!reply.result) {
        return 1;
    }
    const auto* change = std::get_if<ChangeReply>(&*reply.result);
    return 1 + (change == nullptr ? 0 : change->changes.size());
}

}  // namespace

CivilMs time_of(const RequestId& id) {
    return static_cast<CivilMs>(static_cast<std::int64_t>(id.high >> 16U));
}

Requests::Requests(CivilMs horizon, std::span<const StoredRequest> stored)
    : proposed_horizon_{horizon} {
    for (const StoredRequest& request : stored) {
        remember(request.reply);
    }
}

const Reply* Requests::answer_to(const RequestId& id) const {
    const auto found = answers_.find(id);
    return found == answers_.end() ? nullptr : &found->second;
}

std::optional<Error> Requests::refusal_of(const RequestId& id, std::optional<CivilMs> now) const {
    if (time_of(id) <= proposed_horizon_) {
        return Error{Errc::stale_request,
                     "the request id is older than what is remembered; ask again with a new id"};
    }
    if (now && raw(time_of(id)) > raw(*now) + to_ms(limits::request_id_ahead)) {
        return Error{Errc::stale_request,
                     "the request id is over an hour ahead of the coordinator's clock; set the "
                     "clocks right and ask again with a new id"};
    }
    return std::nullopt;
}

CivilMs Requests::next_horizon(std::optional<CivilMs> now) {
    const auto oldest_kept = now ? raw(*now) - to_ms(limits::request_id_kept) : std::int64_t{0};
    std::size_t count = answers_.size();
    std::size_t weight = weight_;
    for (const auto& [id, reply] : answers_) {
        const bool is_full =
            count >= limits::requests_kept || weight >= limits::request_changes_kept;
        const bool is_gone = time_of(id) <= proposed_horizon_;
        if (!is_full && !is_gone && raw(time_of(id)) >= oldest_kept) {
            break;
        }
        proposed_horizon_ = std::max(proposed_horizon_, time_of(id));
        --count;
        weight -= weight_of(reply);
    }
    return proposed_horizon_;
}

void Requests::remember(const Reply& reply) {
    if (answers_.emplace(reply.id, reply).second) {
        weight_ += weight_of(reply);
    }
}

void Requests::drop_up_to(CivilMs horizon) {
    while (!answers_.empty() && time_of(answers_.begin()->first) <= horizon) {
        weight_ -= weight_of(answers_.begin()->second);
        answers_.erase(answers_.begin());
    }
}

}  // namespace muster
