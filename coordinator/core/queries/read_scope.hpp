#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/ledger/scope.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// What a caller may read: all, or the tasks of its scope. A request that names a task outside is
/// denied, and lists leave such tasks out. Nodes, totals and the settings of the cluster are open:
/// without them nobody could say why a task has no place.
///
/// This is the only place that judges it. A kind of reply that is not named here does not compile.
class ReadScope {
public:
    ReadScope(const Facts& facts, const Caller& by);
    /// Of the holder of this name.
    ReadScope(const Facts& facts, std::string_view name);

    [[nodiscard]] bool is_limited() const {
        return key_ != nullptr && coordinator::is_limited(*key_);
    }
    [[nodiscard]] bool sees_task(std::string_view name) const;
    [[nodiscard]] bool sees(const Event& event) const;
    /// `denied`: the request names a task outside.
    [[nodiscard]] Result<void> may_ask(const CoreRequestBody& request) const;
    /// Recent events that the caller may see.
    [[nodiscard]] EventsReply events(const EventsRequest& request) const;
    /// The answer without what the caller may not see.
    [[nodiscard]] Result<ReplyBody> limited(Result<ReplyBody> answer) const;

private:
    friend struct ReadLimiter;

    [[nodiscard]] Result<void> may_name(const std::string& task) const;
    /// Every task that matches.
    [[nodiscard]] Result<void> may_match(std::string_view pattern) const;
    [[nodiscard]] Result<void> may_ask_for(const ExplainRequest& request) const;
    void remove_hidden(auto& list, auto task_of) const;

    const Facts& facts_;
    const StoredKey* key_;  // Null: the caller has none, so it is of this host.
};

/// The topic under which a limited holder of this name gets its events: `@ann/`. An unlimited one
/// has no such prefix.
[[nodiscard]] std::string event_prefix(std::string_view name);

}  // namespace muster::coordinator
