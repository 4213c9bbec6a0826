#include "coordinator/core/security/key_renewals.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/security/rotation.hpp"

namespace muster::coordinator {

void KeyRenewals::on_new_key(StepContext& step, Session session, const NewKey& message) {
    const auto index = nodes_.find(session);
    if (!index || message.incarnation != nodes_[*index].incarnation) {
        nodes_.count_useless(Useless::unknown_sender);
        return;
    }
    const Node& node = nodes_[*index];
    const auto fresh = parse_public_key(message.key);
    const StoredKey* const durable = owner_of(ledger_.keys(), node.key);
    if (!fresh || fresh->is_none() || durable == nullptr || durable->revoked) {
        return;
    }
    const auto is_fresh = [&](const AdmittedKey& one) {
        return one.key == *fresh && (one.until == CivilMs{} || one.until > step.civil());
    };
    if (std::ranges::any_of(durable->keys, is_fresh)) {
        step.output.messages.push_back({session, KeyRegistered{message.key}});
        return;
    }
    StoredKey row = ledger_.keys().proposed(node.name);
    const auto& owners = ledger_.keys().count_soon().owners;
    const auto owner = owners.find(*fresh);
    const bool is_others = owner != owners.end() && owner->second != node.name;
    // While the write of the same key is pending, there is nothing to do.
    if (row.rotation == Rotation::none || is_others || std::ranges::any_of(row.keys, is_fresh)) {
        return;
    }
    // One key after the other: each is a write.
    if (row.rotation == Rotation::registered &&
        raw(step.civil()) - raw(row.keys.back().since) < to_ms(limits::key_renewal_pause)) {
        return;
    }
    if (auto changed = with_new_key(std::move(row), node.key, *fresh, step.civil())) {
        submit(step, std::move(*changed), node.key, "registered " + fingerprint(*fresh));
    }
}

bool KeyRenewals::on_hello(StepContext& step, NodeIndex index, const PublicKey& key) {
    follow(index);
    const StoredKey row = ledger_.keys().proposed(nodes_[index].name);
    if (!is_first_use(row, key)) {
        return false;
    }
    submit(step, with_new_key_only(row), key, "retired " + fingerprint(row.keys.front().key));
    return true;
}

void KeyRenewals::on_row(std::string_view name) {
    if (const auto index = nodes_.find(name)) {
        follow(*index);
    }
}

void KeyRenewals::follow(NodeIndex index) {
    const StoredKey* const row = ledger_.keys().rows().find(nodes_[index].name);
    const bool renews = row != nullptr && !row->revoked && row->rotation != Rotation::none;
    if (nodes_[index].renew_key != renews) {
        nodes_.edit(index, WriteKey<KeyFacts>{}).renew_key = renews;
    }
}

void KeyRenewals::submit(StepContext& step, StoredKey row, const PublicKey& by,
                         const std::string& what) {
    StoredAudit audit = audit_row({.key = by}, "key renew", ledger_.keys());
    audit.at = step.civil();
    audit.result = "accepted";
    audit.detail = row.name + " " + what;
    Change change;
    change.of<StoredKey>().put.emplace_back(std::move(row));
    ledger_.submit(std::move(change), step.output, std::move(audit));
}

}  // namespace muster::coordinator
