#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/codec/chunking.hpp"
#include "common/crypto/key.hpp"
#include "common/net/router.hpp"

namespace muster::coordinator {

/// Requests that arrive in parts: one open upload per connection, half of all per key, and a few in
/// all, so that no key keeps the others from uploading (ADR 28). A further upload is
/// refused, unless an open one pauses: the paused upload is dropped, and its peer gets an error at
/// its next part. An upload without parts for `patience` is dropped in any case. So memory is
/// bounded, and no peer that keeps sending loses its upload.
class Uploads {
public:
    static constexpr std::size_t open_at_most = 4;
    static constexpr std::size_t open_per_key = 2;
    static constexpr Duration pause = 5s;      ///< A longer pause may cost the upload.
    static constexpr Duration patience = 30s;  ///< After this it is dropped in any case.
    /// Peers whose upload ended with an error: the rest of it is ignored.
    static constexpr std::size_t ended_at_most = 256;

    /// The whole message if this part was its last; nothing if more must come, or if the upload was
    /// already answered with an error; else the error to answer.
    [[nodiscard]] Result<std::optional<std::string>> add(Instant now, const net::Envelope& from,
                                                         std::string_view part);

    [[nodiscard]] std::size_t open() const;

private:
    struct Upload {
        net::Route route;
        PublicKey key;  ///< That the peer proved; none on a local socket.
        parts::Assembly assembly;
        Instant last{};
        bool is_given_up = false;  ///< Its peer does not know yet.
    };

    static void give_up(Upload& upload);
    [[nodiscard]] Upload& of(const net::Envelope& from);
    [[nodiscard]] std::size_t open_of(const PublicKey& key) const;
    /// Whether one more of this key may be opened.
    [[nodiscard]] bool make_room(Instant now, const PublicKey& key);
    void forget_ended();

    std::vector<Upload> uploads_;
};

}  // namespace muster::coordinator
