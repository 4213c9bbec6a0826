#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/shared.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/core/queries/lists/listing.hpp"
#include "coordinator/requests/operator_endpoint.hpp"
#include "coordinator/requests/worker.hpp"

namespace muster::coordinator {

/// Requests that only read, answered one after the other for a small part of each turn, so that
/// neither many requests nor a long one delays agents and changes.
///
///     add --> waiting --> the current one, a piece at a time --> written by the worker --> sent
///
/// Peers that ask the same while it waits share one answer. Nobody gets an answer that began before
/// the request: it would miss the peer's own changes.
class Readings {
public:
    static constexpr Duration time_per_turn = 4ms;
    static constexpr std::size_t askers_at_most = 1'024;

    /// The core's answer to a request that is not a list.
    using Ask =
        std::function<Shared<Reply>(Instant now, const CoreRequest& request, const Caller& by)>;

    Readings(const Coordinator& core, Worker& worker, Ask ask)
        : core_{core}, worker_{worker}, ask_{std::move(ask)} {}

    /// False: too many wait.
    [[nodiscard]] bool add(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                           const CoreRequest& request);
    /// Whether there is work to do at once.
    [[nodiscard]] bool is_due() const;
    void go_on(Instant now);
    /// Answers the current request and all that wait with this error.
    void refuse_all(const Error& error);

private:
    struct Asker {
        OperatorEndpoint* endpoint = nullptr;
        OperatorEndpoint::Asker who;
    };
    struct Reading {
        std::string asked;  // With its form: equal requests get the same bytes.
        CoreRequest request;
        std::vector<Asker> askers;
        std::optional<Listing> list;
    };

    /// Does a piece of it. False: the whole answer was handed on.
    [[nodiscard]] bool work_on(Instant now, Reading& reading);
    void write(std::shared_ptr<Reading> reading, Shared<Reply> reply);

    const Coordinator& core_;
    Worker& worker_;
    Ask ask_;
    std::deque<std::shared_ptr<Reading>> readings_;  // The first is the current one.
    bool is_begun_ = false;                          // The first has begun: nobody may join it.
    std::size_t askers_ = 0;
};

}  // namespace muster::coordinator
