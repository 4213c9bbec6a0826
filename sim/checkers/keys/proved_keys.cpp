#include "sim/checkers/keys/proved_keys.hpp"

#include <algorithm>
#include <variant>

#include "common/codec/verb_table.hpp"
#include "coordinator/core/ledger/scope.hpp"

namespace muster::sim {

namespace {

using coordinator::AdmittedKey;
using coordinator::StoredKey;
using coordinator::StoreImage;

const AdmittedKey* find_key(const StoredKey& row, const PublicKey& key) {
    const auto found = std::ranges::find(row.keys, key, &AdmittedKey::key);
    return found == row.keys.end() ? nullptr : &*found;
}

/// The row of the key, if the key is admitted at this time.
const StoredKey* owner_of(const StoreImage& store, const PublicKey& key, CivilMs now) {
    for (const StoredKey& row : store.keys) {
        if (const AdmittedKey* const one = find_key(row, key); one != nullptr) {
            const bool is_over = one->until != CivilMs{} && one->until <= now;
            return row.revoked || is_over ? nullptr : &row;
        }
    }
    return nullptr;
}

bool speaks_for(const StoreImage& store, const PublicKey& key, const std::string& name,
                CivilMs now) {
    const StoredKey* const row = owner_of(store, key, now);
    return row != nullptr && row->role == Role::agent && row->name == name;
}

const Refused* refusal_of(const coordinator::Output& output, coordinator::Session session) {
    for (const coordinator::ToAgent& to : output.messages) {
        const auto* refused = std::get_if<Refused>(&to.message);
        if (to.session == session && refused != nullptr) {
            return refused;
        }
    }
    return nullptr;
}

bool is_welcomed(const coordinator::Output& output, coordinator::Session session) {
    return std::ranges::any_of(output.messages, [&](const coordinator::ToAgent& to) {
        return to.session == session && std::holds_alternative<Welcome>(to.message);
    });
}

bool is_of_audit(const coordinator::Write& write) {
    return std::holds_alternative<Shared<coordinator::StoredAudit>>(write) ||
           std::holds_alternative<coordinator::AuditHead>(write);
}

const codec::Verb& verb_of(const CoreRequestBody& body) {
    return std::visit(
        []<class Body>(const Body& /*body*/) -> const codec::Verb& {
            return codec::verb_row<Body>();
        },
        body);
}

}  // namespace

void ProvedKeys::on(Instant now, const StepTaken& step) {
    if (const auto* agent = std::get_if<coordinator::FromAgent>(&step.input);
        agent != nullptr && !agent->by.is_local) {
        judge(now, step, *agent);
    } else if (const auto* request = std::get_if<coordinator::FromOperator>(&step.input);
               request != nullptr && !request->by.is_local) {
        judge(now, step, *request);
    }
    note_changed_keys(step.output);
}

void ProvedKeys::note_changed_keys(const coordinator::Output& output) {
    for (const coordinator::Persist& persist : output.persist) {
        for (const coordinator::Write& write : persist.writes) {
            if (const auto* row = std::get_if<Shared<StoredKey>>(&write)) {
                changed_.insert((*row)->name);
            } else if (const auto* erased = std::get_if<coordinator::Erase<StoredKey>>(&write)) {
                changed_.insert(erased->name);
            }
        }
    }
}

void ProvedKeys::on(Instant, const OrderSent& order) {
    const auto name = names_.find(order.session);
    if (name == names_.end()) {
        violated("S19", "an order to a connection that was never welcomed");
    } else if (!speaks_for(order.store, order.key, name->second, read_)) {
        violated("S19", "an order to {}, whose key is not admitted any more", name->second);
    }
}

void ProvedKeys::judge(Instant now, const StepTaken& step, const coordinator::FromAgent& input) {
    if (const auto* hello = std::get_if<Hello>(&input.message)) {
        judge_hello(step, input.session, *hello, clock(now));
        return;
    }
    const auto name = names_.find(input.session);
    const bool speaks =
        name != names_.end() && speaks_for(step.store, step.key, name->second, clock(now));
    if (speaks) {
        return;
    }
    const std::string who = name == names_.end() ? "a stranger" : name->second;
    if (std::holds_alternative<Report>(input.message) &&
        refusal_of(step.output, input.session) == nullptr) {
        violated("S19", "a report of {} was taken, whose key is not admitted", who);
    }
    for (const Event& event : step.output.events) {
        if (std::holds_alternative<Departure>(input.message) && event.topic == "node.left" &&
            event.detail.find("key") == std::string::npos) {
            violated("S19", "a departure of {} was taken, whose key is not admitted", who);
        }
    }
}

void ProvedKeys::judge_hello(const StepTaken& step, coordinator::Session session,
                             const Hello& hello, CivilMs now) {
    const bool may = speaks_for(step.store, step.key, hello.name, now);
    const Refused* const refused = refusal_of(step.output, session);
    if (is_welcomed(step.output, session)) {
        names_.insert_or_assign(session, hello.name);
        if (!may) {
            violated("S19", "a session of {} began, whose key it does not have", hello.name);
        }
        return;
    }
    if (may && refused != nullptr && refused->code == Errc::denied) {
        violated("S19", "{} was denied, though its key is admitted: {}", hello.name,
                 refused->detail);
    }
    const bool is_about_it = std::ranges::any_of(step.output.events, [&](const Event& event) {
        return event.topic.starts_with("node.") && event.name == hello.name;
    });
    const auto own = names_.find(session);
    const bool is_its_end = own != names_.end() && own->second == hello.name;  // It leaves.
    // A round that closes meanwhile may change any node.
    if (!may && !is_its_end && !step.output.closed_round &&
        (is_about_it || !step.output.persist.empty())) {
        violated("S19", "a hello that was denied changed {}", hello.name);
    }
}

void ProvedKeys::judge(Instant now, const StepTaken& step, const coordinator::FromOperator& input) {
    const codec::Verb& verb = verb_of(input.request->body);
    const auto reply =
        std::ranges::find(step.output.replies, input.ticket, &coordinator::ReplyTo::ticket);
    const bool is_denied = reply != step.output.replies.end() && !reply->reply->result &&
                           reply->reply->result.error().code == Errc::denied;
    const bool changes = !std::ranges::all_of(step.output.persist, [](const auto& persist) {
        return std::ranges::all_of(persist.writes, is_of_audit);
    });
    if (is_denied && changes && !step.output.closed_round) {
        violated("S19", "'{}' was denied, and changed something", verb.name);
    }
    const bool is_enrolment = verb.role == Role::agent;
    if (input.by.is_enrolling) {
        if (!is_enrolment && !is_denied) {
            violated("S19", "'{}' was accepted from a host that enrols", verb.name);
        }
        return;  // The token decides.
    }
    const StoredKey* const row = owner_of(step.store, input.by.key, clock(now));
    const bool may = row != nullptr && row->role >= verb.role && !is_enrolment;
    if (!may && !is_denied) {
        violated("S19", "'{}' was not denied to {}", verb.name,
                 row == nullptr ? "a key that is not admitted" : row->name);
    }
    const bool is_of_cluster = verb.area != codec::Area::tasks && verb.area != codec::Area::nodes;
    if (may && !is_denied && is_of_cluster && verb.role >= Role::operator_ &&
        coordinator::is_limited(*row) && !changed_.contains(row->name)) {
        violated("S19", "'{}' is about the whole cluster, and was not denied to {}", verb.name,
                 row->name);
    }
    if (may && is_denied && row->pools.empty() && row->tasks.empty() &&
        !changed_.contains(row->name)) {
        violated("S19", "'{}' was denied to {}, who may send it", verb.name, row->name);
    }
}

}  // namespace muster::sim
