#include "common/net/host/name_lookup.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <thread>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/file_descriptor.hpp"

namespace muster::net {

namespace {

constexpr std::string_view scheme = "tcp://";

/// The host of a tcp endpoint that was checked, and what follows it; empty: it has none.
std::pair<std::string, std::string> host_and_rest(const std::string& endpoint) {
    if (!endpoint.starts_with(scheme)) {
        return {};
    }
    const auto colon = endpoint.rfind(':');
    return {endpoint.substr(scheme.size(), colon - scheme.size()), endpoint.substr(colon)};
}

}  // namespace

std::vector<std::string> addresses_of(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_family = AF_INET;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    if (getaddrinfo(host.c_str(), nullptr, &wanted, &first) != 0) {
        return {};
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found{first, &freeaddrinfo};
    std::vector<std::string> addresses;
    for (const addrinfo* one = first; one != nullptr; one = one->ai_next) {
        std::array<char, INET_ADDRSTRLEN> text{};
        if (getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                        NI_NUMERICHOST) == 0) {
            addresses.emplace_back(text.data());
        }
    }
    std::ranges::sort(addresses);
    // TODO(clang15): Clang 14 cannot use std::ranges::unique.
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    return addresses;
}

bool has_name(const std::string& endpoint) {
    const std::string host = host_and_rest(endpoint).first;
    in_addr address{};
    return !host.empty() && !host.starts_with('[') &&
           inet_pton(AF_INET, host.c_str(), &address) != 1;
}

std::vector<std::string> each_address(const std::vector<std::string>& endpoints,
                                      const Lookup& lookup) {
    std::vector<std::string> all;
    const auto add = [&](std::string endpoint) {
        if (std::ranges::find(all, endpoint) == all.end()) {
            all.push_back(std::move(endpoint));
        }
    };
    for (const std::string& endpoint : endpoints) {
        const auto [host, port] = host_and_rest(endpoint);
        const auto addresses = has_name(endpoint) ? lookup(host) : std::vector<std::string>{};
        if (addresses.size() < 2) {
            add(endpoint);
            continue;
        }
        for (const std::string& address : addresses) {
            add(std::string{scheme} + address + port);
        }
    }
    return all;
}

struct AddressLookup::State {
    FileDescriptor news{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    Lookup lookup;
    std::mutex mutex;  ///< Guards what follows.
    std::optional<std::vector<std::string>> found;
};

AddressLookup::AddressLookup(std::vector<std::string> endpoints, Lookup lookup)
    : endpoints_{std::move(endpoints)},
      has_names_{std::ranges::any_of(endpoints_, has_name)},
      state_{std::make_shared<State>()} {
    ensure(state_->news.is_open(), "a program that just started has files left");
    state_->lookup = std::move(lookup);
}

int AddressLookup::fd() const { return state_->news.get(); }

void AddressLookup::begin() {
    if (!has_names_ || std::exchange(is_open_, true)) {
        return;
    }
    std::thread{[state = state_, endpoints = endpoints_] {
        auto found = each_address(endpoints, state->lookup);
        const std::lock_guard lock{state->mutex};
        state->found = std::move(found);
        eventfd_write(state->news.get(), 1);
    }}.detach();
}

std::optional<std::vector<std::string>> AddressLookup::take() {
    eventfd_t count = 0;
    static_cast<void>(eventfd_read(state_->news.get(), &count));
    const std::lock_guard lock{state_->mutex};
    is_open_ = is_open_ && !state_->found;
    return std::exchange(state_->found, std::nullopt);
}

std::vector<std::string> AddressLookup::take_within(Duration patience) {
    begin();
    pollfd news{fd(), POLLIN, 0};
    if (has_names_) {
        poll(&news, 1, static_cast<int>(to_ms(patience)));
    }
    return take().value_or(endpoints_);
}

}  // namespace muster::net
