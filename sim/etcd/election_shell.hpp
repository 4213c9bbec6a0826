#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "coordinator/core/leadership/leadership.hpp"
#include "sim/etcd/etcd_model.hpp"

namespace muster::sim {

/// Carries out what the real Leadership orders, like the daemon's election in etcd: one call after
/// the other. Its clock may be slow or fast.
class ElectionShell {
public:
    /// What the daemon learns.
    struct News {
        struct Lead {
            Epoch epoch{};
            etcd::Revision won{};
        };
        std::optional<Lead> leads{};
        std::optional<std::string> over{};
    };

    /// `drift`: how many of 1000 seconds its clock is fast.
    ElectionShell(World& world, EtcdModel& model, std::uint32_t control, std::uint64_t life,
                  const LeaderId& self, std::int64_t drift);

    void begin(Instant now) { look(now, Doing::looking); }
    [[nodiscard]] bool has_called(std::uint64_t call) const {
        return doing_ != Doing::nothing && call_ == call;
    }
    [[nodiscard]] News on_answer(Instant now, const EtcdAnswer& answer);
    [[nodiscard]] News wake(Instant now);
    /// As leader only.
    void resign(Instant now) {
        is_resigning_ = true;
        wake_at(now);
    }
    /// The leader may not act any more, even if a call of ours still waits.
    [[nodiscard]] bool has_lapsed(Instant now) const;
    /// When the daemon has to look at has_lapsed() again.
    [[nodiscard]] std::optional<Instant> lapses_at() const;

private:
    enum class Doing : std::uint8_t {
        nothing,
        looking,
        looking_after_renewal,
        awaiting,
        asking,
        reading_meta,
        campaigning,
        reading_leader,
        renewing,
    };

    void look(Instant now, Doing doing);
    void call(Instant now, Doing doing, EtcdRequest request);
    void on_looked(const EtcdAnswer& answer);
    void campaign(Instant now, const EtcdAnswer& meta);
    void fail(const EtcdAnswer& answer);
    [[nodiscard]] News run(Instant now);
    void carry_out(Instant now, const coordinator::election::Order& order);
    [[nodiscard]] Instant local(Instant now) const;
    [[nodiscard]] Instant true_time_of(Instant local) const;
    void wake_at(Instant at);

    World& world_;
    EtcdModel& model_;
    std::uint32_t control_;
    std::uint64_t life_;
    LeaderId self_;
    std::int64_t drift_;
    Duration lease_ = election_lease;
    coordinator::Leadership core_;
    std::deque<coordinator::election::Input> next_;
    Doing doing_ = Doing::nothing;
    std::uint64_t call_ = 0;
    Instant asked_{};
    coordinator::LeaseId of_campaign_{};
    Epoch epoch_{};
    etcd::Revision seen_{};
    etcd::Revision won_{};
    std::optional<Instant> until_;  ///< By its clock.
    bool is_resigning_ = false;
    std::optional<Instant> pauses_until_;  ///< A follower that could not look.
};

}  // namespace muster::sim
