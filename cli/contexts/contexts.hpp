#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"
#include "common/net/security/security.hpp"

namespace muster::cli {

/// A cluster that an operator may command from this machine.
struct Context {
    std::string name;
    std::string coordinator;  ///< Its endpoint for operators.
    net::ClientKeys keys;
};

/// The clusters that an operator knows, one file each, and which of them is meant without
/// --context:
///
///     ~/.config/muster/contexts/NAME    0600, because it holds the operator's key
///     ~/.config/muster/new/NAME         the same with a new key, while it replaces the other
///     ~/.config/muster/current          the name of one
class Contexts {
public:
    /// Below XDG_CONFIG_HOME, or ~/.config.
    [[nodiscard]] static Contexts of_user();
    explicit Contexts(std::string directory) : directory_{std::move(directory)} {}

    [[nodiscard]] Result<Context> read(const std::string& name) const;
    /// `exists`: the name is taken.
    [[nodiscard]] Result<void> add(const Context& context) const;
    /// The context with the key that is to replace the present one: beside it, and in its place.
    [[nodiscard]] Result<void> write_new(const Context& context) const;
    [[nodiscard]] Result<Context> read_new(const std::string& name) const;
    [[nodiscard]] Result<void> keep_new(const std::string& name) const;
    [[nodiscard]] Result<void> use(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// Empty: none.
    [[nodiscard]] std::string current() const;
    [[nodiscard]] std::string path_of(const std::string& name) const;

private:
    [[nodiscard]] std::string new_path_of(const std::string& name) const {
        return directory_ + "/new/" + name;
    }

    std::string directory_;
};

}  // namespace muster::cli
