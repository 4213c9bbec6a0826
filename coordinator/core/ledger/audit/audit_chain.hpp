#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/crypto/key.hpp"
#include "coordinator/core/rows.hpp"

/// How the rows of the audit hang together, and the check that they do.
namespace muster::coordinator {

/// The key of the audit. None without a key of orders: then anybody can make a chain that fits.
[[nodiscard]] SecretKey audit_key(const SecretKey& order_key);
[[nodiscard]] PublicKey hash_of_row(const SecretKey& audit_key, const StoredAudit& row);
[[nodiscard]] PublicKey seal_of(const SecretKey& audit_key, const AuditHead& head);

/// Rows in the order of their numbers, and the head at that moment.
struct AuditPage {
    std::vector<StoredAudit> rows;
    std::optional<AuditHead> head{};
};

/// Checks the whole audit, page by page, from its first row on. Rows may be added and dropped
/// meanwhile.
class ChainCheck {
public:
    explicit ChainCheck(const SecretKey& order_key) : key_{audit_key(order_key)} {}

    /// The page after the rows that were checked. False: a fault was found, or the page was empty
    /// and all is checked.
    [[nodiscard]] bool check(const AuditPage& page);

    /// Names the first row that does not fit. Nothing: the audit is whole.
    [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    [[nodiscard]] std::uint64_t first() const { return first_; }
    /// The last number that was checked. Ask for the rows after it.
    [[nodiscard]] std::uint64_t last() const { return next_ - 1; }
    [[nodiscard]] bool is_keyed() const { return !key_.is_none(); }

private:
    [[nodiscard]] std::optional<std::string> fault_of(const AuditPage& page);
    [[nodiscard]] std::optional<std::string> fault_of(const StoredAudit& row) const;
    [[nodiscard]] std::optional<std::string> fault_of_end(const AuditHead& head) const;

    SecretKey key_;
    std::uint64_t rows_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t next_ = 1;
    std::optional<PublicKey> previous_;  // None: the row before is not kept.
    std::optional<std::string> fault_;
};

/// The fault of an audit on one page.
[[nodiscard]] std::optional<std::string> fault_of_chain(const SecretKey& order_key,
                                                        const AuditPage& whole);

}  // namespace muster::coordinator
