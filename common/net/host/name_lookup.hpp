#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"

namespace muster::net {

/// The IPv4 addresses of a host, sorted. Empty: the name service knows none, or does not answer.
using Lookup = std::function<std::vector<std::string>(const std::string& host)>;

/// Waits for the name service, perhaps for many seconds.
[[nodiscard]] std::vector<std::string> addresses_of(const std::string& host);

/// True if an endpoint has a host that is looked up.
[[nodiscard]] bool has_name(const std::string& endpoint);

/// Where to connect: an endpoint whose host is a name with several addresses becomes one for each
/// of them, so that a name may stand for several coordinators. All others stay as they are, because
/// the library looks up a single address by itself.
[[nodiscard]] std::vector<std::string> each_address(const std::vector<std::string>& endpoints,
                                                    const Lookup& lookup = addresses_of);

/// Lookups on threads that may outlive it, because a name service may hang for a minute. Without a
/// name among the endpoints there is nothing to look up, and no thread.
class AddressLookup {
public:
    explicit AddressLookup(std::vector<std::string> endpoints, Lookup lookup = addresses_of);

    [[nodiscard]] bool has_names() const { return has_names_; }
    /// Unless one has begun whose answer was not taken.
    void begin();
    /// Readable when take() has something.
    [[nodiscard]] int fd() const;
    /// each_address() of the endpoints, once for each lookup.
    [[nodiscard]] std::optional<std::vector<std::string>> take();
    /// The same, or the endpoints as they are if there is no answer in time.
    [[nodiscard]] std::vector<std::string> take_within(Duration patience);

private:
    struct State;

    std::vector<std::string> endpoints_;
    bool has_names_;
    std::shared_ptr<State> state_;
    bool is_open_ = false;
};

}  // namespace muster::net
