#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/io.hpp"

namespace muster::coordinator {

/// What operators asked of agents, each until all of them have answered or its time is over. The
/// answer begins as what is said of those that do not answer.
///
/// Bounded: so many answers of agents are awaited at once. What is asked changes nothing that is
/// wanted, and polls do not wait for it.
class AgentCalls {
public:
    struct Request {
        std::vector<Ticket> tickets;  ///< One, unless it was said again meanwhile.
        RequestId id;
        Instant deadline;
        InstanceId instance;      ///< Whose log it is about.
        std::string tasks;        ///< About whose use it is: a pattern.
        Result<ReplyBody> reply;  ///< As it is if nobody answers any more.
        std::map<ErrandNumber, NodeIndex> awaited;
    };

    /// `busy` if these many more answers are too many to wait for.
    [[nodiscard]] Result<void> check_room(std::size_t answers) const;
    /// One that nobody is asked for yet.
    Request& open(Instant now, Ticket ticket, const RequestId& id, Result<ReplyBody> reply);
    [[nodiscard]] ErrandNumber ask(Request& request, NodeIndex node);

    /// A request that is to be carried out once and was asked before: it gets the one answer.
    [[nodiscard]] bool is_repeated(Ticket ticket, const RequestId& id,
                                   std::vector<ReplyTo>& replies);

    /// The request that waits for this answer of this node, which it does no more; null: none does.
    [[nodiscard]] Request* answered(ErrandNumber number, NodeIndex node);
    /// Answers what waits for nobody, and what has waited too long.
    void answer_due(Instant now, std::vector<ReplyTo>& replies);
    void fail_all(const Error& error, std::vector<ReplyTo>& replies);
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    friend struct CoreFields;

    void reply(const Request& request, std::vector<ReplyTo>& replies);

    std::deque<Request> requests_;  // In the order of their deadlines.
    std::size_t awaited_ = 0;       // Of all.
    ErrandNumber last_{};
    bool has_answered_ = false;          // Some request may wait for nobody.
    std::deque<Shared<Reply>> signals_;  // The last ones: signals are sent once.
};

}  // namespace muster::coordinator
