#include "coordinator/uploads.hpp"

#include <algorithm>

namespace muster {

Uploads::Upload& Uploads::of(Instant now, const net::Route& route) {
    std::erase_if(uploads_, [&](const Upload& upload) {
        return upload.route != route && now - upload.last > patience;
    });
    const auto known = std::find_if(uploads_.begin(), uploads_.end(),
                                    [&](const Upload& upload) { return upload.route == route; });
    if (known != uploads_.end()) {
        return *known;
    }
    if (uploads_.size() == open_at_most) {
        uploads_.erase(
            std::min_element(uploads_.begin(), uploads_.end(),
                             [](const Upload& a, const Upload& b) { return a.last < b.last; }));
    }
    uploads_.push_back({.route = route, .assembly = {}, .last = now});
    return uploads_.back();
}

Result<std::optional<std::string>> Uploads::add(Instant now, const net::Route& route,
                                                std::string_view part) {
    auto& upload = of(now, route);
    upload.last = now;
    const auto progress = upload.assembly.add(part);
    if (!progress) {
        return tl::unexpected{progress.error()};
    }
    if (*progress != parts::Assembly::Progress::complete) {
        return std::nullopt;
    }
    auto whole = upload.assembly.take();
    std::erase_if(uploads_, [&](const Upload& open) { return open.route == route; });
    return whole;
}

}  // namespace muster
