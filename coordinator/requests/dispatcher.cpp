#include "coordinator/requests/dispatcher.hpp"

#include <memory>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/crypto/hash.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"
#include "coordinator/core/ledger/reply_cache.hpp"
#include "coordinator/core/queries/reads.hpp"
#include "coordinator/host/zones.hpp"
#include "coordinator/requests/sealing.hpp"

namespace muster::coordinator {

namespace {

// More than the core holds back (changes and waits), so that the core, not the shell, answers
// `busy`.
constexpr std::size_t open_requests =
    limits::pending_changes + limits::pending_waits + std::size_t{1'024};

// Changes in an answer: the worker writes an answer with more.
constexpr std::size_t lines_written_at_once = 100;

/// The core has no list of zones.
Result<void> check_zone(const PoolChanges& changes) {
    if (!changes.zone || *changes.zone == "UTC" || is_zone(*changes.zone)) {
        return {};
    }
    return fail(Errc::invalid,
                "zone is " + in_quotes(*changes.zone) +
                    ", which this host does not know; such as Europe/Berlin, or UTC");
}

Reply refusal(RequestId id, Error error) {
    return {.id = id, .result = tl::unexpected{std::move(error)}};
}

}  // namespace

Dispatcher::Dispatcher(const With& with, Step step, Complete complete)
    : with_{with},
      step_{std::move(step)},
      complete_{std::move(complete)},
      readings_{with_.core, with_.worker,
                [this](Instant now, const CoreRequest& request, const Caller& by) {
                    return query(now, request, by);
                }} {}

net::Receipt Dispatcher::receive(Instant now, OperatorEndpoint& endpoint) {
    const auto receipt = endpoint.receive(now, question_);
    if (receipt == net::Receipt::message) {
        if (question_.upload.empty()) {
            dispatch(now, endpoint, std::move(question_));
        } else {
            decode(now, endpoint, std::move(question_));
        }
    }
    return receipt;
}

void Dispatcher::decode(Instant now, OperatorEndpoint& endpoint,
                        OperatorEndpoint::Question question) {
    if (decoding_ == Uploads::open_at_most) {
        endpoint.refuse(now, question.asker,
                        {Errc::busy, "too many uploads are being read; try again"});
        return;
    }
    ++decoding_;
    with_.worker.submit([this, endpoint = &endpoint, asker = std::move(question.asker),
                         upload = std::move(question.upload)] {
        const auto request = std::make_shared<Result<Request>>(codec::decode_request(upload));
        const Digest digest = *request ? digest_of((*request)->body) : Digest{};
        return [this, endpoint, asker, request, digest](Instant then) {
            --decoding_;
            freed_memory_.on_upload(then);
            if (endpoint->admit(then, asker, *request)) {
                dispatch(then, *endpoint,
                         {.asker = asker, .request = std::move(**request), .digest = digest});
            }
        };
    });
}

void Dispatcher::dispatch(Instant now, OperatorEndpoint& endpoint,
                          OperatorEndpoint::Question question) {
    if (!may_send(now, endpoint, question)) {
        return;
    }
    const RequestId id = question.request.id;
    const auto refuse = [&](Error error) {
        endpoint.answer(question.asker, refusal(id, std::move(error)));
    };
    const auto ready =
        check(question.request.body).and_then([&] { return hide_secrets(question); });
    if (!ready) {
        return refuse(ready.error());
    }
    const bool is_change = codec::is_change(question.request.body);
    auto request = for_core(std::move(question.request));
    if (!request) {
        return with_.process.answer(endpoint, question.asker, id, request.error());
    }
    const bool leads = with_.standing.leads();
    const bool is_read = is_query(request->body);
    if (!is_read && !leads) {
        return refuse(with_.standing.not_leader());
    }
    if (is_read && leads && readings_.add(endpoint, question.asker, *request)) {
        return;
    }
    if ((is_read && leads) || open_.size() == open_requests) {
        return refuse({Errc::busy, "too many requests are open; try again"});
    }
    if (id.is_none() && is_change) {
        request->id = net::random_request_id(net::civil_now());
    }
    const Ticket ticket{++tickets_};
    const Shared<CoreRequest> asked{std::move(*request)};
    open_.emplace(ticket, Open{&endpoint, question.asker, asked});
    step_(now, FromOperator{ticket, asked, question.digest, question.asker.by});
}

bool Dispatcher::may_send(Instant now, OperatorEndpoint& endpoint,
                          const OperatorEndpoint::Question& question) {
    const Caller& by = question.asker.by;
    const auto may = with_.core.may_send(now, by, question.request.body);
    if (!may) {
        ++denied_;
        step_(now, Denied{by, question.request.id,
                          std::string{codec::verb_of(question.request.body)}, may.error()});
        endpoint.refuse(now, question.asker, may.error(), question.request.id);
    } else if (with_.standing.leads() && with_.core.is_first_use(by)) {
        // The caller uses its new key: the one before is refused from now on.
        ask(now, {{}, KeyRenewRequest{.key = to_string(by.key)}}, by);
    }
    return may.has_value();
}

Result<void> Dispatcher::check(const RequestBody& request) const {
    if (!with_.standing.leads() && codec::is_change(request)) {
        return tl::unexpected{with_.standing.not_leader()};
    }
    if (std::holds_alternative<UpgradeFinishRequest>(request)) {
        return with_.standing.may_finish_upgrade();
    }
    if (std::holds_alternative<CoordinatorResignRequest>(request)) {
        return with_.standing.may_resign();
    }
    if (const auto* const create = std::get_if<PoolCreateRequest>(&request)) {
        return check_zone(create->changes);
    }
    if (const auto* const set = std::get_if<PoolSetRequest>(&request)) {
        return check_zone(set->changes);
    }
    return {};
}

Result<void> Dispatcher::hide_secrets(OperatorEndpoint::Question& question) const {
    if (auto* const enrol = std::get_if<EnrolRequest>(&question.request.body);
        enrol != nullptr && !enrol->secret.empty()) {
        enrol->secret = to_string(PublicKey{hash_of(enrol->secret)});
    }
    if (auto* const secret = std::get_if<SecretSetRequest>(&question.request.body)) {
        question.digest = {};  // It was of the value.
        return encrypt_value(with_.orders, *secret);
    }
    return {};
}

Ticket Dispatcher::ask(Instant now, CoreRequest request, const Caller& by) {
    const Ticket ticket{++tickets_};
    open_.emplace(ticket, Open{});
    step_(now, FromOperator{ticket, Shared{std::move(request)}, {}, by});
    return ticket;
}

Shared<Reply> Dispatcher::query(Instant now, CoreRequest request, const Caller& by) {
    const RequestId id = request.id;
    seen_ = {};
    open_.erase(ask(now, std::move(request), by));  // Leadership is over: the core did not answer.
    auto seen = std::exchange(seen_, {});
    return seen ? seen : Shared{refusal(id, with_.standing.not_leader())};
}

void Dispatcher::reply(const ReplyTo& answer) {
    const auto question = open_.find(answer.ticket);
    ensure(question != open_.end(), "exactly one reply for each request");
    const std::optional<Reply> whole = complete_(*answer.reply);
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

void Dispatcher::write(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                       Shared<Reply> reply) {
    with_.worker.submit([endpoint = &endpoint, asker, reply = std::move(reply)] {
        auto written = OperatorEndpoint::written(asker, *reply);
        return [endpoint, asker, id = reply->id, written = std::move(written)](Instant then) {
            endpoint->answer(then, asker, id, written);
        };
    });
}

void Dispatcher::refuse_all() {
    const Error error = with_.standing.not_leader();
    readings_.refuse_all(error);
    for (const auto& [ticket, open] : std::exchange(open_, {})) {
        if (open.endpoint != nullptr) {
            open.endpoint->answer(open.asker, refusal(open.request->id, error));
        }
    }
}

void Dispatcher::free_answered() {
    if (!answered_.empty()) {
        with_.worker.discard(std::make_shared<decltype(answered_)>(std::exchange(answered_, {})));
    }
}

}  // namespace muster::coordinator
