#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/ensure.hpp"
#include "common/base/random.hpp"
#include "common/codec/codec.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/coordinator.hpp"
#include "sim/model/world.hpp"

namespace muster::sim {

/// The clients of operators. Each sends one request, and repeats it with the same request id until
/// it has a final answer: the change was made, or the reason why it never will be.
class Operators {
public:
    explicit Operators(World& world) : world_{world}, random_{world.options.seed ^ 0x6f70ULL} {}

    /// Returns the number of the request.
    std::size_t ask(Instant now, RequestBody body, coordinator::Caller by = {.is_local = true}) {
        Question question;
        question.by = by;
        question.request = Request{new_id(now), std::move(body)};
        codec::encode(question.request, question.bytes);
        questions_.push_back(std::move(question));
        ++open_;
        const std::size_t number = questions_.size() - 1;
        const Request& request = questions_[number].request;
        world_.trace.line(now, "op asks {}: {}", number, codec::verb_of(request.body));
        world_.checkers.on(now, RequestMade{request, by});
        send(now, number);
        return number;
    }

    /// Sends a request once, and does not wait for its answer.
    void tell(Instant now, RequestBody body) {
        Question question;
        question.by = {.is_local = true};
        question.request = Request{new_id(now), std::move(body)};
        codec::encode(question.request, question.bytes);
        question.attempts =
            static_cast<std::uint32_t>(++reported_);  // One coordinator after another.
        question.is_reported = true;
        questions_.push_back(std::move(question));
        if (!faulty_ || !random_.chance(world_.options.client_loss, 1000)) {
            repeat(now, questions_.size() - 1);
        }
    }

    [[nodiscard]] const std::optional<Reply>& answer(std::size_t question) const {
        return questions_.at(question).answer;
    }
    [[nodiscard]] bool all_answered() const { return open_ == 0; }
    /// Sends the request again, like a client that lost its answer.
    void repeat(Instant now, std::size_t question) {
        world_.queue.push(now + draw(random_, world_.options.client_delay),
                          RequestArrives{question});
    }
    /// Ends the random faults of the options.
    void calm() { faulty_ = false; }

    // Between client and coordinator.
    struct Arrival {
        coordinator::Ticket ticket{};
        CoreRequest request;
        coordinator::Caller by;
    };

    [[nodiscard]] Arrival arrive(std::size_t question, std::uint32_t control) {
        auto request = codec::decode_request(questions_.at(question).bytes);
        ensure(request.has_value(), "a coordinator can read what a client wrote");
        auto to_core = for_core(std::move(*request));
        ensure(to_core.has_value(), "simulated operators ask about the cluster");
        const coordinator::Ticket ticket{++last_ticket_};
        tickets_.emplace(ticket, Asked{question, control});
        return Arrival{ticket, *std::move(to_core), questions_.at(question).by};
    }

    void reply(Instant now, const coordinator::ReplyTo& reply) {
        const auto at = tickets_.find(reply.ticket);
        ensure(at != tickets_.end(), "every request gets exactly one reply");
        const auto [question, control] = at->second;
        tickets_.erase(at);
        if (questions_.at(question).is_reported) {
            return;
        }
        world_.checkers.on(now, ReplyGiven{*reply.reply});
        if (faulty_ && random_.chance(world_.options.client_loss, 1000)) {
            world_.trace.line(now, "{} > op {} {}: lost", name_of_control(control), question,
                              describe_answer(*reply.reply));
            return;
        }
        std::string bytes;
        codec::encode(*reply.reply, bytes);
        world_.queue.push(now + draw(random_, world_.options.client_delay),
                          ReplyArrives{question, std::move(bytes), control});
    }
    /// Those of the coordinator that ended.
    void forget_tickets(std::uint32_t control) {
        std::erase_if(tickets_, [&](const auto& entry) { return entry.second.control == control; });
    }
    /// How often its client has sent it.
    [[nodiscard]] std::uint32_t attempts(std::size_t question) const {
        return questions_.at(question).attempts;
    }

    // Deadlines.
    void on_reply(Instant now, const ReplyArrives& arrival) {
        auto reply = codec::decode_reply(arrival.bytes);
        ensure(reply.has_value(), "a client can read what a coordinator wrote");
        world_.trace.line(now, "{} > op {} {}", name_of_control(arrival.control), arrival.question,
                          describe_answer(*reply));
        Question& question = questions_.at(arrival.question);
        ++world_.changes;
        if (!reply->result && is_passing(reply->result.error().code)) {
            return;
        }
        world_.checkers.on(now, ReplyReceived{*reply});
        if (!question.answer) {
            question.answer = std::move(*reply);
            --open_;
        }
    }

    void retry(Instant now, const ClientRetry& retry) {
        const Question& question = questions_.at(retry.question);
        if (!question.answer && question.attempts == retry.attempt) {
            send(now, retry.question);
        }
    }

private:
    // Errors that leave the outcome open, so that the client asks again.
    static bool is_passing(Errc code) {
        return code == Errc::busy || code == Errc::store_failed || code == Errc::not_leader ||
               code == Errc::unreachable || code == Errc::timeout;
    }

    static std::string describe_answer(const Reply& reply) {
        if (!reply.result) {
            return fmt::format("{}", to_string(reply.result.error().code));
        }
        const auto* change = std::get_if<ChangeReply>(&*reply.result);
        if (change == nullptr) {
            return "ok";
        }
        auto text = fmt::format("ok, counter {}", raw(change->counter));
        for (const TaskChange& task : change->changes) {
            text += fmt::format(", {} {} x{}", task.task, task.action, task.instances_after);
        }
        return text;
    }

    struct Asked {
        std::size_t question = 0;
        std::uint32_t control = 0;  ///< Whom.
    };
    struct Question {
        Request request;
        coordinator::Caller by;
        std::string bytes;
        std::uint32_t attempts = 0;
        std::optional<Reply> answer;
        bool is_reported = false;  ///< Nobody waits for the answer.
    };

    void send(Instant now, std::size_t number) {
        Question& question = questions_.at(number);
        ++question.attempts;
        if (!faulty_ || !random_.chance(world_.options.client_loss, 1000)) {
            repeat(now, number);
        }
        world_.queue.push(now + world_.options.client_patience,
                          ClientRetry{number, question.attempts});
    }

    [[nodiscard]] RequestId new_id(Instant now) {
        const auto ms = static_cast<std::uint64_t>(raw(civil(now)));
        return RequestId{(ms << 16U) | 0x7000U | random_.below(0x1000),
                         (std::uint64_t{1} << 63U) | (random_.next() >> 2U)};
    }

    World& world_;
    Random random_;
    bool faulty_ = true;
    std::vector<Question> questions_;
    std::size_t open_ = 0;
    std::map<coordinator::Ticket, Asked> tickets_;
    std::uint64_t last_ticket_ = 0;
    std::uint64_t reported_ = 0;
};

}  // namespace muster::sim
