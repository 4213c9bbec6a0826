#pragma once

#include "common/base/time.hpp"
#include "coordinator/requests/worker.hpp"

namespace muster::coordinator {

/// Gives the memory of large uploads back to the system.
///
/// The process keeps what it frees (see keep_freed_memory()), and a dozen uploads leave hundreds of
/// MiB. While uploads come they use that memory again; it goes back when none has come for a while.
class FreedMemory {
public:
    static constexpr Duration quiet = 3s;

    /// An upload was read.
    void on_upload(Instant now) { due_ = now + quiet; }
    [[nodiscard]] Instant next_deadline() const { return due_; }
    /// In the worker's thread: to walk through all that is free takes a while.
    void give_back_if_due(Instant now, Worker& worker);

private:
    Instant due_ = Instant::max();
};

}  // namespace muster::coordinator
