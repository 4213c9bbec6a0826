#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

/// Requests about the audit: who changed what, and what was refused to whom.
namespace muster {

struct AuditShowRequest {
    std::optional<std::uint64_t> since{};  ///< Rows of higher numbers. Nothing: the newest rows.
    std::uint32_t limit = 1'000;

    friend bool operator==(const AuditShowRequest&, const AuditShowRequest&) = default;
};
struct AuditVerifyRequest {
    friend bool operator==(const AuditVerifyRequest&, const AuditVerifyRequest&) = default;
};

struct AuditView {
    std::uint64_t number = 0;
    CivilMs at{};
    std::string actor{};        ///< The name of the key; `local`, or `local: WORD`.
    std::string fingerprint{};  ///< Of the key. Empty: it came over the local socket.
    std::string action{};       ///< The verb.
    std::string result{};       ///< accepted | the code of the error
    std::string detail{};       ///< Before and after, or why it was refused.
    RequestId request{};
    Epoch epoch{};
    Generation counter{};
    std::string hash{};  ///< Of the row and of all before it. 64 hexadecimal digits.

    friend bool operator==(const AuditView&, const AuditView&) = default;
};
/// In the order of their numbers.
struct AuditReply {
    std::vector<AuditView> rows;

    friend bool operator==(const AuditReply&, const AuditReply&) = default;
};
struct AuditVerifyReply {
    std::uint64_t rows = 0;   ///< That were checked.
    std::uint64_t first = 0;  ///< The oldest that is kept.
    std::uint64_t last = 0;
    std::string fault{};  ///< The first row that does not fit, and why. Empty: the audit is whole.
    bool keyed = false;   ///< Without a key the check shows accidents only.

    friend bool operator==(const AuditVerifyReply&, const AuditVerifyReply&) = default;
};

}  // namespace muster
