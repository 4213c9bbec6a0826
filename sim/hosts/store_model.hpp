#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/rows.hpp"
#include "sim/model/event_queue.hpp"
#include "sim/model/options.hpp"

namespace muster::sim {

/// Writes one row.
void apply(coordinator::StoreImage& image, const coordinator::Write& write);

/// A new, empty store of a new cluster.
[[nodiscard]] coordinator::StoreImage new_store(Random& random);

/// The coordinator's disk: a durable image, and the writes on their way to it.
///
/// Commits take time. Writes that wait meanwhile are committed together, as are the parts of a
/// change. A crash loses what was not durable; the commit in progress is decided at random. After a
/// failure nothing is written any more, and the writes in progress may or may not have become
/// durable, without notice.
class StoreModel {
public:
    StoreModel(const ClusterOptions& options, EventQueue& queue);

    /// Begins a leadership: the epoch grows by one, with a new leader id. Not before crash().
    [[nodiscard]] const coordinator::StoreImage& lead();
    [[nodiscard]] const coordinator::StoreImage& durable() const { return image_; }
    /// Exchanges the disk for another one.
    void replace(coordinator::StoreImage image) { image_ = std::move(image); }

    void make_durable(const std::vector<coordinator::Persist>& writes);
    void submit(Instant now, std::uint64_t life, coordinator::Persist persist);
    /// The writes that a due commit made durable, in order.
    [[nodiscard]] std::vector<coordinator::Persist> commit(Instant now, std::uint64_t life);
    /// The process ended. Returns the writes that became durable anyway.
    [[nodiscard]] std::vector<coordinator::Persist> crash();

    /// The next commit fails, and everything after it.
    void fail_next() { failing_ = true; }
    /// The disk works again.
    void repair() { failing_ = failed_ = false; }
    /// Commits that were begun so far.
    [[nodiscard]] std::uint64_t commits() const { return commits_; }
    [[nodiscard]] bool failed() const { return failed_; }

private:
    /// Begins a commit, if none is in progress and a complete change waits.
    void begin_if_idle(Instant now, std::uint64_t life);
    const ClusterOptions& options_;
    EventQueue& queue_;
    Random random_;
    coordinator::StoreImage image_;
    std::vector<coordinator::Persist> waiting_;
    std::vector<coordinator::Persist> in_progress_;
    bool failing_ = false;
    bool failed_ = false;
    std::uint64_t commits_ = 0;
};

}  // namespace muster::sim
