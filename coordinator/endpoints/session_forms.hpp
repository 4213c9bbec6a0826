#pragma once

#include <map>
#include <optional>

#include "common/crypto/key.hpp"
#include "coordinator/core/io.hpp"

namespace muster::coordinator {

/// How an agent is spoken to.
struct SessionForm {
    bool json = false;  ///< Its hello was JSON, so it gets JSON.
    std::optional<PublicKey>
        seal_key{};  ///< For which its secrets are sealed; nothing: it gets none.
};

/// The form of each session. A hello only asks for one: it is that of the session once the core has
/// welcomed the hello, and then takes the place of the connection that the same key had before. So
/// a hello that is refused changes nothing of the session that it names.
///
/// One welcomed and one asking session a key, so nobody pushes out what is known of others.
class SessionForms {
public:
    /// A hello came on the session, from a peer that proved this key, if any. Returns the session
    /// of the same key that asked before and was not welcomed.
    std::optional<Session> ask(Session session, const PublicKey& peer, const SessionForm& form);
    /// The core welcomed the session. Returns the session of the same key that ends with this.
    std::optional<Session> welcome(Session session);
    /// The core refused the session something. Returns the form in which to say so.
    SessionForm refuse(Session session);
    [[nodiscard]] SessionForm of(Session session) const;
    [[nodiscard]] bool is_welcomed(Session session) const {
        return welcomed_.sessions.contains(session);
    }
    /// The key of a welcomed session; none: it proved none.
    [[nodiscard]] PublicKey key_of(Session session) const;
    /// The session lost its connection.
    void erase(Session session);

private:
    struct Known {
        PublicKey peer{};
        SessionForm form{};
    };
    /// Sessions by route, and the last one of each key.
    struct Side {
        std::map<Session, Known> sessions;
        std::map<PublicKey, Session> last;

        /// Returns the session of the same key that it replaces.
        std::optional<Session> put(Session session, const Known& known);
        void erase(Session session);
    };

    Side asking_;
    Side welcomed_;
};

}  // namespace muster::coordinator
