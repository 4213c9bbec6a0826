#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The durable home of the wanted state. Submitted writes become durable in order. Several Persist
/// that wait together share one transaction (group commit); a Persist that continues shares it
/// always with the next. After the first failure nothing is written any more.
class Store {
public:
    Store() = default;
    virtual ~Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// Never blocks on the disk.
    virtual void submit(Persist persist) = 0;

    /// Readable when take_durable() or failure() has news.
    [[nodiscard]] virtual int fd() const = 0;
    /// The highest durable number, if it grew since the last call.
    [[nodiscard]] virtual std::optional<std::uint64_t> take_durable() = 0;
    /// Why nothing becomes durable any more.
    [[nodiscard]] virtual std::optional<std::string> failure() = 0;
    /// Why nothing becomes durable for the time being.
    [[nodiscard]] virtual std::optional<std::string> trouble() const { return std::nullopt; }

    /// At most so many durable rows of the audit after a number, in their order; without a number
    /// the newest. Any thread may call it; it waits for the disk.
    [[nodiscard]] virtual Result<AuditPage> audit(std::optional<std::uint64_t> since,
                                                  std::uint32_t limit) const = 0;
};

}  // namespace muster::coordinator
