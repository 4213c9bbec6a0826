#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>

#include "common/codec/codec.hpp"
#include "sim/checkers/checker.hpp"
#include "sim/model/trace.hpp"

namespace muster::sim {

/// S3: a request id takes effect at most once, and its client gets the same answer to each
/// repetition. Errors that only mean "not now", and rejections of ids after a clock jumped, are not
/// answers. Nor are denials: they depend on the key of the caller, which may be admitted or end
/// between two repetitions (S19).
class OncePerRequest : public Checker {
public:
    void on(Instant, const Committed& committed) {
        for (const coordinator::Persist& persist : committed.persists) {
            for (const coordinator::Write& write : persist.writes) {
                const auto* row = std::get_if<coordinator::StoredRequest>(&write);
                if (row != nullptr && !took_effect_.insert(row->id).second) {
                    violated("S3", "request {} took effect twice", to_string(row->id));
                }
            }
        }
    }

    void on(Instant, const StoreReplaced&) {
        changes_.clear();  // Answers of both stores to earlier requests may be on their way.
        took_effect_.clear();
        answers_.clear();
    }

    void on(Instant, const RequestMade& made) {
        if (codec::is_change(made.request.body)) {
            changes_.insert(made.request.id);
        }
        if (std::holds_alternative<EnrolRequest>(made.request.body)) {
            enrolments_.insert(made.request.id);
        }
    }

    void on(Instant now, const CivilClockRead& clock) {
        clock_jumped_ = clock_jumped_ || clock.at != civil(now);
    }

    void on(Instant, const ReplyReceived& received) {
        // That an id is too old or too new proves nothing about its request: clocks decide that.
        const bool is_of_clocks = clock_jumped_ && !received.reply.result &&
                                  received.reply.result.error().code == Errc::stale_request;
        const bool is_denied =
            !received.reply.result && received.reply.result.error().code == Errc::denied;
        if (!changes_.contains(received.reply.id) || is_of_clocks || is_denied) {
            return;
        }
        // An answer that admits nobody is not kept: strangers would fill what is kept for others.
        if (enrolments_.contains(received.reply.id) && !admits(received.reply)) {
            return;
        }
        std::string bytes;
        codec::encode(received.reply, bytes);
        const auto [first, is_first] = answers_.emplace(received.reply.id, bytes);
        if (!is_first && first->second != bytes) {
            violated("S3", "request {} got two different answers", to_string(received.reply.id));
        }
    }

private:
    static bool admits(const Reply& reply) {
        const auto* const enrolled =
            reply.result ? std::get_if<EnrolReply>(&*reply.result) : nullptr;
        return enrolled != nullptr && !enrolled->pending;
    }

    bool clock_jumped_ = false;
    std::set<RequestId> changes_;
    std::set<RequestId> enrolments_;
    std::set<RequestId> took_effect_;
    std::map<RequestId, std::string> answers_;  ///< The first answer, as bytes.
};

}  // namespace muster::sim
