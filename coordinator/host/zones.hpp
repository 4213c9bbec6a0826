#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

/// The offset of a zone such as `Europe/Berlin` from UTC, in seconds, at this time. `not_found`:
/// there is no such zone. `io`: the zone database is missing or damaged.
///
/// The database is that of the host, in /usr/share/zoneinfo; nothing is read from the network. The
/// first call lists it (7 ms), and the first one of a zone reads its file (0.1 ms); any other takes
/// 4 us. So a new database counts after the next start of the process. Debian's tables end in 2037:
/// later there is no summer time.
[[nodiscard]] Result<std::int32_t> utc_offset(const std::string& zone, CivilMs at);

/// Whether there is such a zone. The local zone of the host (`localtime`) is none: it would be
/// another one at another coordinator.
[[nodiscard]] bool is_zone(const std::string& zone);

}  // namespace muster::coordinator
