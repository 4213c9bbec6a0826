#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/coordinator.hpp"
#include "sim/model/world.hpp"

namespace muster::sim {

/// The operators' clients. Each asks one question, and asks again with the same request id until
/// it has an answer that is final: one that says the change was made, or why it never will be.
class Operators {
public:
    explicit Operators(World& world) : world_{world}, random_{world.options.seed ^ 0x6f70ULL} {}

    /// The number of the question.
    std::size_t ask(Instant now, RequestBody body);
    [[nodiscard]] const std::optional<Reply>& answer(std::size_t question) const;
    [[nodiscard]] bool all_answered() const { return open_ == 0; }
    /// Sends the request of a question once more, as a client does that lost its answer.
    void repeat(Instant now, std::size_t question);
    /// The random faults of the options end.
    void calm() { faulty_ = false; }

    // Between client and coordinator.
    struct Arrival {
        coordinator::Ticket ticket{};
        CoreRequest request;
    };
    [[nodiscard]] Arrival arrive(Instant now, std::size_t question);
    void reply(Instant now, const coordinator::ReplyTo& reply);
    void forget_tickets() { tickets_.clear(); }

    // What is due.
    void heard(Instant now, const ReplyArrives& arrival);
    void retry(Instant now, const ClientRetry& retry);

private:
    struct Question {
        Request request;
        std::string bytes;
        std::uint32_t attempts = 0;
        std::optional<Reply> answer;
    };

    void send(Instant now, std::size_t number);
    [[nodiscard]] RequestId new_id(Instant now);

    World& world_;
    Random random_;
    bool faulty_ = true;
    std::vector<Question> questions_;
    std::size_t open_ = 0;
    std::map<coordinator::Ticket, std::size_t> tickets_;
    std::uint64_t last_ticket_ = 0;
};

}  // namespace muster::sim
