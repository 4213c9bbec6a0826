#include "coordinator/endpoints/session_forms.hpp"

#include "common/base/limits.hpp"

namespace muster::coordinator {

std::optional<Session> SessionForms::Side::put(Session session, const Known& known) {
    erase(session);
    std::optional<Session> before;
    if (!known.peer.is_none()) {
        if (const auto earlier = last.find(known.peer); earlier != last.end()) {
            before = earlier->second;
            erase(*before);
        }
        last.insert_or_assign(known.peer, session);
    }
    sessions.insert_or_assign(session, known);
    if (sessions.size() > limits::nodes) {
        erase(sessions.begin()->first);  // The oldest: routes are numbered in their order.
    }
    return before;
}

void SessionForms::Side::erase(Session session) {
    const auto found = sessions.find(session);
    if (found == sessions.end()) {
        return;
    }
    if (const auto own = last.find(found->second.peer);
        own != last.end() && own->second == session) {
        last.erase(own);
    }
    sessions.erase(found);
}

std::optional<Session> SessionForms::ask(Session session, const PublicKey& peer,
                                         const SessionForm& form) {
    return asking_.put(session, {.peer = peer, .form = form});
}

std::optional<Session> SessionForms::welcome(Session session) {
    const auto asked = asking_.sessions.find(session);
    if (asked == asking_.sessions.end()) {
        return std::nullopt;  // Welcomed again, without another hello.
    }
    const Known known = asked->second;
    asking_.erase(session);
    return welcomed_.put(session, known);
}

SessionForm SessionForms::refuse(Session session) {
    const auto asked = asking_.sessions.find(session);
    if (asked == asking_.sessions.end()) {
        return of(session);
    }
    const SessionForm form = asked->second.form;
    asking_.erase(session);
    return form;
}

SessionForm SessionForms::of(Session session) const {
    const auto found = welcomed_.sessions.find(session);
    return found == welcomed_.sessions.end() ? SessionForm{} : found->second.form;
}

PublicKey SessionForms::key_of(Session session) const {
    const auto found = welcomed_.sessions.find(session);
    return found == welcomed_.sessions.end() ? PublicKey{} : found->second.peer;
}

void SessionForms::erase(Session session) {
    asking_.erase(session);
    welcomed_.erase(session);
}

}  // namespace muster::coordinator
