#include <algorithm>
#include <utility>

#include "coordinator/core/ledger/cluster_limits.hpp"
#include "coordinator/core/state/state.hpp"

/// The limits that operators set for the whole cluster.
namespace muster::coordinator {

void State::ask(const Asked& asked, const LimitListRequest& /*request*/) {
    answer(asked, ReplyBody{LimitsReply{.counter = meta.counter,
                                        .limits = {limit_view(starts_per_term, {}),
                                                   limit_view(moves_per_term, {})}}});
}

void State::ask(const Asked& asked, const LimitSetRequest& request) {
    if (settle_by_id(asked)) {
        return;
    }
    const auto limit = check(request);
    if (!limit) {
        settle_change(asked, Result<SettingsWritten>{tl::unexpected{limit.error()}}, false);
        return;
    }
    SettingsWritten written;
    const StoredSetting row{request.name, limit_text(request.value)};
    if (settings.proposed(row.name) != row.value) {
        written.rows.push_back(row);
    }
    written.changes.limits.push_back(limit_view(**limit, row.value));
    settle_change(asked, Result<SettingsWritten>{std::move(written)}, false);
}

LimitView State::limit_view(const ClusterLimit& limit, std::string_view text) const {
    const auto value = limit_from(text.empty() ? settings.durable(limit.name) : text);
    const bool is_of_starts = &limit == &starts_per_term;
    LimitView view{.name = std::string{limit.name}};
    view.value = value;
    view.least = limit.least;
    view.used = is_of_starts ? starts_this_term : moves_this_term;
    view.applies = is_of_starts ? value : std::optional{value.value_or(usual_moves())};
    view.detail = limit.meaning;
    return view;
}

std::uint32_t State::usual_moves() const {
    constexpr std::size_t nodes_per_move = 100;
    return static_cast<std::uint32_t>(std::max<std::size_t>(1, nodes.count() / nodes_per_move));
}

void State::take_effect(Instant now, const SettingsWritten& written, Output& /*output*/) {
    for (const StoredSetting& row : written.rows) {
        settings.take_effect(row);
        tell(now, "setting.changed", row.name, row.value);
    }
    round = Round::term;  // More may be allowed now.
}

}  // namespace muster::coordinator
