#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

#include "agent/core/journal.hpp"
#include "agent/shim/wire.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

/// The state of a task, as its shim reports it. Every message contains the whole state.
struct ShimState {
    ProcessId process{};
    shim::Phase phase = shim::Phase::waiting;
    bool is_stopping = false;
    ProcessIdentity identity;
    CivilMs started{};
    shim::Stage stage = shim::Stage::none;
    int error_number = 0;
    std::int32_t exit_code = -1;
    std::int32_t exit_signal = 0;
    CivilMs ended{};
    std::uint64_t cpu_us = 0;
    std::uint64_t max_rss_kb = 0;
    std::uint64_t dropped_bytes = 0;
    bool is_recorded = false;
    bool lease_over = false;
    std::string record;  ///< Text that its agent stored there. Sent only after a connect.
};

/// Decodes a message of a shim, or its record of an end. Nothing: the bytes are neither.
[[nodiscard]] std::optional<ShimState> read_shim_state(std::string_view bytes);

/// The agent's end of the link to a shim. It never blocks.
class ShimLink {
public:
    enum class Receipt : std::uint8_t {
        state,
        nothing,
        closed,
        unreadable,  ///< Too long or incomplete: a state is lost.
    };

    ShimLink() = default;
    explicit ShimLink(FileDescriptor link) : link_{std::move(link)} {}
    /// Connects to a shim of an earlier life. An error: nobody listens there.
    [[nodiscard]] static Result<ShimLink> connect(const FileDescriptor& directory,
                                                  const std::string& name);

    [[nodiscard]] Receipt receive(ShimState& into);

    void stop(int signal, Duration grace);
    void signal(int number) { send(shim::Kind::signal, {{shim::Tag::signal_number, number}}); }
    void renew(Instant lease) {
        send(shim::Kind::lease, {{shim::Tag::lease_ns, lease.time_since_epoch().count()}});
    }
    void release() { send(shim::Kind::release, {}); }

    [[nodiscard]] int fd() const { return link_.get(); }
    [[nodiscard]] bool is_open() const { return link_.is_open(); }
    void close() { link_.reset(); }

private:
    using Number = std::pair<shim::Tag, std::int64_t>;
    void send(shim::Kind kind, std::initializer_list<Number> numbers);

    FileDescriptor link_;
};

/// The address of a socket in a directory whose path may have any length.
struct SocketAddress {
    SocketAddress(const FileDescriptor& directory, const std::string& name);
    [[nodiscard]] bool bind(const FileDescriptor& socket) const;
    [[nodiscard]] bool connect(const FileDescriptor& socket) const;

private:
    std::string path_;
};

}  // namespace muster::agent
