#include "coordinator/core/ledger/audit/audit.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/limits.hpp"
#include "common/codec/verb_table.hpp"
#include "common/crypto/hash.hpp"
#include "common/text/utf8.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"

namespace muster::coordinator {

namespace {

constexpr std::size_t for_the_end = 64;  // Bytes for what ends a list.

/// A list of bounded length. What does not fit is counted.
class Items {
public:
    void add(const std::string& item) {
        if (text_.size() + item.size() > limits::sentence_bytes - for_the_end) {
            ++more_;
            return;
        }
        text_ += (text_.empty() ? "" : ", ") + item;
    }
    [[nodiscard]] std::string text(std::size_t unchanged = 0) const {
        std::string whole = text_;
        if (more_ > 0) {
            whole += " and " + std::to_string(more_) + " more";
        }
        if (unchanged > 0) {
            whole += (whole.empty() ? "" : "; ") + std::to_string(unchanged) + " unchanged";
        }
        return whole;
    }

private:
    std::string text_;
    std::size_t more_ = 0;
};

std::string arrow(const std::string& before, const std::string& after) {
    return before + " -> " + after;
}

std::string line_about(const TaskChange& change) {
    std::string text =
        change.task + " " + change.action + " " +
        arrow(std::to_string(change.instances_before), std::to_string(change.instances_after));
    for (const std::string& field : change.fields) {
        text += (&field == &change.fields.front() ? "; differs in " : " ") + field;
    }
    return text;
}

std::string line_about(const NodeChangeView& change) {
    if (change.intent_before == change.intent_after) {
        return change.node + " " + change.action;
    }
    return change.node + " " +
           arrow(change.intent_before.empty() ? "none" : change.intent_before,
                 change.intent_after.empty() ? "removed" : change.intent_after);
}

std::string line_about(const LimitView& limit) {
    return limit.name + " " + (limit.value ? std::to_string(*limit.value) : "none");
}

std::string line_about(const AheadNode& node) {
    return node.name + (node.left_out.empty() ? "" : " left out");
}

std::string line_about(const KeyView& key) {
    return key.name + " " + key.role + " " + key.state + " " + key.fingerprint +
           (key.rotation.empty() ? "" : ", rotation " + key.rotation);
}

std::string line_about(const TokenView& token) {
    return token.id + " for " + token.pattern + ", uses left " + std::to_string(token.uses);
}

std::string line_about(const SecretView& secret) {
    return secret.name + " version " + std::to_string(raw(secret.version)) + ", " +
           std::to_string(secret.bytes) + " bytes";
}

std::string lines_about(const auto& views) {
    Items items;
    std::size_t unchanged = 0;
    for (const auto& view : views) {
        if constexpr (requires { view.action; }) {
            if (view.action == "unchanged") {
                ++unchanged;
                continue;
            }
        }
        items.add(line_about(view));
    }
    return items.text(unchanged);
}

/// The replies of reads have no such text: reads are not kept.
std::string about(const auto& /*reply*/) { return {}; }
std::string about(const ChangeReply& reply) { return lines_about(reply.changes); }
std::string about(const NodesChangeReply& reply) { return lines_about(reply.changes); }
std::string about(const LimitsReply& reply) { return lines_about(reply.limits); }
std::string about(const StoreAcceptReply& reply) { return lines_about(reply.nodes); }
std::string about(const KeysReply& reply) { return lines_about(reply.keys); }
std::string about(const TokensReply& reply) { return lines_about(reply.tokens); }
std::string about(const SecretsReply& reply) { return lines_about(reply.secrets); }
std::string about(const PoolChangeReply& reply) {
    return reply.name + " " + reply.action +
           (reply.fields.empty() ? "" : ": " + joined(reply.fields, ", "));
}
std::string about(const FreezeReply& reply) { return reply.freeze.on ? "on" : "off"; }
std::string about(const UpgradeReply& reply) {
    return "schema " + arrow(std::to_string(reply.before), std::to_string(reply.after));
}
std::string about(const EnrolReply& reply) {
    return reply.name + (reply.pending ? " waits" : " agent valid " + reply.fingerprint);
}

StoredAudit row_by(const Caller& by, const Keys& keys) {
    StoredAudit row;
    if (by.is_local) {
        row.actor = "local";
    } else if (const StoredKey* const owner = owner_of(keys, by.key)) {
        row.actor = owner->name;
    }
    if (!by.is_local && !by.key.is_none()) {
        row.fingerprint = fingerprint(by.key);
    }
    return row;
}

void shorten(std::string& text) {
    text.resize(cut(text, limits::sentence_bytes - for_the_end).size());
}

}  // namespace

Audit::Audit(const SecretKey& order_key, const std::vector<AuditHead>& stored)
    : key_{audit_key(order_key)} {
    if (stored.empty()) {
        return;
    }
    head_ = stored.front();
    if (!is_same(head_.seal.bytes, seal_of(key_, head_).bytes)) {
        ++head_.number;
        head_.first = std::min(head_.first, head_.number);
        head_.hash = {};
    }
}

void Audit::add(StoredAudit row, std::vector<Write>& writes) {
    if (const std::uint64_t dropped = std::exchange(dropped_, 0); dropped > 0) {
        row.detail += "; before it " + std::to_string(dropped) + " refusals were not kept";
    }
    row.number = ++head_.number;
    row.previous = head_.hash;
    row.hash = hash_of_row(key_, row);
    head_.hash = row.hash;
    if (head_.number >= head_.first + limits::audit_rows) {
        head_.first = head_.number - limits::audit_rows + 1;
        writes.emplace_back(EraseOldAudit{head_.first - 1});
    }
    head_.seal = seal_of(key_, head_);
    writes.emplace_back(Shared<StoredAudit>{std::move(row)});
    writes.emplace_back(head_);
}

bool Audit::admits_refusal(CivilMs now) {
    if (const std::int64_t second = raw(now) / 1'000; second != second_) {
        second_ = second;
        kept_ = 0;
    }
    if (kept_ == limits::audited_refusals) {
        ++dropped_;
        return false;
    }
    ++kept_;
    return true;
}

void Audit::resume(const SecretKey& order_key) { key_ = audit_key(order_key); }

StoredAudit audit_row(const FromOperator& input, const Keys& keys) {
    StoredAudit row = row_by(input.by, keys);
    row.request = input.request->id;
    const auto fill_in = [&]<class Body>(const Body& body) {
        row.action = codec::tag<Body>;
        if constexpr (requires { body.why; }) {
            if (input.by.is_local && !body.why.author.empty()) {
                row.actor += ": " + printable(body.why.author);
            }
        }
        if constexpr (std::is_same_v<Body, EnrolRequest>) {
            row.actor = "host: " + body.name;
        }
    };
    std::visit(fill_in, input.request->body);
    shorten(row.actor);
    return row;
}

StoredAudit audit_row(const Denied& input, const Keys& keys) {
    StoredAudit row = row_by(input.by, keys);
    row.request = input.request;
    row.action = input.verb;
    return row;
}

StoredAudit audit_row(const Caller& by, std::string_view action, const Keys& keys) {
    StoredAudit row = row_by(by, keys);
    row.action = action;
    return row;
}

std::string summary_of(const ReplyBody& reply) {
    return std::visit([](const auto& body) { return about(body); }, reply);
}

void set_result(StoredAudit& row, const Result<ReplyBody>& result) {
    row.result = result ? "accepted" : std::string{to_string(result.error().code)};
    row.detail = printable(result ? summary_of(*result) : result.error().detail);
    shorten(row.detail);
}

}  // namespace muster::coordinator
