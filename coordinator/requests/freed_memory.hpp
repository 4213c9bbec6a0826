#pragma once

#include "common/base/time.hpp"
#include "coordinator/requests/worker.hpp"

namespace muster::coordinator {

/// Gives the memory of large uploads back to the system.
///
/// The process keeps freed memory (see keep_freed_memory()), so a dozen uploads leave hundreds of
/// MiB. Later uploads use that memory again; it goes back after a time without uploads.
class FreedMemory {
public:
    static constexpr Duration quiet = 3s;

    /// An upload was read.
    void on_upload(Instant now) { due_ = now + quiet; }
    [[nodiscard]] Instant next_deadline() const { return due_; }
    /// In the worker's thread, because walking through all free memory takes long.
    void give_back_if_due(Instant now, Worker& worker);

private:
    Instant due_ = Instant::max();
};

}  // namespace muster::coordinator
