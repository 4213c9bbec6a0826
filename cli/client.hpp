#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/screen/terminal.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/codec/chunking.hpp"
#include "common/messages/operator.hpp"
#include "common/net/context.hpp"
#include "common/net/dealer.hpp"

namespace muster::cli {

/// How long to wait for an answer.
struct Patience {
    Duration total = 5s;
    /// After this long without an answer the client sends the same request over a new link: a
    /// coordinator that died may have lost it. Its id makes that safe.
    Duration resend_after = 2s;

    /// For a request that may be repeated: early enough that an answer can still come in time.
    [[nodiscard]] static Patience of(Duration total) {
        return {.total = total, .resend_after = std::min<Duration>(2s, total / 2)};
    }
};

/// Sends requests to one coordinator over a DEALER of its own, one at a time.
class Client {
public:
    Client(net::Context& context, std::string endpoint, std::optional<net::ClientKeys> keys = {});

    /// The answer to the request. Our own errors: `unreachable` if no coordinator answered
    /// anything, `timeout` if one is there but did not answer this. A ping after half of the time
    /// decides between them.
    [[nodiscard]] Result<ReplyBody> ask(const Request& request, const Patience& patience,
                                        Progress& progress);

    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

private:
    using Answer = std::optional<Result<ReplyBody>>;

    [[nodiscard]] Result<void> send(const Request& request);
    /// Over a new link, with a ping first, which distinguishes a slow coordinator from none.
    [[nodiscard]] Result<void> send_again(const Request& request);
    /// Takes received messages until one answers this request.
    [[nodiscard]] bool on_readable(const Request& request, Answer& answer);
    [[nodiscard]] Answer answer_in(const Request& request, const net::Message& message);
    [[nodiscard]] Answer answer_of(const Request& request, std::string_view bytes);
    /// The error for a peer that is not a coordinator's endpoint for operators.
    [[nodiscard]] tl::unexpected<Error> not_a_coordinator(std::string_view bytes,
                                                          const std::string& fault) const;
    /// Sends a request on the present link that every coordinator answers at once.
    [[nodiscard]] Result<void> ping();
    /// The error for a handshake that failed; nothing: none did, or it may work the next time.
    [[nodiscard]] Answer handshake_error();
    [[nodiscard]] tl::unexpected<Error> no_answer(const Request& request, Duration waited) const;

    net::Context& context_;
    std::string endpoint_;
    std::optional<net::ClientKeys> keys_;
    std::unique_ptr<net::Dealer> dealer_;
    parts::Assembly assembly_;  ///< Of the present link.
    std::uint64_t uploads_ = 0;
    bool has_answer_ = false;  ///< A coordinator answered since the first send.
};

}  // namespace muster::cli
