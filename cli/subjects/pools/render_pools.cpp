#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/screen/table.hpp"
#include "cli/screen/text.hpp"
#include "cli/subjects/render.hpp"

namespace muster::cli {

namespace {

/// The need of the last hour as a line of blocks, from 0 to its most.
std::string line_of(const std::vector<NeedPoint>& points) {
    constexpr std::size_t width = 60;
    constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const std::size_t columns = std::min(width, points.size());
    std::uint64_t most = 1;
    for (const NeedPoint& point : points) {
        most = std::max(most, point.need);
    }
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
        const NeedPoint& point = points[(column + 1) * points.size() / columns - 1];
        line += blocks[point.need * (blocks.size() - 1) / most];
    }
    return fmt::format("{}  0 to {}", line, most);
}

}  // namespace

std::string text_of(const DemandReply& reply, const Style& /*style*/) {
    if (!reply.newest) {
        return "a newer one came before, so nothing changed\n";
    }
    return std::string{"it counts until its time is over; 'muster demand list' shows all\n"} +
           (reply.undefined ? "the pool has no definition, so nothing changes its size\n" : "");
}

std::string text_of(const DemandListReply& reply, const Style& style) {
    if (reply.demand.empty()) {
        return "nobody needs any pool\n";
    }
    Table table{{"POOL", "REPORTER", "AMOUNT", "ENDS IN"}};
    for (const DemandView& one : reply.demand) {
        table.add({one.pool, one.reporter, std::to_string(one.amount),
                   fmt::format("{} s", (one.ends_in_ms + 999) / 1'000)});
    }
    return table.to_text(style);
}

std::string text_of(const PoolListReply& reply, const Style& style) {
    if (reply.pools.empty()) {
        return "there is no pool\n";
    }
    Table table{{"POOL", "NODES", "SERVING", "DRAINING", "DEMAND", "REPORTERS", "PROVIDER",
                 "WANTED", "CAPACITY", "DECIDED"}};
    for (const PoolView& pool : reply.pools) {
        table.add({pool.name, std::to_string(pool.nodes),
                   Cell{std::to_string(pool.serving),
                        pool.serving == pool.nodes ? Tone::good : Tone::attention},
                   std::to_string(pool.draining), std::to_string(pool.demand),
                   std::to_string(pool.reporters), pool.provider,
                   pool.provider.empty() ? "" : std::to_string(pool.wanted),
                   pool.provider.empty() ? "" : std::to_string(pool.capacity), pool.reason});
    }
    return table.to_text(style);
}

std::string text_of(const PoolForecastReply& reply, const Style& style) {
    if (reply.predictors.empty()) {
        return fmt::format(
            "pool '{}' needs {}; nothing is predicted yet, because it has just come "
            "to be needed\n",
            printable(reply.name), reply.need);
    }
    std::string text = reply.recent.empty()
                           ? fmt::format("pool '{}' needs {}; there is no sample of it yet\n\n",
                                         printable(reply.name), reply.need)
                           : fmt::format("pool '{}' needs {}; its last hour:\n{}\n\n",
                                         printable(reply.name), reply.need, line_of(reply.recent));
    Table table{{"PREDICTOR", "EXPECTS", "SHORT", "MEAN SHORT", "MEAN OVER", "COUNT"}};
    for (const ForecastView& one : reply.predictors) {
        const std::uint64_t count = std::max<std::uint64_t>(1, one.predictions);
        const bool is_silent = !one.trouble.empty() && one.predicted == 0;
        table.add({one.predictor + (one.predictor == reply.active ? " *" : ""),
                   is_silent ? "-" : std::to_string(one.predicted),
                   fmt::format("{} %", one.short_ones * 100 / count),
                   std::to_string(one.mean_under), std::to_string(one.mean_over),
                   std::to_string(one.predictions)});
    }
    text += table.to_text(style);
    for (const ForecastView& one : reply.predictors) {
        if (!one.trouble.empty()) {
            text += fmt::format("{}: {}\n", printable(one.predictor), printable(one.trouble));
        }
    }
    return text + fmt::format(
                      "\nexpected is what is needed in {} s; short and over are by how much "
                      "earlier expectations were off, of which count is how many; * decides\n",
                      reply.ahead_ms / 1'000);
}

}  // namespace muster::cli
