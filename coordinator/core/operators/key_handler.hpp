#pragma once

#include <string>

#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/queries/facts.hpp"
#include "coordinator/core/security/enrolments.hpp"

namespace muster::coordinator {

/// Requests about keys and tokens.
class KeyHandler {
public:
    KeyHandler(Changes changes, Enrolments& enrolments)
        : changes_{changes}, enrolments_{enrolments} {}

    void handle(const RequestContext& context, const Facts& facts, const KeyListRequest& request);
    void handle(const RequestContext& context, const Facts& facts, const TokenListRequest& request);
    void handle(const RequestContext& context, const EnrolRequest& request);
    void handle(const RequestContext& context, const KeyAddRequest& request) {
        change(context, request);
    }
    void handle(const RequestContext& context, const KeyRevokeRequest& request) {
        change(context, request);
    }
    void handle(const RequestContext& context, const KeyRemoveRequest& request) {
        change(context, request);
    }
    void handle(const RequestContext& context, const KeyRotateRequest& request) {
        change(context, request);
    }
    void handle(const RequestContext& context, const KeyRenewRequest& request) {
        change(context, request);
    }
    void handle(const RequestContext& context, const NodeAcceptRequest& request) {
        change(context, request);
    }
    void handle(const RequestContext& context, const TokenCreateRequest& request) {
        change(context, request);
    }
    void handle(const RequestContext& context, const TokenRevokeRequest& request) {
        change(context, request);
    }

private:
    template <class Request>
    void change(const RequestContext& context, const Request& request);

    [[nodiscard]] Result<Answered> change_of(const KeyAddRequest& request, CivilMs now);
    [[nodiscard]] Result<Answered> change_of(const KeyRevokeRequest& request, CivilMs now);
    [[nodiscard]] Result<Answered> change_of(const KeyRemoveRequest& request, CivilMs now);
    [[nodiscard]] Result<Answered> change_of(const KeyRotateRequest& request, CivilMs now);
    [[nodiscard]] Result<Answered> change_of(const KeyRenewRequest& request, CivilMs now,
                                             const PublicKey& by);
    [[nodiscard]] Result<Answered> change_of(const NodeAcceptRequest& request, CivilMs now);
    [[nodiscard]] Result<Answered> change_of(const TokenCreateRequest& request, CivilMs now);
    [[nodiscard]] Result<Answered> change_of(const TokenRevokeRequest& request, CivilMs now);
    [[nodiscard]] Answered put(StoredKey row, CivilMs now) const;
    [[nodiscard]] Result<std::vector<std::string>> names(const std::string& pattern) const;

    Changes changes_;
    Enrolments& enrolments_;
};

}  // namespace muster::coordinator
