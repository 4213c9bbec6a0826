#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/time.hpp"
#include "common/net/accept/unreceived.hpp"

namespace muster::net {

/// Closes each connection at once for which no file is left in this process or on its host. Without
/// this the library spins at full speed, and for an ipc connection it aborts the process
/// (docs/internals/adr/0006-no-file-left-is-a-closed-connection.md).
void close_when_out_of_files();

/// How many connections were closed for this reason.
[[nodiscard]] std::uint64_t turned_away();

/// One accepted connection, also once it has ended. Numbers of files rise from one to the next and
/// begin anew after 16,384, so that a message which the library kept has not the number of another
/// connection; the kernel alone would use a number again at once.
struct Connection {
    int file = -1;
    std::uint64_t cookie = 0;  ///< The kernel's, unique in this boot. 0: it is not known.

    friend bool operator==(const Connection&, const Connection&) = default;
};

/// Attaches a FrameGuard to this new connection. The guard ends with the connection, so a later
/// file of the same number is not affected.
void guard_connection(int file);

/// The connection that was accepted last as this file.
[[nodiscard]] Connection connection_of(int file);

/// Ends a connection, if it has not ended. Any thread may call it.
void end_connection(const Connection& connection);

/// At most this may wait for the application on each connection that is accepted at this port from
/// now on. Only for encrypted ones.
void bound_unreceived(std::uint16_t port, const Unreceived::Bounds& at_most);
/// The same for one connection.
void bound_unreceived(const Connection& connection, const Unreceived::Bounds& at_most);

/// The application received a message of an encrypted connection. Any thread may call it.
void on_received(int file, Instant now, const Unreceived::Amount& message);
/// It has received all that came in at this port: nothing waits of connections that have ended, and
/// a message whose end they did not send never comes.
void on_all_received(std::uint16_t port);

/// How many connections were ended by their guard.
[[nodiscard]] std::uint64_t ended_by_guard();

/// How many accepted connections began a handshake with CURVE. Those whose key was never judged
/// broke off: the peer hung up, knows another key of ours, or repeats what another peer said. The
/// library's monitor would tell each, but its messages change errno, and libzmq (4.3.4, 4.3.5) then
/// never closes a connection with a bad frame.
[[nodiscard]] std::uint64_t handshakes_begun();

}  // namespace muster::net
