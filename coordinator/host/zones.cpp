#include "coordinator/host/zones.hpp"

#include <array>
#include <chrono>
#include <exception>
#include <fstream>
#include <string_view>

#include <date/tz.h>

namespace muster::coordinator {

namespace {

constexpr const char* what_to_do = "install the package tzdata, then restart this program";

/// `io`: there is none, or it is empty. The library would say that the zone is not found.
Result<void> check_database() {
    try {
        if (!date::get_tzdb().zones.empty()) {
            return {};
        }
    } catch (const std::exception&) {  // There is none.
    }
    return fail(Errc::io,
                std::string{"there is no time zone in /usr/share/zoneinfo; "} + what_to_do);
}

/// The library aborts on a file of other bytes, such as the zeros that a power loss may leave. A
/// file that cannot be opened is left to it: it throws, or has read it before.
bool is_damaged(const std::string& zone) {
    constexpr std::string_view magic = "TZif";
    std::ifstream file{"/usr/share/zoneinfo/" + zone};
    std::array<char, magic.size()> first{};
    return file && (!file.read(first.data(), first.size()) ||
                    std::string_view{first.data(), first.size()} != magic);
}

Result<const date::time_zone*> find(const std::string& zone) {
    if (const auto checked = check_database(); !checked) {
        return tl::unexpected{checked.error()};
    }
    try {
        if (zone != "localtime") {
            return date::locate_zone(zone);
        }
    } catch (const std::exception&) {  // It is not found.
    }
    return fail(Errc::not_found, in_quotes(zone) +
                                     " is no time zone; zones are UTC, Europe/Berlin and others, "
                                     "which 'timedatectl list-timezones' lists");
}

}  // namespace

Result<std::int32_t> utc_offset(const std::string& zone, CivilMs at) {
    const auto found = find(zone);
    if (!found) {
        return tl::unexpected{found.error()};
    }
    const std::chrono::milliseconds since_1970{static_cast<std::int64_t>(at)};
    const date::sys_seconds time{std::chrono::floor<std::chrono::seconds>(since_1970)};
    try {
        if (!is_damaged(zone)) {
            return static_cast<std::int32_t>((*found)->get_info(time).offset.count());
        }
    } catch (const std::exception&) {  // It is damaged in another way.
    }
    return fail(Errc::io, "the file of the time zone " + in_quotes(zone) +
                              " is damaged; reinstall the package tzdata");
}

bool is_zone(const std::string& zone) { return find(zone).has_value(); }

}  // namespace muster::coordinator
