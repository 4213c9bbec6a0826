#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/store/election.hpp"

namespace muster::coordinator {

/// Whether this coordinator leads, and who else does, for its answers.
class Standing {
public:
    /// For as long as the election lasts. Null: it takes part in none.
    void take_part(Election* election) { election_ = election; }
    void set_leads(bool leads) { leads_ = leads; }
    [[nodiscard]] bool leads() const { return leads_; }

    /// It believes that it leads, but its lease has ended: a process that was paused learns it
    /// here.
    [[nodiscard]] bool has_lapsed() const {
        return leads_ && election_ != nullptr && election_->over().has_value();
    }
    /// The mark of its answers. Null: it leads.
    [[nodiscard]] std::shared_ptr<const Standby> mark() const;
    /// Why it takes no change, and where else to ask.
    [[nodiscard]] Error not_leader() const;
    [[nodiscard]] CoordinatorsReply coordinators() const;
    /// Names the servers of the store that do not answer. Nothing: all of them do.
    [[nodiscard]] std::optional<std::string> trouble() const {
        return election_ == nullptr ? std::nullopt : election_->trouble();
    }
    /// Why it cannot hand over: nobody would lead.
    [[nodiscard]] Result<void> may_resign() const;
    /// Why an upgrade cannot end yet: a coordinator would not know the store any more.
    [[nodiscard]] Result<void> may_finish_upgrade() const;

private:
    [[nodiscard]] LeaderSign leader() const;

    Election* election_ = nullptr;
    bool leads_ = false;
};

}  // namespace muster::coordinator
