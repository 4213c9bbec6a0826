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

/// The coordinator's disk: an image that is durable, and writes on their way to it.
///
/// Commits take time, and what waits meanwhile is committed together, as are the parts of a change.
/// A crash loses what was not durable; of the commit in progress the dice decide. After a failure
/// nothing is written any more, and what was in progress may or may not have become durable: nobody
/// is told.
class StoreModel {
public:
    StoreModel(const ClusterOptions& options, EventQueue& queue);

    /// Wins a leadership: the epoch grows by one, with a new leader id. Not before crash().
    [[nodiscard]] const coordinator::StoreImage& lead();
    [[nodiscard]] const coordinator::StoreImage& durable() const { return image_; }
    /// The disk is exchanged for another.
    void replace(coordinator::StoreImage image) { image_ = std::move(image); }

    void submit(Instant now, std::uint64_t life, coordinator::Persist persist);
    /// What a commit that is due made durable, in order.
    [[nodiscard]] std::vector<coordinator::Persist> commit(Instant now, std::uint64_t life);
    /// The process ended. Answers what became durable all the same.
    [[nodiscard]] std::vector<coordinator::Persist> crash();

    /// The next commit fails, and everything after it.
    void fail_next() { failing_ = true; }
    /// The disk works again.
    void repair() { failing_ = failed_ = false; }
    /// Commits begun so far.
    [[nodiscard]] std::uint64_t commits() const { return commits_; }
    [[nodiscard]] bool failed() const { return failed_; }

private:
    /// Begins a commit, if none is in progress and something whole waits.
    void begin_if_idle(Instant now, std::uint64_t life);
    void make_durable(const std::vector<coordinator::Persist>& writes);

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
