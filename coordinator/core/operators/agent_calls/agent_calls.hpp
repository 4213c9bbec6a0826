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

/// Open calls of operators to agents, each until all agents have answered or its deadline. A reply
/// begins as the result without any answer.
///
/// The number of awaited answers is bounded. A call does not change what is wanted, and polls do
/// not wait for it.
class AgentCalls {
public:
    struct Request {
        std::vector<Ticket> tickets;  ///< One, unless the request was repeated.
        RequestId id;
        Instant deadline;
        InstanceId instance;                  ///< The instance whose log is read.
        std::string tasks;                    ///< A pattern: the tasks whose usage is asked for.
        std::vector<std::string> pools{};     ///< The scope of the caller,
        std::vector<std::string> of_tasks{};  ///< as its key has it.
        Result<ReplyBody> reply;              ///< The reply if no more agent answers.
        std::map<AgentCallNumber, NodeIndex> awaited;
    };

    /// `busy` if this many more answers are too many to wait for.
    [[nodiscard]] Result<void> check_room(std::size_t answers) const;
    /// Opens a request that no agent is asked for yet.
    Request& open(Instant now, Ticket ticket, const RequestId& id, Result<ReplyBody> reply);
    [[nodiscard]] AgentCallNumber ask(Request& request, NodeIndex node);

    /// True if a request that runs only once was sent before: the ticket gets the same answer.
    [[nodiscard]] bool is_repeated(Ticket ticket, const RequestId& id,
                                   std::vector<ReplyTo>& replies);

    /// The request that waited for this answer of this node. Null: none waited for it.
    [[nodiscard]] Request* answered(AgentCallNumber number, NodeIndex node);
    /// Replies to requests that wait for no agent, or whose deadline has passed.
    void answer_due(Instant now, std::vector<ReplyTo>& replies);
    void fail_all(const Error& error, std::vector<ReplyTo>& replies);
    [[nodiscard]] std::optional<Instant> next_deadline() const;

private:
    friend struct CoreFields;

    void reply(const Request& request, std::vector<ReplyTo>& replies);

    std::deque<Request> requests_;  // In the order of their deadlines.
    std::size_t awaited_ = 0;       // In all requests.
    AgentCallNumber last_{};
    bool has_answered_ = false;  // Some request may wait for no more agent.
    // The last replies: a repeated request must not send a signal again.
    std::deque<Shared<Reply>> signals_;
};

}  // namespace muster::coordinator
