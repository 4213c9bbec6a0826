#include "coordinator/core/coordinator.hpp"

#include <utility>

#include "coordinator/core/rooms.hpp"

namespace muster::coordinator {

Coordinator::Coordinator(Instant now, CoordinatorOptions options, const StoreImage& image)
    : rooms_{std::make_unique<Rooms>(now, std::move(options), image)} {}

Coordinator::~Coordinator() = default;

Output Coordinator::step(Instant now, const Input& input) { return rooms_->step(now, input); }

Instant Coordinator::next_deadline() const { return rooms_->next_deadline(); }

}  // namespace muster::coordinator
