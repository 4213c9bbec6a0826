#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/codec/chunking.hpp"
#include "common/net/router.hpp"

namespace muster::coordinator {

/// Requests that arrive in parts, one open upload per peer and a few in all. A further one is
/// refused, unless one of them pauses: that one gives way, and its peer is told so when he goes on.
/// One without news for long is given up in any case. So memory is bounded whatever peers do, and
/// nobody who goes on sending loses his upload to another.
class Uploads {
public:
    static constexpr std::size_t open_at_most = 4;
    static constexpr Duration pause = 5s;      ///< An upload that waits so long gives way.
    static constexpr Duration patience = 30s;  ///< So long, and it is given up.
    /// Peers whose upload has ended with an error: the rest of it is passed over.
    static constexpr std::size_t ended_at_most = 256;

    /// The whole message if this part was its last; nothing if more must come, or if the upload was
    /// already answered with an error; else the error to answer.
    [[nodiscard]] Result<std::optional<std::string>> add(Instant now, const net::Route& route,
                                                         std::string_view part);

    [[nodiscard]] std::size_t open() const;

private:
    struct Upload {
        net::Route route;
        parts::Assembly assembly;
        Instant last{};
        bool is_given_up = false;  ///< Its peer does not know yet.
    };

    static void give_up(Upload& upload);
    [[nodiscard]] Upload& of(const net::Route& route);
    /// One more may be opened.
    [[nodiscard]] bool make_room(Instant now);
    void forget_ended();

    std::vector<Upload> uploads_;
};

}  // namespace muster::coordinator
