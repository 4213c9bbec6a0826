#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/router.hpp"
#include "common/parts.hpp"
#include "common/result.hpp"
#include "common/time.hpp"

namespace muster {

/// Requests that arrive in parts, one open upload per peer and a few in all. A further one takes
/// the place of the one that waits longest, and one without news for 30 s is given up; so memory is
/// bounded whatever peers do.
class Uploads {
public:
    static constexpr std::size_t open_at_most = 4;
    static constexpr Duration patience = 30s;

    /// The whole message if this part was its last; nothing if more must come, or if the upload was
    /// already answered with an error; else the error to answer.
    [[nodiscard]] Result<std::optional<std::string>> add(Instant now, const net::Route& route,
                                                         std::string_view part);

    [[nodiscard]] std::size_t open() const { return uploads_.size(); }

private:
    struct Upload {
        net::Route route;
        parts::Assembly assembly;
        Instant last{};
    };

    [[nodiscard]] Upload& of(Instant now, const net::Route& route);

    std::vector<Upload> uploads_;
};

}  // namespace muster
