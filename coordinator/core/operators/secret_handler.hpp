#pragma once

#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// Requests about secrets for tasks. Their values come encrypted, and stay so in the core.
class SecretHandler {
public:
    explicit SecretHandler(Changes changes) : changes_{changes} {}

    void handle(const RequestContext& context, const Facts& facts,
                const SecretListRequest& request);
    void handle(const RequestContext& context, const SecretSetRequest& request);
    void handle(const RequestContext& context, const SecretRemoveRequest& request);

private:
    void change(const RequestContext& context, const auto& request);

    [[nodiscard]] Result<Answered> change_of(const SecretSetRequest& request, CivilMs now) const;
    [[nodiscard]] Result<Answered> change_of(const SecretRemoveRequest& request, CivilMs now) const;

    Changes changes_;
};

}  // namespace muster::coordinator
