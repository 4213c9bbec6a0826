#include "coordinator/requests/process_answers.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/requests/shell_requests.hpp"

namespace muster::coordinator {

namespace {

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

void ProcessAnswers::answer(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                            RequestId id, const ShellRequest& request) {
    if (std::holds_alternative<AuditShowRequest>(request) ||
        std::holds_alternative<AuditVerifyRequest>(request)) {
        answer_from_store(endpoint, asker, id, request);
    } else if (std::holds_alternative<CoordinatorListRequest>(request)) {
        endpoint.answer(asker, {.id = id, .result = ReplyBody{standing_.coordinators()}});
    } else {
        endpoint.answer(asker, {.id = id, .result = answer_in_shell(request)});
    }
}

void ProcessAnswers::answer_from_store(OperatorEndpoint& endpoint,
                                       const OperatorEndpoint::Asker& asker, RequestId id,
                                       const ShellRequest& request) {
    if (store_ == nullptr) {
        endpoint.answer(asker, {.id = id, .result = tl::unexpected{standing_.not_leader()}});
    } else if (auditing_ == audits_at_once) {
        endpoint.answer(
            asker, {.id = id, .result = fail(Errc::busy, "the audit is being read; try again")});
    } else if (const auto* const show = std::get_if<AuditShowRequest>(&request)) {
        show_audit(endpoint, asker, id, *show);
    } else {
        verify_audit(endpoint, asker, id, std::make_shared<ChainCheck>(orders_));
    }
}

void ProcessAnswers::show_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                                RequestId id, const AuditShowRequest& request) {
    const std::uint32_t limit = std::min(request.limit, limits::audit_page);
    ++auditing_;
    worker_.submit([this, endpoint = &endpoint, asker, id, since = request.since, limit] {
        auto written = OperatorEndpoint::written(
            asker, {.id = id, .result = reply_of(store_->audit(since, limit))});
        return [this, endpoint, asker, id, written = std::move(written)](Instant then) {
            --auditing_;
            endpoint->answer(then, asker, id, written);
        };
    });
}

void ProcessAnswers::verify_audit(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                                  RequestId id, std::shared_ptr<ChainCheck> check) {
    ++auditing_;
    worker_.submit([this, endpoint = &endpoint, asker, id, check = std::move(check)] {
        const auto page = store_->audit(check->last(), limits::audit_page);
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

}  // namespace muster::coordinator
