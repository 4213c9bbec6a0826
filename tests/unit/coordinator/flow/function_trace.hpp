#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::coordinator::testing {

/// The functions of the core that are entered while this exists, in order. The core must be
/// compiled with -finstrument-functions (muster_traced_core). One trace exists at a time.
class FunctionTrace {
public:
    FunctionTrace();
    ~FunctionTrace();
    FunctionTrace(const FunctionTrace&) = delete;
    FunctionTrace& operator=(const FunctionTrace&) = delete;
    FunctionTrace(FunctionTrace&&) = delete;
    FunctionTrace& operator=(FunctionTrace&&) = delete;

    /// Names such as `Rooms::step`, without namespaces, parameters and template arguments.
    [[nodiscard]] std::vector<std::string> names() const;
};

/// `void muster::coordinator::Rooms::on<int>(Input const&) const` is `Rooms::on`.
[[nodiscard]] std::string short_name(std::string_view demangled);

}  // namespace muster::coordinator::testing
