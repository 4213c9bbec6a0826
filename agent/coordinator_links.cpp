#include "agent/coordinator_links.hpp"

#include <algorithm>
#include <utility>

#include "common/log/log.hpp"
#include "common/net/host/name_lookup.hpp"

namespace muster::agent {

namespace {

// The library reconnects by itself, with a growing delay, which connect_anew() resets. So the agent
// waits this long first, and longer later. The wait plus that of a hello must stay well below a
// coordinator's recovery_grace, so that an agent on a dead link reports in time.
constexpr Duration first_patience = 3s;
constexpr Duration longest_patience = 8s;

}  // namespace

CoordinatorLinks::CoordinatorLinks(net::Context& context, net::Loop& loop, Random& random,
                                   std::vector<std::string> endpoints,
                                   std::optional<net::ClientKeys> keys, Receive receive)
    : context_{context},
      loop_{loop},
      random_{random},
      keys_{std::move(keys)},
      receive_{std::move(receive)} {
    for (std::string& endpoint : endpoints) {
        links_.push_back(link_to(std::move(endpoint)));
    }
}

CoordinatorLinks::Link CoordinatorLinks::link_to(std::string endpoint) {
    return {
        .endpoint = std::move(endpoint), .dealer = nullptr, .down = {}, .patience = first_patience};
}

Result<void> CoordinatorLinks::connect() {
    is_connected_ = true;
    for (std::size_t link = 0; link < links_.size(); ++link) {
        auto dealer = open(link, keys_);
        if (!dealer) {
            return tl::unexpected{dealer.error()};
        }
        links_[link].dealer = *std::move(dealer);
    }
    return {};
}

Result<std::unique_ptr<net::Dealer>> CoordinatorLinks::open(
    std::size_t link, const std::optional<net::ClientKeys>& keys) {
    auto options = net::agent_dealer(random_);
    options.keys = keys;
    auto dealer = std::make_unique<net::Dealer>(context_, options);
    loop_.watch(*dealer, [this, link, dealer = dealer.get()](Instant now) {
        return receive_(now, *dealer, link);
    });
    if (const auto connected = dealer->connect(links_[link].endpoint); !connected) {
        loop_.forget(*dealer);
        return tl::unexpected{connected.error()};
    }
    return dealer;
}

void CoordinatorLinks::replace(Link& link, std::unique_ptr<net::Dealer> by) {
    loop_.forget(*link.dealer);
    link.dealer = std::move(by);
    link.down.reset();
}

void CoordinatorLinks::send(std::string_view version, std::string_view body) {
    if (!is_connected_ || links_[leading_].dealer->send({version, body}) != net::SendResult::sent) {
        log::debug("message not sent: no coordinator is connected");
    }
}

void CoordinatorLinks::send_to_all(std::string_view version, std::string_view body) {
    for (std::size_t link = 0; is_connected_ && link < links_.size(); ++link) {
        static_cast<void>(links_[link].dealer->send({version, body}));
    }
}

void CoordinatorLinks::set_leading(std::size_t link) {
    if (std::exchange(leading_, link) != link) {
        end_trial();  // It was with the former leader.
    }
}

void CoordinatorLinks::learn(const std::vector<std::string>& endpoints) {
    for (const std::string& endpoint : endpoints) {
        if (std::ranges::find(links_, endpoint, &Link::endpoint) != links_.end()) {
            continue;
        }
        log::info("a coordinator may be at this address", {{"endpoint", endpoint}});
        if (Link* const spare = spare_link(endpoints)) {
            spare->endpoint = endpoint;
            connect_anew(*spare);
        } else {
            links_.push_back(link_to(endpoint));
            connect_last();
        }
    }
}

void CoordinatorLinks::connect_last() {
    if (!is_connected_) {
        return;
    }
    if (auto dealer = open(links_.size() - 1, keys_)) {
        links_.back().dealer = *std::move(dealer);
    } else {
        log::warn("cannot connect", {{"reason", dealer.error().detail}});
        links_.pop_back();
    }
}

CoordinatorLinks::Link* CoordinatorLinks::spare_link(const std::vector<std::string>& endpoints) {
    const auto spare = std::ranges::find_if(links_, [&](const Link& link) {
        const bool is_gone = std::ranges::find(endpoints, link.endpoint) == endpoints.end();
        return is_gone && (net::has_name(link.endpoint) || link.down);
    });
    return spare == links_.end() ? nullptr : &*spare;
}

void CoordinatorLinks::connect_anew(const Link& link) {
    const auto connected = link.dealer ? link.dealer->connect_anew(link.endpoint) : Result<void>{};
    if (!connected) {
        log::warn("cannot reconnect", {{"reason", connected.error().detail}});
    }
}

void CoordinatorLinks::look_after(Instant now) {
    if (!is_connected_) {
        return;
    }
    for (Link& link : links_) {
        if (link.dealer->can_send()) {
            link.down.reset();
            link.patience = first_patience;
            continue;
        }
        link.down = link.down.value_or(now);
        if (now < *link.down + link.patience) {
            continue;
        }
        link.down = now;
        link.patience = std::min(2 * link.patience, longest_patience);
        connect_anew(link);
    }
}

std::optional<CoordinatorLinks::Failure> CoordinatorLinks::take_handshake_failure() {
    if (trial_ && trial_->take_handshake_failure()) {
        end_trial();  // Whoever still needs it tries again.
    }
    for (const Link& link : links_) {
        const auto failure = link.dealer ? link.dealer->take_handshake_failure() : std::nullopt;
        if (failure) {
            return Failure{*failure, link.endpoint, &link == &links_[leading_]};
        }
    }
    return std::nullopt;
}

void CoordinatorLinks::try_keys(const net::ClientKeys& keys) {
    end_trial();
    auto dealer = open(leading_, keys);
    if (!dealer) {
        log::warn("cannot connect with the other key", {{"reason", dealer.error().detail}});
        return;
    }
    trial_ = *std::move(dealer);
    tried_ = keys;
}

void CoordinatorLinks::end_trial() {
    if (trial_) {
        loop_.forget(*trial_);
        trial_.reset();
    }
    tried_.reset();
}

bool CoordinatorLinks::take_over(const net::Dealer& from) {
    if (&from != trial_.get()) {
        return false;
    }
    keys_ = std::exchange(tried_, std::nullopt);
    replace(links_[leading_], std::move(trial_));
    for (std::size_t link = 0; link < links_.size(); ++link) {
        if (link == leading_) {
            continue;
        }
        if (auto dealer = open(link, keys_)) {
            replace(links_[link], *std::move(dealer));
        }
    }
    return true;
}

}  // namespace muster::agent
