#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/net/context.hpp"
#include "common/net/dealer.hpp"
#include "common/net/loop.hpp"

namespace muster::agent {

/// The links to all coordinators, one each. The one that welcomed this agent last leads; the others
/// stand by, and their links are open so that the next leader is heard at once.
///
/// Another key is first tried on another link to the leader. The link in use stays until that one
/// carries messages, so that no poll is missed.
class CoordinatorLinks {
public:
    /// Takes one message off a link. False: there was none.
    using Receive = std::function<bool(Instant now, net::Dealer& dealer, std::size_t link)>;

    CoordinatorLinks(net::Context& context, net::Loop& loop, Random& random,
                     std::vector<std::string> endpoints, std::optional<net::ClientKeys> keys,
                     Receive receive);
    CoordinatorLinks(const CoordinatorLinks&) = delete;
    CoordinatorLinks& operator=(const CoordinatorLinks&) = delete;

    [[nodiscard]] Result<void> connect();
    [[nodiscard]] bool is_connected() const { return is_connected_; }
    /// Of the leader, as far as is known.
    [[nodiscard]] const std::string& endpoint() const { return links_[leading_].endpoint; }
    [[nodiscard]] const std::string& endpoint_of(std::size_t link) const {
        return links_[link].endpoint;
    }

    /// Nothing can be sent over it, since the last look_after().
    [[nodiscard]] bool is_down(std::size_t link) const { return links_[link].down.has_value(); }

    /// To the leader. What cannot be sent is dropped.
    void send(std::string_view version, std::string_view body);
    void send_to_all(std::string_view version, std::string_view body);
    /// This link's coordinator leads.
    void set_leading(std::size_t link);

    /// Where the coordinators are now. A new address gets a link of its own, or that of a
    /// name, or one that is down and whose address is gone.
    void learn(const std::vector<std::string>& endpoints);
    /// A link that was down for too long is replaced by a new one.
    void look_after(Instant now);
    /// Why a handshake failed, once for each failure.
    struct Failure {
        net::HandshakeFailure failure{};
        std::string endpoint;
        bool is_of_leader = false;
    };
    [[nodiscard]] std::optional<Failure> take_handshake_failure();

    /// Tries other keys, on another link to the leader.
    void try_keys(const net::ClientKeys& keys);
    /// The keys that are being tried; nothing: none.
    [[nodiscard]] const std::optional<net::ClientKeys>& tried() const { return tried_; }
    /// True if the message came over the link with the tried keys: all links use them from now on.
    [[nodiscard]] bool take_over(const net::Dealer& from);

private:
    struct Link {
        std::string endpoint;
        std::unique_ptr<net::Dealer> dealer;
        std::optional<Instant> down;  ///< Since then nothing could be sent.
        Duration patience{};
    };

    [[nodiscard]] Result<std::unique_ptr<net::Dealer>> open(
        std::size_t link, const std::optional<net::ClientKeys>& keys);
    void replace(Link& link, std::unique_ptr<net::Dealer> by);
    void end_trial();
    [[nodiscard]] static Link link_to(std::string endpoint);
    /// A link that may go to another address. Null: none.
    [[nodiscard]] Link* spare_link(const std::vector<std::string>& endpoints);
    static void connect_anew(const Link& link);
    void connect_last();

    net::Context& context_;
    net::Loop& loop_;
    Random& random_;
    std::optional<net::ClientKeys> keys_;
    Receive receive_;
    std::vector<Link> links_;
    std::size_t leading_ = 0;
    bool is_connected_ = false;
    std::unique_ptr<net::Dealer> trial_;  // To the leader, with the keys that are tried.
    std::optional<net::ClientKeys> tried_;
};

}  // namespace muster::agent
