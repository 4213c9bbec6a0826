#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/io.hpp"
#include "agent/core/options.hpp"
#include "common/base/limits.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// Whether the host has what work needs, and which vitals go with the answers to polls.
///
/// Below a floor the host is unable, until a quarter more than the floor is free. A host whose disk
/// does not answer is unable, too. A changed value goes with the next answer, at most once every
/// `between_updates`. All values go every `between_repetitions`, because answers may be lost.
///
/// Owned by Agent.
class HostWatch {
public:
    static constexpr Duration between_updates = 5s;
    static constexpr Duration between_repetitions = 60s;
    static constexpr std::uint32_t unanswered_limit = 3;  ///< Of the disk, without an answer.
    static constexpr Duration clock_step = 500ms;

    explicit HostWatch(HostFloors floors) : floors_{floors} {}

    void on_observed(Instant now, const HostObserved& host);
    void on_observed(const DiskObserved& disk);
    void on_process_made(Instant now) { spawned_ = now; }
    void on_written(Instant now) { written_ = now; }
    /// Why something on the host fails at present. Empty: nothing fails.
    void set_trouble(std::string_view why) { trouble_ = why.substr(0, limits::detail_bytes); }
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

    /// Why the host should get no work: a sentence of at most detail_bytes. Empty: it may get work.
    [[nodiscard]] const std::string& unable() const { return unable_; }

    /// In steps: the load goes with every answer, and most answers should equal the one before.
    [[nodiscard]] std::uint32_t load_milli() const;
    /// The vitals to send with this answer; usually none. `all`: the coordinator holds nothing from
    /// us.
    [[nodiscard]] HostVitals vitals_to_report(Instant now, bool all);

private:
    /// A floor for one resource.
    struct Floor {
        bool broken = false;
        [[nodiscard]] bool is_broken(std::uint64_t left, std::uint64_t floor);
    };
    struct Floors {
        Floor disk_bytes;
        Floor disk_files;
        Floor memory;
    };

    void judge();
    [[nodiscard]] std::string find_fault();
    [[nodiscard]] HostVitals vitals(Instant now) const;
    [[nodiscard]] bool differs(const HostVitals& fresh, Instant now) const;
    [[nodiscard]] CivilMs civil(Instant at) const {
        return CivilMs{raw(host_->civil) + to_ms(at - host_at_)};
    }

    HostFloors floors_;
    std::optional<HostObserved> host_;
    Instant host_at_{};
    std::optional<DiskObserved> disk_;
    std::uint32_t unanswered_ = 0;  // Observations of the disk without an answer, in a row.
    std::optional<Instant> spawned_;
    std::optional<Instant> written_;
    Floors broken_;
    std::string unable_;
    std::string trouble_;
    HostVitals reported_;
    Instant reported_at_{};
};

}  // namespace muster::agent
