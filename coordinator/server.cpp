#include "coordinator/server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <unistd.h>
#include <utility>

#include "common/crypto/secret_box.hpp"
#include "common/net/accept/accept.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/endpoints/advertised.hpp"
#include "coordinator/host/file_limit.hpp"
#include "coordinator/host/zones.hpp"
#include "coordinator/http/pages.hpp"

namespace muster::coordinator {
namespace {

// The core judges request ids by civil time; it notices a jump of the clock this late. The files
// are counted in the same interval: 10 ms with 10,000 agents.
constexpr Duration civil_interval = 5s;

// Events published in a turn: a change of 100,000 tasks makes 100,000 of them.
constexpr std::size_t events_of_turn = 2'000;

// 10,000 polls take 20 ms to write and to send.
constexpr std::size_t polls_of_turn = 1'000;

// The share of a turn for agents' messages, and a page or two.
constexpr Duration long_turn = 8ms;
constexpr Duration very_long_turn = 14ms;

/// Work that can wait is put off in a long turn, but not in two in a row; in a very long turn, not
/// in six in a row.
bool is_put_off(Instant turn, int& in_a_row) {
    const Duration lasted = net::boottime_now() - turn;
    const int most_put_off = lasted >= very_long_turn ? 5 : lasted >= long_turn ? 1 : 0;
    in_a_row = in_a_row < most_put_off ? in_a_row + 1 : 0;
    return in_a_row > 0;
}

}  // namespace

Server::Server(net::Context& context, net::Loop& loop, const CoordinatorOptions& options,
               std::optional<RecordOptions> record, Security security,
               const OutsideOptions& outside)
    : loop_{loop},
      record_{std::move(record)},
      security_{std::move(security)},
      gate_{context, security_},
      agents_{context, store_key(security_.orders)},
      unread_{context.make_meter()},
      operators_{context, unread_},
      operators_ipc_{context, unread_},
      enrolment_{context, unread_, limits::enrolment_message_bytes},
      http_{loop, [this](Instant now, std::string_view path) { return answer_http(now, path); }},
      core_{net::boottime_now(), options, StoreImage{}},
      events_{context, core_},
      programs_{outside},
      process_{worker_, standing_, security_.orders},
      requests_{{core_, standing_, process_, worker_, security_.orders},
                [this](Instant now, const Input& input) { step(now, input); },
                [this](const Reply& reply) { return completed(reply); }},
      from_agent_{FromAgent{}} {
    core_.stand_by();
    agents_.stand_by();
    for (auto* const endpoint : {&operators_, &operators_ipc_, &enrolment_}) {
        endpoint->answer_while([this] { return !standing_.has_lapsed(); });
    }
}

Server::~Server() { stop(); }

Result<Server::Bindings> Server::listen(const Bindings& wanted) {
    if (auto open = gate_.open(); !open) {
        return tl::unexpected{open.error()};
    }
    gate_.protect(agents_, wanted.agents, "agents");
    gate_.protect(operators_, wanted.operators, "operators");
    gate_.protect(enrolment_, wanted.enrolment, "enrolment");
    gate_.protect(events_, wanted.events, "events");
    Bindings bound;
    struct Binding {
        const std::string& wanted;
        std::string& bound;
        std::function<Result<std::string>(std::string_view)> bind;
    };
    const Binding all[] = {
        {wanted.agents, bound.agents, [this](auto at) { return agents_.bind(at); }},
        {wanted.operators, bound.operators, [this](auto at) { return operators_.bind(at); }},
        {wanted.operators_ipc, bound.operators_ipc,
         [this](auto at) { return operators_ipc_.bind(at); }},
        {wanted.events, bound.events, [this](auto at) { return events_.bind(at); }},
        {wanted.enrolment, bound.enrolment, [this](auto at) { return enrolment_.bind(at); }},
        {wanted.http, bound.http, [this](auto at) { return http_.bind(at); }},
    };
    for (const auto& binding : all) {
        if (binding.wanted.empty()) {
            continue;
        }
        auto endpoint = binding.bind(binding.wanted);
        if (!endpoint) {
            return tl::unexpected{endpoint.error()};
        }
        binding.bound = std::move(*endpoint);
    }
    bound_ = bound;
    for (auto* const at : {&bound_.agents, &bound_.events, &bound_.enrolment}) {
        *at = advertised(*at, security_.advertise);
    }
    watch_all();
    begin_with_core(net::boottime_now());
    return bound;
}

void Server::watch_all() {
    loop_.watch(agents_.socket(), [this](Instant now) { return receive_from_agents(now); });
    loop_.watch(worker_.fd(), [this](Instant now) { worker_.finish(now); });
    loop_.watch(programs_.fd(), [this](Instant now) {
        for (auto& answer : programs_.take()) {
            step(now, std::move(answer));
        }
    });
    for (auto* const endpoint : {&operators_, &operators_ipc_, &enrolment_}) {
        loop_.watch(endpoint->socket(), [this, endpoint](Instant now) {
            return requests_.receive(now, *endpoint) != net::Receipt::nothing;
        });
    }
    loop_.watch(events_.socket(), [this](Instant) { return events_.socket().take_subscription(); });
}

Instant Server::turn(Instant deadline) {
    polls_left_ = polls_of_turn;
    const bool is_behind = requests_.readings().is_due() || !unsent_.empty() || events_.is_behind();
    const Instant now = loop_.turn(
        is_behind ? Instant{}
                  : std::min({deadline, core_.next_deadline(), civil_due_, http_.next_deadline(),
                              requests_.freed_memory().next_deadline()}));
    requests_.freed_memory().give_back_if_due(now, worker_);
    send_polls();
    close_gone_sessions(now);
    if (now >= civil_due_) {
        forward_civil_time(now);
        events_.judge_listeners(now);  // A key may have expired.
        check_file_use(now);
    }
    if (take_over_keys(now)) {
        events_.judge_listeners(now);
    }
    agents_.end_overdue(now);
    operators_.end_overdue(now);
    if (now >= core_.next_deadline() && !is_put_off(now, wake_put_off_)) {
        step(now, Wake{});
    }
    if (now >= http_.next_deadline()) {
        http_.close_overdue(now);
    }
    events_.bind_again_if_due(now);
    events_.publish(now, events_of_turn);
    requests_.free_answered();
    if (requests_.readings().is_due() && !is_put_off(now, readings_put_off_)) {
        requests_.readings().go_on(now);
    }
    return now;
}

bool Server::take_over_keys(Instant now) {
    if (!gate_.update(core_, now)) {
        return false;
    }
    agents_.keep_only(now, gate_.agents());
    operators_.keep_only(now, gate_.operators());
    return true;
}

bool Server::receive_from_agents(Instant now) {
    const auto receipt = agents_.receive(now, from_agent_);
    if (receipt == net::Receipt::message) {
        step(now, from_agent_);
    }
    return receipt != net::Receipt::nothing;
}

bool Server::awaits_first_admin() const {
    return standing_.leads() && !security_.first_admin.is_none() &&
           core_.admitted_keys(false).empty();
}

void Server::admit_first(Instant now) {
    if (!awaits_first_admin()) {
        return;
    }
    requests_.ask(now, {{},
                        KeyAddRequest{.name = "admin",
                                      .role = Role::admin,
                                      .key = to_string(security_.first_admin),
                                      .why = {.reason = "the first key of this cluster",
                                              .author = "muster init"}}});
}

void Server::read_store(Instant now) {
    if (const auto number = store_->take_durable()) {
        stats_.durable(now, *number);
        step(now, Persisted{*number});
    }
    if (auto failure = store_->failure()) {
        step(now, StoreFailed{std::move(*failure)});
    }
}

void Server::forward_civil_time(Instant now) {
    civil_due_ = now + civil_interval;
    CivilTime civil{.at = net::civil_now()};
    for (const std::string& zone : core_.zones()) {
        if (const auto offset = utc_offset(zone, civil.at)) {
            civil.zones.push_back({.zone = zone, .offset_s = *offset});
        } else {
            log::write(zone_complaints_, now, log::Level::warn, "the time in a zone is not known",
                       {{"reason", offset.error().detail}});
        }
    }
    step(now, civil);
}

void Server::check_file_use(Instant now) {
    const auto turned_away = net::turned_away();
    file_alarm_ = file_alarm(file_use(), turned_away - turned_away_);
    if (file_alarm_) {
        log::write(file_complaints_, now, log::Level::warn, "few file descriptors are left",
                   {{"reason", *file_alarm_}, {"turned_away", turned_away - turned_away_}});
    }
    const bool ill = turned_away > turned_away_;
    turned_away_ = turned_away;
    if (std::exchange(sockets_degraded_, ill) != ill) {
        step(now, OwnSockets{ill});
    }
}

void Server::step(Instant now, const Input& input) {
    if (resigned_ || standing_.has_lapsed()) {
        return;
    }
    work_on(now, input);
    close_gone_sessions(now);
}

// A send may have shown that a route is gone. The closed session is a new input, and its output may
// show the next.
void Server::close_gone_sessions(Instant now) {
    for (auto gone = agents_.take_gone(); !gone.empty() && !resigned_; gone = agents_.take_gone()) {
        for (const auto session : gone) {
            work_on(now, SessionClosed{session});
        }
    }
}

void Server::work_on(Instant now, const Input& input) {
    if (recorder_) {
        recorder_->record_input(now, input, core_);
    }
    const Instant began = net::boottime_now();
    Output output = core_.step(now, input);
    const Instant planned = net::boottime_now();
    if (recorder_) {
        recorder_->record_output(output);
        log_record_trouble(now);
    }
    const bool closed_round = output.closed_round;
    carry_out(now, std::move(output));
    if (closed_round) {
        stats_.round_closed(planned - began, net::boottime_now() - planned);
    }
}

void Server::log_record_trouble(Instant now) {
    if (const auto& trouble = recorder_->trouble()) {
        log::write(record_complaints_, now, log::Level::warn,
                   "recording failed; the coordinator tries again soon", {{"reason", *trouble}});
    }
}

void Server::carry_out(Instant now, Output output) {
    for (auto& persist : output.persist) {
        stats_.submitted(now, persist.number);
        store_->submit(std::move(persist));
    }
    for (const auto& message : output.messages) {
        agents_.send(now, message);
    }
    unsent_.insert(unsent_.end(), output.polls.begin(), output.polls.end());
    send_polls();
    for (const auto& answer : output.replies) {
        requests_.reply(answer);
    }
    events_.add(std::move(output.events));
    for (auto& call : output.calls) {
        programs_.call(std::move(call));
    }
    if (output.resign) {
        resigned_ = std::move(output.resign);
    }
}

void Server::send_polls() {
    for (; polls_left_ > 0 && !unsent_.empty(); --polls_left_) {
        agents_.send(unsent_.front());
        unsent_.pop_front();
    }
}

}  // namespace muster::coordinator
