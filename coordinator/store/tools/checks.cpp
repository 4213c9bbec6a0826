#include "coordinator/store/tools/checks.hpp"

#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "coordinator/core/ledger/audit/audit_chain.hpp"
#include "coordinator/store/rows.hpp"

namespace muster::coordinator {

namespace {

struct AuditState {
    std::string text;
    std::optional<std::string> fault{};
};

Result<AuditState> check_audit(const Mirror& rows, const std::optional<ClusterSecret>& keys) {
    if (!keys) {
        return AuditState{"its audit was not checked, because there is no cluster.key"};
    }
    constexpr std::uint32_t rows_at_once = 1'000;
    ChainCheck check{keys->orders};
    for (bool has_more = true; has_more;) {
        const auto page = rows.audit(check.last(), rows_at_once);
        if (!page) {
            return tl::unexpected{page.error()};
        }
        has_more = check.check(*page);
    }
    return AuditState{fmt::format("its audit of {} rows is whole", check.rows()), check.fault()};
}

Result<std::string> counts_of(const Mirror& rows) {
    std::vector<std::string_view> order;
    std::map<std::string, std::size_t, std::less<>> counts;
    std::size_t all = 0;
    return rows
        .each_row([&](const RowChange& row) -> Result<void> {
            ++all;
            const auto [at, is_new] = counts.try_emplace(row.table, 0);
            ++at->second;
            if (is_new) {
                order.push_back(at->first);
            }
            return {};
        })
        .map([&] {
            std::string text = fmt::format("{} rows (", all);
            for (const std::string_view table : order) {
                text += fmt::format("{}{}: {}", table == order.front() ? "" : ", ", table,
                                    counts.find(table)->second);
            }
            return text + ')';
        });
}

}  // namespace

Result<void> check_cluster(const Meta& meta, const std::optional<ClusterSecret>& keys) {
    return !keys || keys->cluster == meta.cluster
               ? Result<void>{}
               : fail(Errc::refused,
                      fmt::format("it is of the cluster {}, but the keys in the state directory "
                                  "are of {}; the cluster.key of that cluster belongs there",
                                  to_string(meta.cluster), to_string(keys->cluster)));
}

Result<Findings> check_rows(const Mirror& rows, const std::optional<ClusterSecret>& keys) {
    Findings found;
    const auto image = rows::read_image(rows.database(), &found.faults);
    if (!image) {
        return tl::unexpected{image.error()};
    }
    found.meta = image->meta;
    found.audit_head = image->audit;
    if (auto own = check_cluster(found.meta, keys); !own) {
        found.faults.push_back(own.error().detail);
    }
    const auto audit = check_audit(rows, keys);
    if (!audit) {
        return tl::unexpected{audit.error()};
    }
    found.audit = audit->text;
    if (audit->fault) {
        found.faults.push_back("audit: " + *audit->fault);
    }
    return counts_of(rows).map([&](std::string&& counts) {
        found.counts = std::move(counts);
        return std::move(found);
    });
}

}  // namespace muster::coordinator
