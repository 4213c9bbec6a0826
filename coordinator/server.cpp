#include "coordinator/server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <unistd.h>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/crypto/hash.hpp"
#include "common/crypto/secret_box.hpp"
#include "common/net/accept/accept.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"
#include "coordinator/core/ledger/reply_cache.hpp"
#include "coordinator/core/queries/reads.hpp"
#include "coordinator/endpoints/advertised.hpp"
#include "coordinator/host/file_limit.hpp"
#include "coordinator/http/pages.hpp"
#include "coordinator/sealing.hpp"

namespace muster::coordinator {
namespace {

// The core judges request ids by civil time; it notices a jump of the clock this late. The files
// are counted in the same interval: 10 ms with 10,000 agents.
constexpr Duration civil_interval = 5s;

// More than the core holds back (changes and waits), so that the core, not the shell, answers
// `busy`.
constexpr std::size_t open_requests =
    limits::pending_changes + limits::pending_waits + std::size_t{1'024};

// Events published in a turn: a change of 100,000 tasks makes 100,000 of them.
constexpr std::size_t events_of_turn = 2'000;

// Changes in an answer: the worker writes an answer with more.
constexpr std::size_t lines_written_at_once = 100;

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
               std::optional<RecordOptions> record, Security security)
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
      process_{worker_, standing_, security_.orders},
      readings_{core_, worker_,
                [this](Instant now, const CoreRequest& request, const Caller& by) {
                    return query_core(now, request, by);
                }},
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
    for (auto* const endpoint : {&operators_, &operators_ipc_, &enrolment_}) {
        loop_.watch(endpoint->socket(), [this, endpoint](Instant now) {
            return receive_from_operators(*endpoint, now);
        });
    }
    loop_.watch(events_.socket(), [this](Instant) { return events_.socket().take_subscription(); });
}

Instant Server::turn(Instant deadline) {
    polls_left_ = polls_of_turn;
    const bool is_behind = readings_.is_due() || !unsent_.empty() || events_.is_behind();
    const Instant now =
        loop_.turn(is_behind ? Instant{}
                             : std::min({deadline, core_.next_deadline(), civil_due_,
                                         http_.next_deadline(), freed_memory_.next_deadline()}));
    freed_memory_.give_back_if_due(now, worker_);
    send_polls();
    close_gone_sessions(now);
    if (now >= civil_due_) {
        forward_civil_time(now);
        events_.judge_listeners(now);  // A key may have expired.
        check_file_use(now);
    }
    if (gate_.update(core_, now)) {
        events_.judge_listeners(now);
    }
    if (now >= core_.next_deadline() && !is_put_off(now, wake_put_off_)) {
        step(now, Wake{});
    }
    if (now >= http_.next_deadline()) {
        http_.close_overdue(now);
    }
    events_.bind_again_if_due(now);
    events_.publish(now, events_of_turn);
    if (!answered_.empty()) {  // Freeing 100,000 tasks takes 20 ms.
        worker_.discard(std::make_shared<decltype(answered_)>(std::exchange(answered_, {})));
    }
    if (auto why = process_.take_resignation(); why && !resigned_) {
        resigned_ = std::move(why);
    }
    if (readings_.is_due() && !is_put_off(now, readings_put_off_)) {
        readings_.go_on(now);
    }
    return now;
}

bool Server::receive_from_agents(Instant now) {
    const auto receipt = agents_.receive(now, from_agent_);
    if (receipt == net::Receipt::message) {
        step(now, from_agent_);
    }
    return receipt != net::Receipt::nothing;
}

bool Server::receive_from_operators(OperatorEndpoint& endpoint, Instant now) {
    const auto receipt = endpoint.receive(now, question_);
    if (receipt == net::Receipt::message) {
        if (question_.upload.empty()) {
            ask_core(now, endpoint, std::move(question_));
        } else {
            decode(now, endpoint, std::move(question_));
        }
    }
    return receipt != net::Receipt::nothing;
}

void Server::decode(Instant now, OperatorEndpoint& endpoint, OperatorEndpoint::Question question) {
    if (decoding_ == Uploads::open_at_most) {
        endpoint.refuse(now, question.asker,
                        {Errc::busy, "too many uploads are being read; try again"});
        return;
    }
    ++decoding_;
    worker_.submit([this, endpoint = &endpoint, asker = std::move(question.asker),
                    upload = std::move(question.upload)] {
        const auto request = std::make_shared<Result<Request>>(codec::decode_request(upload));
        const Digest digest = *request ? digest_of((*request)->body) : Digest{};
        return [this, endpoint, asker, request, digest](Instant then) {
            --decoding_;
            freed_memory_.on_upload(then);
            if (endpoint->admit(then, asker, *request)) {
                ask_core(then, *endpoint,
                         {.asker = asker, .request = std::move(**request), .digest = digest});
            }
        };
    });
}

void Server::ask_core(Instant now, OperatorEndpoint& endpoint,
                      OperatorEndpoint::Question question) {
    if (!may_send(now, endpoint, question)) {
        return;
    }
    if (!standing_.leads() && codec::is_change(question.request.body)) {
        endpoint.answer(question.asker, {.id = question.request.id,
                                         .result = tl::unexpected{standing_.not_leader()}});
        return;
    }
    if (std::holds_alternative<UpgradeFinishRequest>(question.request.body)) {
        if (const auto may = standing_.may_finish_upgrade(); !may) {
            endpoint.answer(question.asker,
                            {.id = question.request.id, .result = tl::unexpected{may.error()}});
            return;
        }
    }
    if (auto* const enrol = std::get_if<EnrolRequest>(&question.request.body);
        enrol != nullptr && !enrol->secret.empty()) {
        enrol->secret = to_string(PublicKey{hash_of(enrol->secret)});  // The core keeps no secret.
    }
    const RequestId asked_as = question.request.id;
    if (auto* const secret = std::get_if<SecretSetRequest>(&question.request.body)) {
        if (auto encrypted = encrypt_value(security_.orders, *secret); !encrypted) {
            endpoint.answer(question.asker,
                            {.id = asked_as, .result = tl::unexpected{encrypted.error()}});
            return;
        }
        question.digest = {};  // It was of the value.
    }
    const bool is_change = codec::is_change(question.request.body);
    auto request = for_core(std::move(question.request));
    if (!request) {
        process_.answer(endpoint, question.asker, asked_as, request.error(),
                        name_of(now, question.asker.by));
        return;
    }
    const bool is_read = is_query(request->body);
    if (!is_read && !standing_.leads()) {
        endpoint.answer(question.asker,
                        {.id = asked_as, .result = tl::unexpected{standing_.not_leader()}});
        return;
    }
    if (is_read && standing_.leads() && readings_.add(endpoint, question.asker, *request)) {
        return;
    }
    if ((is_read && standing_.leads()) || open_.size() == open_requests) {
        endpoint.answer(
            question.asker,
            {.id = asked_as, .result = fail(Errc::busy, "too many requests are open; try again")});
        return;
    }
    if (asked_as.is_none() && is_change) {
        request->id = net::random_request_id(net::civil_now());
    }
    const Ticket ticket{++tickets_};
    const Shared<CoreRequest> asked{std::move(*request)};
    open_.emplace(ticket, Question{&endpoint, question.asker, asked});
    step(now, FromOperator{ticket, asked, question.digest, question.asker.by});
}

bool Server::may_send(Instant now, OperatorEndpoint& endpoint,
                      const OperatorEndpoint::Question& question) {
    const auto may = core_.may_send(now, question.asker.by, question.request.body);
    if (!may) {
        ++denied_;
        step(now, Denied{question.asker.by, question.request.id,
                         std::string{codec::verb_of(question.request.body)}, may.error()});
        endpoint.refuse(now, question.asker, may.error(), question.request.id);
    } else if (standing_.leads() && core_.is_first_use(question.asker.by)) {
        retire_key(now, question.asker.by);
    }
    return may.has_value();
}

std::string Server::name_of(Instant now, const Caller& by) const {
    if (by.is_local) {
        return "an operator of this host";
    }
    const auto readers = core_.readers(now);
    const auto reader = readers.find(by.key);
    return reader == readers.end() ? fingerprint(by.key) : reader->second.name;
}

void Server::retire_key(Instant now, const Caller& by) {
    const Ticket ticket{++tickets_};
    open_.emplace(ticket, Question{});
    step(now,
         FromOperator{ticket, CoreRequest{{}, KeyRenewRequest{.key = to_string(by.key)}}, {}, by});
}

void Server::admit_first(Instant now) {
    if (!standing_.leads() || security_.first_admin.is_none() ||
        !core_.admitted_keys(false).empty()) {
        return;
    }
    const Ticket ticket{++tickets_};
    open_.emplace(ticket, Question{});
    step(now,
         FromOperator{ticket,
                      CoreRequest{{},
                                  KeyAddRequest{.name = "admin",
                                                .role = Role::admin,
                                                .key = to_string(security_.first_admin),
                                                .why = {.reason = "the first key of this cluster",
                                                        .author = "muster init"}}}});
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
    step(now, CivilTime{net::civil_now()});
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
        reply(answer);
    }
    events_.add(std::move(output.events));
    if (output.resign) {
        log::error("leadership is over", {{"reason", *output.resign}});
        resigned_ = std::move(output.resign);
    }
}

void Server::send_polls() {
    for (; polls_left_ > 0 && !unsent_.empty(); --polls_left_) {
        agents_.send(unsent_.front());
        unsent_.pop_front();
    }
}

void Server::reply(const ReplyTo& answer) {
    const auto question = open_.find(answer.ticket);
    ensure(question != open_.end(), "exactly one reply for each request");
    const std::optional<Reply> whole = completed(*answer.reply);
    const Reply& reply = whole ? *whole : *answer.reply;
    auto [endpoint, asker, request] = std::move(question->second);
    open_.erase(question);
    if (request) {
        answered_.push_back(std::move(request));
    }
    if (endpoint == nullptr) {
        seen_ = whole ? Shared{*whole} : answer.reply;
    } else if (weight_of(reply) <= lines_written_at_once) {
        endpoint->answer(asker, reply);
    } else {
        write(*endpoint, asker, answer.reply);
    }
}

void Server::write(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                   Shared<Reply> reply) {
    worker_.submit([endpoint = &endpoint, asker, reply = std::move(reply)] {
        auto written = OperatorEndpoint::written(asker, *reply);
        return [endpoint, asker, id = reply->id, written = std::move(written)](Instant then) {
            endpoint->answer(then, asker, id, written);
        };
    });
}

Shared<Reply> Server::query_core(Instant now, CoreRequest request, const Caller& by) {
    const Ticket ticket{++tickets_};
    const RequestId id = request.id;
    open_.emplace(ticket, Question{});
    step(now, FromOperator{ticket, Shared{std::move(request)}, {}, by});
    open_.erase(ticket);  // Leadership is over: the core did not answer.
    auto seen = std::exchange(seen_, {});
    return seen ? seen : Reply{id, fail(Errc::not_leader, resigned_.value_or("no answer"))};
}

}  // namespace muster::coordinator
