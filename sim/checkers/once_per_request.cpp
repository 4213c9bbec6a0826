#include "sim/checkers/once_per_request.hpp"

#include <variant>

#include "common/codec/codec.hpp"
#include "sim/model/trace.hpp"

namespace muster::sim {

void OncePerRequest::see(Instant, const RequestMade& made) {
    if (codec::is_change(made.request.body)) {
        changes_.insert(made.request.id);
    }
}

void OncePerRequest::see(Instant, const Committed& committed) {
    for (const coordinator::Persist& persist : committed.persists) {
        for (const coordinator::Write& write : persist.writes) {
            const auto* row = std::get_if<coordinator::StoredRequest>(&write);
            if (row != nullptr && !took_effect_.insert(row->id).second) {
                violated("S3", "request {} took effect twice", to_string(row->id));
            }
        }
    }
}

void OncePerRequest::see(Instant, const StoreReplaced&) {
    changes_.clear();  // Of what was asked before, answers of both stores may be on their way.
    took_effect_.clear();
    answers_.clear();
}

void OncePerRequest::see(Instant now, const CivilTold& told) {
    clock_jumped_ = clock_jumped_ || told.at != civil(now);
}

void OncePerRequest::see(Instant, const ReplyHeard& heard) {
    // That an id is too old or too new says nothing of what became of it: clocks decide that.
    const bool is_of_clocks = clock_jumped_ && !heard.reply.result &&
                              heard.reply.result.error().code == Errc::stale_request;
    if (!changes_.contains(heard.reply.id) || is_of_clocks) {
        return;
    }
    std::string bytes;
    codec::encode(heard.reply, bytes);
    const auto [first, is_first] = answers_.emplace(heard.reply.id, bytes);
    if (!is_first && first->second != bytes) {
        violated("S3", "request {} got two different answers", to_string(heard.reply.id));
    }
}

}  // namespace muster::sim
