#include "coordinator/core/ledger/audit/audit_chain.hpp"

#include <string_view>

#include "common/crypto/hash.hpp"

namespace muster::coordinator {

namespace {

/// With its length before it, so that no part of a field can be shifted to the next.
void add_field(std::string& text, std::string_view field) {
    text += std::to_string(field.size());
    text += ':';
    text += field;
}
void add_field(std::string& text, std::uint64_t number) { add_field(text, std::to_string(number)); }
void add_field(std::string& text, const PublicKey& hash) { add_field(text, to_string(hash)); }

std::string row_named(std::uint64_t number) { return "row " + std::to_string(number); }

std::string rows_missing(std::uint64_t from, std::uint64_t to) {
    return from == to
               ? row_named(from) + " is missing"
               : "rows " + std::to_string(from) + " to " + std::to_string(to) + " are missing";
}

std::string end_unknown(std::uint64_t last, std::string_view how) {
    return "rows after " + row_named(last) + " may be missing: the number of the newest row was " +
           std::string{how};
}

}  // namespace

SecretKey audit_key(const SecretKey& order_key) {
    return order_key.is_none() ? SecretKey{} : SecretKey{hash_of(order_key, "audit")};
}

PublicKey hash_of_row(const SecretKey& audit_key, const StoredAudit& row) {
    std::string text;
    add_field(text, "row");
    add_field(text, row.previous);
    add_field(text, row.number);
    add_field(text, std::to_string(raw(row.at)));
    add_field(text, row.actor);
    add_field(text, row.fingerprint);
    add_field(text, row.action);
    add_field(text, row.result);
    add_field(text, row.detail);
    add_field(text, to_string(row.request));
    add_field(text, raw(row.epoch));
    add_field(text, raw(row.counter));
    return PublicKey{hash_of(audit_key, text)};
}

PublicKey seal_of(const SecretKey& audit_key, const AuditHead& head) {
    std::string text;
    add_field(text, "head");
    add_field(text, head.number);
    add_field(text, head.first);
    add_field(text, head.hash);
    return PublicKey{hash_of(audit_key, text)};
}

bool ChainCheck::check(const AuditPage& page) {
    if (!fault_) {
        fault_ = fault_of(page);
    }
    return !fault_ && !page.rows.empty();
}

std::optional<std::string> ChainCheck::fault_of(const AuditPage& page) {
    if (!page.head) {
        return page.rows.empty() && rows_ == 0
                   ? std::nullopt
                   : std::optional{end_unknown(
                         page.rows.empty() ? next_ - 1 : page.rows.back().number, "deleted")};
    }
    const AuditHead& head = *page.head;
    // Rows before the first that is kept may be gone, if the head says so truly.
    const bool is_sealed = is_same(head.seal.bytes, seal_of(key_, head).bytes);
    if (const std::uint64_t first = is_sealed ? head.first : 1; first > next_) {
        next_ = first;
        previous_.reset();
    }
    for (const StoredAudit& row : page.rows) {
        if (row.number < next_) {
            continue;  // It was dropped in the meantime, or will be.
        }
        if (auto fault = fault_of(row)) {
            return fault;
        }
        first_ = rows_ == 0 ? row.number : first_;
        ++rows_;
        next_ = row.number + 1;
        previous_ = row.hash;
    }
    if (!page.rows.empty()) {
        return std::nullopt;
    }
    return is_sealed ? fault_of_end(head) : end_unknown(next_ - 1, "edited");
}

std::optional<std::string> ChainCheck::fault_of(const StoredAudit& row) const {
    if (row.number != next_) {
        return rows_missing(next_, row.number - 1);
    }
    if (!is_same(row.hash.bytes, hash_of_row(key_, row).bytes)) {
        return row_named(row.number) + " was edited";
    }
    if (previous_ && row.previous != *previous_) {
        return row_named(row.number) + " does not follow " + row_named(row.number - 1) +
               ": one of them was exchanged";
    }
    return std::nullopt;
}

std::optional<std::string> ChainCheck::fault_of_end(const AuditHead& head) const {
    if (head.number >= next_) {
        return rows_missing(next_, head.number) + ": the newest rows were cut off";
    }
    if (head.number + 1 < next_) {
        return row_named(head.number + 1) + " is newer than the newest row that was written";
    }
    return previous_ && head.hash != *previous_
               ? std::optional{row_named(head.number) + " is not the one that was written last"}
               : std::nullopt;
}

std::optional<std::string> fault_of_chain(const SecretKey& order_key, const AuditPage& whole) {
    ChainCheck check{order_key};
    if (check.check(whole)) {
        static_cast<void>(check.check({.rows = {}, .head = whole.head}));
    }
    return check.fault();
}

}  // namespace muster::coordinator
