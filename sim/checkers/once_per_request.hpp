#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S3: a request id takes effect at most once, and its client hears one answer however often it
/// asks. Errors that only say "not now" are no answer, nor is what a clock that jumped makes of
/// ids.
class OncePerRequest : public Checker {
public:
    void see(Instant now, const Committed& committed);
    void see(Instant now, const StoreReplaced& replaced);
    void see(Instant now, const RequestMade& made);
    void see(Instant now, const CivilTold& told);
    void see(Instant now, const ReplyHeard& heard);

private:
    bool clock_jumped_ = false;
    std::set<RequestId> changes_;
    std::set<RequestId> took_effect_;
    std::map<RequestId, std::string> answers_;  ///< The first, as bytes.
};

}  // namespace muster::sim
