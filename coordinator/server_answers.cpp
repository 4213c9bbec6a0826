#include <algorithm>
#include <array>
#include <memory>
#include <unistd.h>
#include <utility>

#include "common/base/limits.hpp"
#include "common/net/accept/accept.hpp"
#include "coordinator/core/ledger/audit_chain.hpp"
#include "coordinator/http/pages.hpp"
#include "coordinator/server.hpp"
#include "coordinator/shell_requests.hpp"

/// What the core's answers lack: facts of the process.
namespace muster::coordinator {

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Each holds the file of the store for some milliseconds a page.
constexpr std::size_t audits_at_once = 4;

AuditView view(const StoredAudit& row) {
    return {.number = row.number,
            .at = row.at,
            .actor = row.actor,
            .fingerprint = row.fingerprint,
            .action = row.action,
            .result = row.result,
            .detail = row.detail,
            .request = row.request,
            .epoch = row.epoch,
            .counter = row.counter,
            .hash = to_string(row.hash)};
}

Result<ReplyBody> reply_of(const Result<AuditPage>& page) {
    if (!page) {
        return tl::unexpected{page.error()};
    }
    AuditReply reply;
    for (const StoredAudit& row : page->rows) {
        reply.rows.push_back(view(row));
    }
    return reply;
}

AuditVerifyReply reply_of(const ChainCheck& check) {
    return {.rows = check.rows(),
            .first = check.first(),
            .last = check.last(),
            .fault = check.fault().value_or(""),
            .keyed = check.is_keyed()};
}

}  // namespace

void Server::answer_in_process(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                               RequestId id, const ShellRequest& request) {
    const auto* const show = std::get_if<AuditShowRequest>(&request);
    if (show == nullptr && !std::holds_alternative<AuditVerifyRequest>(request)) {
        endpoint.answer(asker, {.id = id, .result = answer_in_shell(request)});
    } else if (auditing_ == audits_at_once) {
        endpoint.answer(
            asker, {.id = id, .result = fail(Errc::busy, "the audit is being read; try again")});
    } else if (show != nullptr) {
        show_audit(endpoint, asker, id, *show);
    } else {
        verify_audit(endpoint, asker, id, std::make_shared<ChainCheck>(security_.orders));
    }
}

void Server::show_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                        RequestId id, const AuditShowRequest& request) {
    const std::uint32_t limit = std::min(request.limit, limits::audit_page);
    ++auditing_;
    worker_.submit([this, endpoint = &endpoint, asker, id, since = request.since, limit] {
        auto written = OperatorEndpoint::written(
            asker, {.id = id, .result = reply_of(store_.audit(since, limit))});
        return [this, endpoint, asker, id, written = std::move(written)](Instant then) {
            --auditing_;
            endpoint->answer(then, asker, id, written);
        };
    });
}

void Server::verify_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                          RequestId id, std::shared_ptr<ChainCheck> check) {
    ++auditing_;
    worker_.submit([this, endpoint = &endpoint, asker, id, check = std::move(check)] {
        const auto page = store_.audit(check->last(), limits::audit_page);
        const bool has_more = page && check->check(*page);
        const auto error = page ? std::nullopt : std::optional{page.error()};
        return [this, endpoint, asker, id, check, has_more, error](Instant /*then*/) {
            --auditing_;
            if (has_more) {
                verify_audit(*endpoint, asker, id, check);
                return;
            }
            auto result = error ? Result<ReplyBody>{tl::unexpected{*error}}
                                : Result<ReplyBody>{reply_of(*check)};
            endpoint->answer(asker, {.id = id, .result = std::move(result)});
        };
    });
}

std::optional<Reply> Server::completed(const Reply& reply) const {
    std::optional<Reply> whole;
    const auto begin = [&]<class Body>(const Body* known) -> Body* {
        return known == nullptr ? nullptr : &std::get<Body>(*whole.emplace(reply).result);
    };
    if (!reply.result) {
        return whole;
    }
    if (auto* const stats = begin(std::get_if<StatsReply>(&*reply.result))) {
        stats_.add_to(*stats, messages());
    }
    if (auto* const status = begin(std::get_if<StatusReply>(&*reply.result))) {
        const auto met = messages();
        status->host = host_name();
        status->undecodable =
            met.agents.undecodable + met.operators_undecodable + met.ended_by_guard;
        if (file_alarm_) {
            status->alarms.push_back(*file_alarm_);
        }
        if (security_.is_insecure) {
            status->alarms.push_back(
                "there are no keys: every process of this host may command the cluster; 'muster "
                "init' makes keys");
        }
        if (recorder_ && recorder_->trouble()) {
            status->alarms.push_back("recording failed: " + *recorder_->trouble());
        }
    }
    if (auto* const events = begin(std::get_if<EventsReply>(&*reply.result))) {
        events->published_at = bound_.events;
    }
    if (auto* const tokens = begin(std::get_if<TokensReply>(&*reply.result))) {
        tokens->enrolment = bound_.enrolment;
        tokens->key = gate_.has_keys() ? to_string(gate_.key()) : "";
    }
    if (auto* const enrolled = begin(std::get_if<EnrolReply>(&*reply.result))) {
        enrolled->agents = bound_.agents;
    }
    return whole;
}

ShellStats::Messages Server::messages() const {
    return {.agents = agents_.traffic(),
            .operators_undecodable =
                operators_.undecodable() + operators_ipc_.undecodable() + enrolment_.undecodable(),
            .ended_by_guard = net::ended_by_guard(),
            .turned_away = net::turned_away(),
            .unproved = operators_.unproved() + enrolment_.unproved(),
            .too_fast = operators_.too_fast() + enrolment_.too_fast(),
            .denied = denied_,
            .handshakes_begun = net::handshakes_begun(),
            .handshakes = gate_.counts()};
}

HttpAnswer Server::answer_http(Instant now, std::string_view path) {
    if (path == "/healthz") {
        return health_page(resigned_);
    }
    if (path == "/readyz") {
        return readiness_page(query_core(now, {.id = {}, .body = StatusRequest{}})->result);
    }
    if (path == "/metrics") {
        if (!metrics_ || metrics_at_ != now) {  // All requests of one turn get the same page.
            metrics_ = metrics_page(query_core(now, {.id = {}, .body = StatsRequest{}})->result);
            metrics_at_ = now;
        }
        return *metrics_;
    }
    return no_such_page();
}

}  // namespace muster::coordinator
