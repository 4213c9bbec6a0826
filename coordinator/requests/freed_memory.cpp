#include "coordinator/requests/freed_memory.hpp"

#include <malloc.h>

namespace muster::coordinator {

void FreedMemory::give_back_if_due(Instant now, Worker& worker) {
    if (now < due_) {
        return;
    }
    due_ = Instant::max();
    worker.submit([] {
        static_cast<void>(malloc_trim(0));
        return Worker::Then{};
    });
}

}  // namespace muster::coordinator
