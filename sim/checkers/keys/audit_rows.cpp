#include "sim/checkers/keys/audit_rows.hpp"

#include <algorithm>
#include <variant>

#include "common/base/limits.hpp"
#include "common/text/pattern.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"

namespace muster::sim {

namespace {

using coordinator::AuditHead;
using coordinator::Erase;
using coordinator::Persist;
using coordinator::StoredAudit;
using coordinator::StoredFreeze;
using coordinator::StoredKey;
using coordinator::StoredRequest;
using coordinator::StoredTask;
using coordinator::StoredToken;

bool is_only_of_requests(const coordinator::Write& write) {
    return std::holds_alternative<Shared<StoredTask>>(write) ||
           std::holds_alternative<Erase<StoredTask>>(write) ||
           std::holds_alternative<StoredFreeze>(write) ||
           std::holds_alternative<Erase<StoredFreeze>>(write) ||
           std::holds_alternative<Shared<StoredKey>>(write) ||
           std::holds_alternative<Erase<StoredKey>>(write) ||
           std::holds_alternative<StoredToken>(write) ||
           std::holds_alternative<Erase<StoredToken>>(write);
}

template <class Row>
const Row* row_in(const coordinator::Write& write) {
    const auto* shared = std::get_if<Shared<Row>>(&write);
    return shared == nullptr ? nullptr : &**shared;
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
    return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& one) {
               return pattern::matches(one, text);
           });
}

}  // namespace

void AuditRows::on(Instant, const LeadershipBegan& began) {
    key_ = coordinator::audit_key(began.order_key);
    second_ = 0;
    kept_ = 0;
    const auto& heads = began.image.audit;
    const std::uint64_t number = heads.empty() ? 0 : heads.front().number;
    if (number != number_ || (number > 0 && heads.front().hash != hash_)) {
        violated("S22", "a leadership begins with row {} of the audit, not with {}", number,
                 number_);
    }
    take_head(began.image);
}

void AuditRows::take_head(const coordinator::StoreImage& image) {
    number_ = image.audit.empty() ? 0 : image.audit.front().number;
    hash_ = image.audit.empty() ? PublicKey{} : image.audit.front().hash;
}

void AuditRows::on(Instant, const RequestMade& made) {
    if (std::holds_alternative<EnrolRequest>(made.request.body)) {
        enrolments_.insert(made.request.id);
    }
}

// ---- each step ----

void AuditRows::on(Instant now, const StepTaken& step) {
    is_led_ = true;
    count_refusals(CivilMs{raw(read_) + to_ms(now - read_at_)}, step.output);
    const auto* input = std::get_if<coordinator::FromOperator>(&step.input);
    if (input == nullptr || input->by.is_local) {
        return;
    }
    for (const StoredKey& row : step.store.keys) {
        const bool has_key = std::ranges::find(row.keys, input->by.key,
                                               &coordinator::AdmittedKey::key) != row.keys.end();
        if (has_key && (!row.pools.empty() || !row.tasks.empty())) {
            limits_.insert_or_assign(input->request->id, row);
        }
    }
    judge_refusal(CivilMs{raw(read_) + to_ms(now - read_at_)}, step, *input);
}

void AuditRows::count_refusals(CivilMs now, const coordinator::Output& output) {
    for (const Persist& persist : output.persist) {
        for (const coordinator::Write& write : persist.writes) {
            const auto* request = std::get_if<StoredRequest>(&write);
            if (request != nullptr && !request->reply->result && raw(now) / 1'000 == second_ &&
                kept_ == limits::audited_refusals) {
                too_many_.insert(request->id);
            }
            const auto* row = row_in<StoredAudit>(write);
            if (row == nullptr || row->result == "accepted") {
                continue;
            }
            if (const std::int64_t second = raw(row->at) / 1'000; second != second_) {
                second_ = second;
                kept_ = 0;
            }
            if (++kept_ > limits::audited_refusals) {
                violated("S22", "{} refusals of one second were kept", kept_);
            }
        }
    }
}

void AuditRows::judge_refusal(CivilMs now, const StepTaken& step,
                              const coordinator::FromOperator& input) {
    const auto reply =
        std::ranges::find(step.output.replies, input.ticket, &coordinator::ReplyTo::ticket);
    if (reply == step.output.replies.end() || reply->reply->result ||
        reply->reply->result.error().code != Errc::denied) {
        return;
    }
    std::size_t rows = 0;
    for (const Persist& persist : step.output.persist) {
        rows += static_cast<std::size_t>(std::ranges::count_if(persist.writes, [&](auto& write) {
            const auto* row = row_in<StoredAudit>(write);
            return row != nullptr && row->request == input.request->id && row->result == "denied";
        }));
    }
    const bool is_too_much =
        raw(now) / 1'000 == second_ && kept_ == limits::audited_refusals && rows == 0;
    if (rows != 1 && !is_too_much) {
        violated("S22", "a denied request has {} rows", rows);
    }
}

// ---- what became durable ----

void AuditRows::on(Instant, const Committed& committed) {
    if (!is_led_) {
        return;
    }
    Group group;
    for (const Persist& persist : committed.persists) {
        add(persist, group);
        if (!coordinator::continues(persist)) {
            judge(group);
            judge_limits(group);
            group = {};
        }
    }
}

void AuditRows::add(const Persist& persist, Group& group) {
    for (const coordinator::Write& write : persist.writes) {
        group.is_change = group.is_change || is_only_of_requests(write);
        if (const auto* row = row_in<StoredAudit>(write)) {
            check(*row);
            group.rows.push_back(row);
        } else if (const auto* head = std::get_if<AuditHead>(&write)) {
            check(*head);
        } else if (const auto* request = std::get_if<StoredRequest>(&write)) {
            group.requests.push_back(request);
        } else if (const auto* task = row_in<StoredTask>(write)) {
            group.tasks.push_back(task);
        } else if (const auto* erased = std::get_if<Erase<StoredTask>>(&write)) {
            group.removed.push_back(erased->name);
        }
    }
}

void AuditRows::check(const StoredAudit& row) {
    if (row.number != number_ + 1 || row.previous != hash_ || row.hash != hash_of_row(key_, row)) {
        violated("S22", "row {} of the audit does not follow row {}", row.number, number_);
    }
    number_ = row.number;
    hash_ = row.hash;
}

void AuditRows::check(const AuditHead& head) {
    if (head.number != number_ || head.hash != hash_ || head.seal != seal_of(key_, head)) {
        violated("S22", "the head of the audit is not that of row {}", number_);
    }
}

void AuditRows::judge(const Group& group) {
    for (const StoredRequest* const request : group.requests) {
        const auto is_its = [&](const StoredAudit* row) { return row->request == request->id; };
        const auto rows = std::ranges::count_if(group.rows, is_its);
        const bool may_have_none =
            enrolments_.contains(request->id) || too_many_.contains(request->id);
        if (rows != 1 && !(rows == 0 && may_have_none)) {
            violated("S22", "request {} became durable with {} rows", to_string(request->id), rows);
        } else if (rows == 1) {
            const StoredAudit& row = **std::ranges::find_if(group.rows, is_its);
            const auto& result = request->reply->result;
            if (row.result != (result ? "accepted" : to_string(result.error().code))) {
                violated("S22", "the row of request {} says {}", to_string(request->id),
                         row.result);
            }
        }
    }
    const auto accepted = std::ranges::count(group.rows, "accepted", &StoredAudit::result);
    if (group.is_change && accepted != 1) {
        violated("S22", "a change became durable with {} rows of the audit", accepted);
    }
}

void AuditRows::judge_limits(const Group& group) {
    for (const StoredRequest* const request : group.requests) {
        const auto limited = limits_.find(request->id);
        if (limited == limits_.end()) {
            continue;
        }
        const StoredKey& by = limited->second;
        for (const StoredTask* const task : group.tasks) {
            const WantedTask& wanted = task->wanted;
            if (!matches_any(by.pools, wanted.place.pool) || !matches_any(by.tasks, wanted.name)) {
                violated("S19", "{} changed {}, which it may not", by.name, wanted.name);
            }
        }
        for (const std::string& name : group.removed) {
            if (!matches_any(by.tasks, name)) {
                violated("S19", "{} removed {}, which it may not", by.name, name);
            }
        }
    }
}

}  // namespace muster::sim
