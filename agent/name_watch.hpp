#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/net/host/name_lookup.hpp"

namespace muster::agent {

/// Looks up the names of coordinators again and again.
class NameWatch {
public:
    static constexpr Duration interval = 30s;

    explicit NameWatch(std::vector<std::string> endpoints, net::Lookup lookup = net::addresses_of)
        : lookup_{std::move(endpoints), std::move(lookup)} {}

    /// Readable when take() has something.
    [[nodiscard]] int fd() const { return lookup_.fd(); }
    /// Begins to look them up, if that is due.
    void ask(Instant now) {
        if (now >= next_deadline()) {
            due_ = now + interval;
            lookup_.begin();
        }
    }
    /// When ask() is due.
    [[nodiscard]] Instant next_deadline() const {
        return lookup_.has_names() ? due_ : Instant::max();
    }
    /// Where the coordinators are, once for each lookup.
    [[nodiscard]] std::optional<std::vector<std::string>> take() { return lookup_.take(); }

private:
    net::AddressLookup lookup_;
    Instant due_{};
};

}  // namespace muster::agent
