#pragma once

namespace muster::codec {

/// Stands for a member of a struct that is not recorded, so that all members can be passed on.
struct NotRecorded {};
inline constexpr NotRecorded not_recorded;

}  // namespace muster::codec
