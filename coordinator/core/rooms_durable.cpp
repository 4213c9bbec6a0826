#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "common/base/ensure.hpp"
#include "coordinator/core/nodes/notes.hpp"
#include "coordinator/core/rooms.hpp"

/// What follows from a write once it is durable.
namespace muster::coordinator {

namespace {

std::string topic_of(const TaskChange& change) {
    if (change.action == "add") {
        return "task.added";
    }
    if (change.action == "remove") {
        return "task.removed";
    }
    if (change.action == "scale") {
        return "task.scaled";
    }
    return change.action == "restart" ? "task.restarted" : "task.changed";
}

std::string describe(const TaskChange& change) {
    const auto before = std::to_string(change.instances_before);
    const auto after = std::to_string(change.instances_after);
    std::string sentence = change.every_node && change.instances_after > 0
                               ? "one instance on every node"
                               : "instances " + (before == after ? after : before + " -> " + after);
    for (const std::string& field : change.fields) {
        sentence += (&field == &change.fields.front() ? "; differs in " : ", ") + field;
    }
    return sentence;
}

std::string describe_by(std::string_view author) { return describe_cause(author, {}); }

}  // namespace

void Rooms::on(StepContext& step, const Persisted& input, Effects& effects) {
    in_.ledger.persisted(input.number);
    apply_durable(step, effects);
}

void Rooms::apply_durable(StepContext& step, Effects& effects) {
    for (std::size_t rows = 0; rows < in_.options.rows_of_step;) {
        const auto write = in_.ledger.confirm();
        if (!write) {
            return;
        }
        rows += std::max<std::size_t>(1, write->last_line - write->first_line);
        effects.wake_waits = true;
        in_.copies.workload.raise_counter(in_.ledger.meta().counter);
        apply_write(step, *write, effects);
        in_.ledger.acknowledge(*write, step.output);
    }
}

void Rooms::on(StepContext& step, const StoreFailed& input, Effects& /*effects*/) {
    const Error error{Errc::store_failed,
                      "the store failed, and nothing was changed: " + input.detail};
    in_.ledger.fail_all(error, step.output);
    operators_.fail_all(error, step.output);
    end_leadership(step, "the store failed: " + input.detail);
}

void Rooms::end_leadership(StepContext& step, std::string why) {
    step.output.resign = std::move(why);
    is_over_ = true;
}

void Rooms::apply_write(StepContext& step, const PendingWrite& write, Effects& effects) {
    const Change& change = write.change;
    if (change.origin == ChangeOrigin::accepted_store) {
        apply_store(step, change);
        return;
    }
    if (change.origin == ChangeOrigin::resignation) {
        end_leadership(step, "it was handed over, as " + change.why.author + " wanted");
    }
    apply_tasks(step, write, effects);
    apply_keys(step, change, effects);
    apply_secrets(step, change);
    in_.membership.on_durable(step, change, effects);
    for (const Shared<StoredSetting>& row : change.of<StoredSetting>().put) {
        apply_setting(step, *row);
        effects.plan_at_least(PlanReason::all);  // More may be allowed now.
    }
    in_.freeze.on_durable(step, change, effects);
    in_.scaling.on_durable(step, change);
}

void Rooms::apply_tasks(StepContext& step, const PendingWrite& write, Effects& effects) {
    const Rows<StoredTask>& rows = write.change.of<StoredTask>();
    if (rows.empty()) {
        return;
    }
    for (const Shared<StoredTask>& row : rows.put) {
        put(*row);
    }
    for (const std::string& name : rows.erased) {
        const auto task = in_.copies.workload.find(name);
        ensure(task.has_value(), "a task is removed once");
        in_.copies.workload.unwant(*task);
    }
    const std::span changes{std::get<ChangeReply>(*write.reply->result).changes};
    for (const TaskChange& change :
         changes.subspan(write.first_line, write.last_line - write.first_line)) {
        if (change.action != "unchanged") {
            step.emit(topic_of(change), change.task, describe(change));
        }
    }
    effects.plan_at_least(PlanReason::touched);
}

void Rooms::apply_keys(StepContext& step, const Change& change, Effects& effects) {
    const Rows<StoredKey>& keys = change.of<StoredKey>();
    for (const Shared<StoredKey>& row : keys.put) {
        step.emit(row->revoked                            ? "key.revoked"
                  : row->rotation == Rotation::asked      ? "key.asked"
                  : row->rotation == Rotation::registered ? "key.registered"
                                                          : "key.admitted",
                  row->name, std::string{to_string(row->role)} + ", " + describe_by(row->author));
        in_.renewals.on_row(row->name);
        in_.membership.check_key(step, row->name, effects);
    }
    for (const std::string& name : keys.erased) {
        step.emit("key.removed", name, describe_by(change.why.author));
        in_.renewals.on_row(name);
        in_.membership.check_key(step, name, effects);
    }
    const Rows<StoredToken>& tokens = change.of<StoredToken>();
    for (const Shared<StoredToken>& token : tokens.put) {
        step.emit("token.open", token->name,
                  "for " + token->pattern + ", uses left: " + std::to_string(token->uses) + ", " +
                      describe_by(token->author));
    }
    for (const std::string& id : tokens.erased) {
        step.emit("token.closed", id);
    }
}

void Rooms::apply_secrets(StepContext& step, const Change& change) {
    const Rows<StoredSecret>& secrets = change.of<StoredSecret>();
    for (const Shared<StoredSecret>& secret : secrets.put) {
        step.emit(
            "secret.set", secret->name,
            "version " + std::to_string(raw(secret->version)) + ", " + describe_by(secret->author));
    }
    for (const std::string& name : secrets.erased) {
        step.emit("secret.removed", name, describe_by(change.why.author));
    }
}

void Rooms::apply_setting(StepContext& step, const StoredSetting& row) {
    if (row.name != ProofRule::setting) {
        step.emit("setting.changed", row.name, row.value);
        return;
    }
    OrderProofs& proofs = in_.copies.proofs;
    proofs.on_durable(row);
    const auto rule = proof_rule_from(row.value);
    step.emit("proofs.required", "",
              rule ? "an instance of a generation above " + std::to_string(raw(rule->after)) +
                         " counts only with the proof of its order"
                   : "no longer: the coordinator has no key for proofs");
}

void Rooms::put(const StoredTask& row) {
    in_.copies.workload.put(row);
    in_.planning.watch(row.wanted.name);
}

void Rooms::apply_store(StepContext& step, const Change& change) {
    const Meta& meta = in_.ledger.meta();
    // The coordinators before this one may have granted leases until now.
    in_.copies.leases.expect_earlier(step.now);
    in_.events.set_epoch(meta.epoch);
    in_.copies.proofs.on_cluster(meta.cluster);
    step.emit("store.accepted", "",
              "cluster " + to_string(meta.cluster) + ", epoch " + std::to_string(raw(meta.epoch)) +
                  ", change " + std::to_string(raw(meta.counter)));
    for (const Shared<StoredTask>& row : change.of<StoredTask>().put) {
        put(*row);
    }
    for (const Shared<StoredSetting>& row : change.of<StoredSetting>().put) {
        apply_setting(step, *row);
    }
    in_.membership.on_store_accepted(step, change.of<StoredNode>());
    in_.liveness.rounds().cut_short(step.now);
}

}  // namespace muster::coordinator
