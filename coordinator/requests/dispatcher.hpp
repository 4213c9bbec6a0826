#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/shared.hpp"
#include "common/crypto/key.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/requests/freed_memory.hpp"
#include "coordinator/requests/operator_endpoint.hpp"
#include "coordinator/requests/process_answers.hpp"
#include "coordinator/requests/readings.hpp"
#include "coordinator/requests/standing.hpp"
#include "coordinator/requests/worker.hpp"

namespace muster::coordinator {

/// Takes each request of an operator to where it is answered, and the core's answer back. A request
/// is answered by one of these:
///
///     readings_: it reads, and this coordinator leads;    process_: it is about the process;
///     the core:  it changes something, or waits, or this coordinator stands by
class Dispatcher {
public:
    /// What it works with; all of it outlives it.
    struct With {
        Coordinator& core;
        const Standing& standing;
        ProcessAnswers& process;
        Worker& worker;
        const SecretKey& orders;  ///< Encrypts secrets.
    };
    using Step = std::function<void(Instant now, const Input& input)>;
    /// The core's answer with what only the process knows; nothing: it is complete.
    using Complete = std::function<std::optional<Reply>(const Reply& reply)>;

    Dispatcher(const With& with, Step step, Complete complete);

    /// Takes one message off the socket.
    [[nodiscard]] net::Receipt receive(Instant now, OperatorEndpoint& endpoint);
    /// Carries an answer of the core out.
    void reply(const ReplyTo& answer);
    /// Asks the core without an operator.
    Ticket ask(Instant now, CoreRequest request, const Caller& by = {.is_local = true});
    /// The same of a request that only reads, with its answer.
    [[nodiscard]] Shared<Reply> query(Instant now, CoreRequest request,
                                      const Caller& by = {.is_local = true});
    /// At the end of a leadership: everything open is answered with `not_leader`.
    void refuse_all();

    [[nodiscard]] bool has_open() const { return !open_.empty(); }
    [[nodiscard]] Readings& readings() { return readings_; }
    [[nodiscard]] FreedMemory& freed_memory() { return freed_memory_; }
    /// Requests whose sender may not send them.
    [[nodiscard]] std::uint64_t denied() const { return denied_; }
    /// Frees requests that were answered, in the worker's thread: 100,000 tasks take 20 ms.
    void free_answered();

private:
    struct Open {
        OperatorEndpoint* endpoint = nullptr;  // None: we ask ourselves.
        OperatorEndpoint::Asker asker;
        Shared<CoreRequest> request;
    };

    void decode(Instant now, OperatorEndpoint& endpoint, OperatorEndpoint::Question question);
    void dispatch(Instant now, OperatorEndpoint& endpoint, OperatorEndpoint::Question question);
    /// Nothing: the caller may not send it, and was told so.
    [[nodiscard]] bool may_send(Instant now, OperatorEndpoint& endpoint,
                                const OperatorEndpoint::Question& question);
    /// What keeps this coordinator from taking the request now.
    [[nodiscard]] Result<void> check(const RequestBody& request) const;
    /// Neither the core nor the recorder nor the store has secrets as they came.
    [[nodiscard]] Result<void> hide_secrets(OperatorEndpoint::Question& question) const;
    /// In the worker's thread, because the reply is large.
    void write(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
               Shared<Reply> reply);

    With with_;
    Step step_;
    Complete complete_;
    Readings readings_;
    FreedMemory freed_memory_;
    OperatorEndpoint::Question question_;
    std::map<Ticket, Open> open_;
    std::vector<Shared<CoreRequest>> answered_;  // To be freed.
    Shared<Reply> seen_;                         // The answer for query().
    std::uint64_t tickets_ = 0;
    std::uint64_t denied_ = 0;
    std::size_t decoding_ = 0;  // Uploads at the worker.
};

}  // namespace muster::coordinator
