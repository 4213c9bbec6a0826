#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "common/log/log.hpp"
#include "common/net/context.hpp"
#include "common/net/loop.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/endpoints/agent_endpoint.hpp"
#include "coordinator/endpoints/event_endpoint.hpp"
#include "coordinator/endpoints/gate.hpp"
#include "coordinator/http/http.hpp"
#include "coordinator/providers/provider_programs.hpp"
#include "coordinator/recorder/recorder.hpp"
#include "coordinator/requests/dispatcher.hpp"
#include "coordinator/requests/operator_endpoint.hpp"
#include "coordinator/requests/process_answers.hpp"
#include "coordinator/requests/standing.hpp"
#include "coordinator/requests/worker.hpp"
#include "coordinator/shell_stats.hpp"
#include "coordinator/store/election.hpp"
#include "coordinator/store/store.hpp"

namespace muster::coordinator {

/// The shell around the core: bytes -> codec -> input -> step -> output -> bytes.
///
/// At first it stands by: it answers what is read, marked, and refuses changes. lead() begins a
/// leadership, and stand_by() ends it; connections last over both.

///
///     agents ----\                                 /--> store (durable later: an input again)
///     operators --+--> receive --> step(now) -----+---> agents: polls, commands
///     store ------/                                |\-> operators: replies; listeners: events
///     programs --/                                 \--> programs of providers and predictors
///
/// The server answers an HTTP request from a query of the core.
///
/// Requests of operators go through the Dispatcher, and a thread of its own reads and writes large
/// ones (Worker). One thread runs everything else. Each turn of the loop has one `now`; each
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

    Server(net::Context& context, net::Loop& loop, const CoordinatorOptions& options,
           std::optional<RecordOptions> record = {}, Security security = {},
           const OutsideOptions& outside = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Binds all endpoints, then listens. The answer has the real ports. The error names the
    /// endpoint that cannot be bound.
    [[nodiscard]] Result<Bindings> listen(const Bindings& wanted);

    /// One turn of the loop, at most until `deadline`. Returns its `now`.
    Instant turn(Instant deadline);

    /// Begins a leadership. `image` is the result of taking the lead; the store outlives it.
    void lead(Store& store, const StoreImage& image);
    /// The key of the first admin is on its way to the store.
    [[nodiscard]] bool awaits_first_admin() const;
    /// Why leadership is over, once it is.
    [[nodiscard]] const std::optional<std::string>& resigned() const { return resigned_; }
    /// Ends a leadership: every open request is answered with `not_leader`.
    void stand_by();
    /// What a coordinator that stands by answers from.
    void follow(const StoreImage& image);
    /// The election that this coordinator takes part in, for as long as it lasts. Null: none.
    void take_part(Election* election);
    /// Answers say from now on who leads.
    void show_leader();
    [[nodiscard]] OwnState own_state() const;

    /// Stands by, and closes the sockets.
    void stop();

    [[nodiscard]] Traffic agent_traffic() const { return agents_.traffic(); }

private:
    void watch_all();
    /// Takes over what a new core says of time and keys.
    void begin_with_core(Instant now);
    /// Which may connect, from the core. True: they changed.
    [[nodiscard]] bool take_over_keys(Instant now);
    [[nodiscard]] bool receive_from_agents(Instant now);
    void admit_first(Instant now);
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
    /// The answer with what the core does not know, of bytes and files; nothing if the core's
    /// answer is complete.
    [[nodiscard]] std::optional<Reply> completed(const Reply& reply) const;
    [[nodiscard]] ShellStats::Messages messages() const;
    [[nodiscard]] HttpAnswer answer_http(Instant now, std::string_view path);

    net::Loop& loop_;
    Store* store_ = nullptr;  // Null: this coordinator stands by.
    Standing standing_;
    std::optional<RecordOptions> record_;
    Security security_;
    Gate gate_;
    AgentEndpoint agents_;
    net::Meter& unread_;  // Of all operators.
    OperatorEndpoint operators_;
    OperatorEndpoint operators_ipc_;
    OperatorEndpoint enrolment_;
    HttpServer http_;
    Coordinator core_;
    EventEndpoint events_;
    std::optional<Recorder> recorder_;
    ProviderPrograms programs_;
    Worker worker_;
    ProcessAnswers process_;
    Dispatcher requests_;

    Input from_agent_;
    std::optional<HttpAnswer> metrics_;
    Instant metrics_at_{};
    std::deque<PollTo> unsent_;
    std::size_t polls_left_ = 0;
    int wake_put_off_ = 0;  // Turns in a row that put it off.
    int readings_put_off_ = 0;
    Instant civil_due_{};
    std::uint64_t turned_away_ = 0;  // Refused connections, when the files were last counted.
    bool sockets_degraded_ = false;  // The state that the core was last given.
    std::optional<std::string> file_alarm_;  // From the last count.
    Bindings bound_;                         // As others reach them.
    log::RateLimit file_complaints_{1, 1min};
    log::RateLimit record_complaints_{1, 1min};
    log::RateLimit zone_complaints_{1, 1min};
    ShellStats stats_;
    std::optional<std::string> resigned_;
};

}  // namespace muster::coordinator
