#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Sends requests to one coordinator over a DEALER of its own, one at a time. Of several
/// coordinators it tries the next when one does not answer. From one that stands by it goes to the
/// one that leads; only if that cannot be reached, what the other answered is the answer.
class Client {
public:
    /// `endpoint`: of several coordinators, with commas between them.
    Client(net::Context& context, const std::string& endpoint,
           std::optional<net::ClientKeys> keys = {});

    /// The answer to the request. Our own errors: `unreachable` if no coordinator answered
    /// anything, `timeout` if one is there but did not answer this. A ping after half of the time
    /// decides between them.
    [[nodiscard]] Result<ReplyBody> ask(const Request& request, const Patience& patience,
                                        Progress& progress);

    /// Set if a coordinator that stands by gave the last answer.
    [[nodiscard]] const std::optional<Standby>& answered_by_standby() const { return standby_; }

    /// Of the coordinator that was asked last.
    [[nodiscard]] const std::string& endpoint() const { return endpoints_[asked_]; }

private:
    using Answer = std::optional<Result<ReplyBody>>;

    [[nodiscard]] Result<void> send(const Request& request);
    [[nodiscard]] Result<void> send_first(const Request& request);
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
    struct Times {
        Instant now;
        Instant deadline;
        Instant ping_at;
        Instant held_until;  ///< So long the leader may take where another has answered.
    };
    /// Until there is an answer, or one of a coordinator that stands by, or it is time to ask
    /// again.
    [[nodiscard]] Result<void> wait(const Request& request, const Patience& patience,
                                    Progress& progress, Times& times, Answer& answer);
    void pause(Times& times);
    /// Goes to the coordinator that leads; false: none is known.
    [[nodiscard]] bool follow_leader();
    [[nodiscard]] tl::unexpected<Error> no_answer(const Request& request, Duration waited) const;

    net::Context& context_;
    std::vector<std::string> endpoints_;
    std::size_t asked_ = 0;
    std::optional<net::ClientKeys> keys_;
    std::unique_ptr<net::Dealer> dealer_;
    parts::Assembly assembly_;  ///< Of the present link.
    std::uint64_t uploads_ = 0;
    std::optional<Standby> standby_;  ///< The mark of
    Answer held_;                     ///< an answer that the leader may give better.
    bool is_held_new_ = false;
    bool has_answer_ = false;    ///< A coordinator answered since the first send,
    bool link_answers_ = false;  ///< and over the present link.
};

}  // namespace muster::cli
