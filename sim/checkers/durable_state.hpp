#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/checkers/checker.hpp"

namespace muster::sim {

/// S1: what was acknowledged is in the store, with its value. S2: nothing else is.
///
/// The requests whose rows became durable are carried out once more on a model of our own; after
/// every commit the store must say the same of the tasks it touched, and a new leadership must
/// begin with just the model's tasks.
class DurableState : public Checker {
public:
    void see(Instant now, const LeadershipBegan& began);
    void see(Instant now, const Committed& committed);
    void see(Instant now, const StoreReplaced& replaced);
    void see(Instant now, const RequestMade& made);
    void see(Instant now, const ReplyGiven& given);

private:
    void take(const coordinator::Persist& persist, std::set<std::string>& touched);
    void carry_out(const RequestBody& body, std::set<std::string>& touched);
    void compare(const std::string& task, const coordinator::StoreImage& image);

    std::map<RequestId, Request> made_;
    std::set<RequestId> durable_;
    std::map<std::string, WantedTask> model_;
};

}  // namespace muster::sim
