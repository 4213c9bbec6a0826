#pragma once

#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/options.hpp"

namespace muster::coordinator {

/// Requests that define pools.
class PoolHandler {
public:
    PoolHandler(const CoordinatorOptions& options, Changes changes)
        : options_{options}, changes_{changes} {}

    void handle(const RequestContext& context, const PoolCreateRequest& request);
    void handle(const RequestContext& context, const PoolSetRequest& request);
    void handle(const RequestContext& context, const PoolRemoveRequest& request);
    void handle(const RequestContext& context, const PoolPauseRequest& request);
    void handle(const RequestContext& context, const PoolResumeRequest& request);

private:
    void change(const RequestContext& context, const auto& request);

    [[nodiscard]] Result<Answered> change_of(const PoolCreateRequest& request, CivilMs now) const;
    [[nodiscard]] Result<Answered> change_of(const PoolSetRequest& request, CivilMs now) const;
    [[nodiscard]] Result<Answered> change_of(const PoolRemoveRequest& request, CivilMs now) const;
    [[nodiscard]] Result<Answered> change_of(const PoolPauseRequest& request, CivilMs now) const;
    [[nodiscard]] Result<Answered> change_of(const PoolResumeRequest& request, CivilMs now) const;
    /// The definition as proposed, or `not_found`.
    [[nodiscard]] Result<StoredPool> known(const std::string& name) const;
    [[nodiscard]] Result<void> check(StoredPool& pool) const;
    [[nodiscard]] bool has_nodes(const std::string& pool) const;

    const CoordinatorOptions& options_;
    Changes changes_;
};

}  // namespace muster::coordinator
