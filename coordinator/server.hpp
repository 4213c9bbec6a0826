#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/log/log.hpp"
#include "common/net/context.hpp"
#include "common/net/loop.hpp"
#include "common/net/publisher.hpp"
#include "coordinator/agent_endpoint.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/freed_memory.hpp"
#include "coordinator/gate.hpp"
#include "coordinator/http/http.hpp"
#include "coordinator/listeners.hpp"
#include "coordinator/recorder/recorder.hpp"
#include "coordinator/requests/operator_endpoint.hpp"
#include "coordinator/requests/readings.hpp"
#include "coordinator/requests/worker.hpp"
#include "coordinator/shell_stats.hpp"
#include "coordinator/store/store.hpp"

namespace muster::coordinator {

/// The shell around one leadership: bytes -> codec -> input -> step -> output -> bytes.
///
///     agents ----\                                 /--> store (durable later: an input again)
///     operators --+--> receive --> step(now) -----+---> agents: polls, commands
///     store ------/                                \--> operators: replies; listeners: events
///
/// The server answers an HTTP request from a query of the core.
///
/// Read-only requests are answered in pieces (Readings), and a thread of its own reads and writes
/// large ones (Worker). One thread runs everything else. Each turn of the loop has one `now`; each
/// output is carried out completely, in its order, before the next input.
class Server {
public:
    struct Bindings {
        std::string agents;
        std::string operators;
        std::string operators_ipc;  ///< Empty: none.
        std::string events;
        std::string http{};       ///< Empty: none.
        std::string enrolment{};  ///< Empty: none. Only with keys.
    };

    /// `image` is the result of begin_leadership().
    Server(net::Context& context, net::Loop& loop, Store& store, const CoordinatorOptions& options,
           const StoreImage& image, std::optional<RecordOptions> record = {},
           Security security = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Binds all endpoints, then listens. The answer has the real ports. The error names the
    /// endpoint that cannot be bound.
    [[nodiscard]] Result<Bindings> listen(const Bindings& wanted);

    /// One turn of the loop, at most until `deadline`. Returns its `now`.
    Instant turn(Instant deadline);

    /// Why leadership is over, once it is.
    [[nodiscard]] const std::optional<std::string>& resigned() const { return resigned_; }

    /// Answers every open request with `not_leader`, and closes the sockets.
    void stop();

    [[nodiscard]] Traffic agent_traffic() const { return agents_.traffic(); }

private:
    struct Question {
        OperatorEndpoint* endpoint = nullptr;  // None: we ask ourselves.
        OperatorEndpoint::Asker asker;
        Shared<CoreRequest> request;
    };

    void watch_all();
    [[nodiscard]] bool receive_from_agents(Instant now);
    [[nodiscard]] bool receive_from_operators(OperatorEndpoint& endpoint, Instant now);
    void decode(Instant now, OperatorEndpoint& endpoint, OperatorEndpoint::Question question);
    /// Nothing: the caller may not send it, and was told so.
    [[nodiscard]] bool may_send(Instant now, OperatorEndpoint& endpoint,
                                const OperatorEndpoint::Question& question);
    void admit_first(Instant now);
    /// The caller uses its new key: the one before is refused from now on.
    void retire_key(Instant now, const Caller& by);
    void ask_core(Instant now, OperatorEndpoint& endpoint, OperatorEndpoint::Question question);
    void read_store(Instant now);
    void forward_civil_time(Instant now);
    void check_file_use(Instant now);
    void step(Instant now, const Input& input);
    void work_on(Instant now, const Input& input);
    void log_record_trouble(Instant now);
    void close_gone_sessions(Instant now);
    void carry_out(Instant now, Output output);
    /// As many as this turn still allows.
    void send_polls();
    void reply(const ReplyTo& answer);
    /// In the worker's thread, because the reply is large.
    void write(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
               Shared<Reply> reply);
    /// Without the core: about the process, or from the store.
    void answer_in_process(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                           RequestId id, const ShellRequest& request);
    void show_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker, RequestId id,
                    const AuditShowRequest& request);
    /// Checks one page after the other, so that other work of the worker comes between.
    void verify_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                      RequestId id, std::shared_ptr<ChainCheck> check);
    /// The answer with what the core does not know, of bytes and files; nothing if the core's
    /// answer is complete.
    [[nodiscard]] std::optional<Reply> completed(const Reply& reply) const;
    /// The core's answer to a request that only reads.
    [[nodiscard]] Shared<Reply> query_core(Instant now, CoreRequest request,
                                           const Caller& by = {.is_local = true});
    [[nodiscard]] ShellStats::Messages messages() const;
    [[nodiscard]] HttpAnswer answer_http(Instant now, std::string_view path);
    void publish(Instant now, const Event& event);
    /// Disconnects all listeners if some may get less than before.
    void judge_listeners(Instant now);
    void bind_events_again(Instant now);
    /// Publishes at most so many of the waiting events, in their order.
    void publish(Instant now, std::size_t most);

    net::Loop& loop_;
    Store& store_;
    Security security_;
    Gate gate_;
    AgentEndpoint agents_;
    net::Meter& unread_;  // Of all operators.
    OperatorEndpoint operators_;
    OperatorEndpoint operators_ipc_;
    OperatorEndpoint enrolment_;
    net::Publisher events_;
    HttpServer http_;
    Coordinator core_;
    std::optional<Recorder> recorder_;
    Worker worker_;
    Listeners listeners_;
    bool are_listeners_changed_ = false;  // So they were disconnected.
    Readings readings_;
    FreedMemory freed_memory_;

    Input from_agent_;
    OperatorEndpoint::Question question_;
    std::map<Ticket, Question> open_;
    std::vector<Shared<CoreRequest>> answered_;  // In this turn, to be freed.
    Shared<Reply> seen_;                         // The answer for query_core().
    std::optional<HttpAnswer> metrics_;
    Instant metrics_at_{};
    std::deque<PollTo> unsent_;
    std::size_t polls_left_ = 0;
    std::deque<Event> unpublished_;
    std::uint64_t tickets_ = 0;
    std::uint64_t denied_ = 0;  // Requests whose sender may not send them.
    std::size_t decoding_ = 0;  // Uploads at the worker.
    std::size_t auditing_ = 0;  // Requests about the audit there.
    int wake_put_off_ = 0;      // Turns in a row that put it off.
    int readings_put_off_ = 0;
    Instant civil_due_{};
    std::uint64_t turned_away_ = 0;  // Refused connections, when the files were last counted.
    bool sockets_degraded_ = false;  // The state that the core was last given.
    std::optional<std::string> file_alarm_;  // From the last count.
    Bindings bound_;                         // As others reach them.
    log::RateLimit file_complaints_{1, 1min};
    log::RateLimit record_complaints_{1, 1min};
    log::RateLimit event_lines_;
    log::RateLimit listener_complaints_;
    ShellStats stats_;
    std::optional<std::string> resigned_;
};

}  // namespace muster::coordinator
