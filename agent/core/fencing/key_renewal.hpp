#pragma once

#include <optional>
#include <string>
#include <utility>

#include "agent/core/io.hpp"

namespace muster::agent {

/// The order of steps in which a host replaces its key:
///
///     polls ask -> make -> the coordinator gets the public half, until it has registered it
///       -> use_new -> hello on the second link -> polls ask no more -> keep
///
/// Both keys stay on disk until the coordinator has retired the present one, which it shows by
/// polls that do not ask. So each life finds a key that is admitted: if one is denied, it tries the
/// other.
///
/// Owned by Agent.
class KeyRenewal {
public:
    /// `made`: the new key that an earlier life left. Empty: none.
    explicit KeyRenewal(std::string made) : made_{std::move(made)} {}

    void on_poll(bool asks);
    void on_registered(const std::string& key);
    /// The coordinator does not admit the key of the link.
    void on_denied();
    void on_made(std::string key);
    void on_not_written() { is_writing_ = false; }
    void on_linked(bool is_new) { uses_new_ = is_new; }
    void on_kept();

    [[nodiscard]] std::optional<KeyOrder> take_order() {
        return std::exchange(order_, std::nullopt);
    }
    /// The public half of the new key if it is to be sent now.
    [[nodiscard]] std::optional<std::string> take_key();

private:
    void write(KeyOrder order);

    std::string made_;
    bool uses_new_ = false;    // The present link has the new key.
    bool is_writing_ = false;  // An order to the disk is not answered.
    bool is_to_send_ = false;
    std::optional<KeyOrder> order_;
};

}  // namespace muster::agent
