#include "coordinator/requests/readings.hpp"

#include <algorithm>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/net/host/clock.hpp"

namespace muster::coordinator {
namespace {

// Complete answers that wait to be written: each may have tens of megabytes.
constexpr std::size_t answers_at_worker = 4;

std::string key_of(const OperatorEndpoint::Asker& asker, const CoreRequest& request) {
    std::string key;
    std::visit(
        [&](const auto& body) {
            codec::encode(Request{request.id, body}, key);
        },
        request.body);
    // The answers of limited callers differ.
    key.append(asker.by.key.bytes.begin(), asker.by.key.bytes.end());
    key += asker.form == OperatorEndpoint::Form::json ? 'j' : 'n';
    key += asker.envelope.delimited ? 'd' : 'p';
    return key;
}

}  // namespace

bool Readings::add(OperatorEndpoint& endpoint, const OperatorEndpoint::Asker& asker,
                   const CoreRequest& request) {
    if (askers_ == askers_at_most) {
        return false;
    }
    ++askers_;
    std::string asked = key_of(asker, request);
    const auto same = std::find_if(readings_.begin() + (is_begun_ ? 1 : 0), readings_.end(),
                                   [&](const auto& other) { return other->asked == asked; });
    if (same != readings_.end()) {
        (*same)->askers.push_back({&endpoint, asker});
        return true;
    }
    auto reading = std::make_shared<Reading>();
    reading->asked = std::move(asked);
    reading->list = Listing::of(request.body);
    if (reading->list) {
        reading->list->limit_to(asker.by);
    }
    reading->request = request;
    reading->askers.push_back({&endpoint, asker});
    readings_.push_back(std::move(reading));
    return true;
}

bool Readings::is_due() const {
    return !readings_.empty() && worker_.pending() < answers_at_worker;
}

void Readings::go_on(Instant now) {
    const Instant began = net::boottime_now();
    while (is_due()) {
        is_begun_ = true;
        if (!work_on(now, *readings_.front())) {
            readings_.pop_front();
            is_begun_ = false;
        }
        if (net::boottime_now() - began >= time_per_turn) {
            return;
        }
    }
}

bool Readings::work_on(Instant now, Reading& reading) {
    if (reading.list && core_.go_on(now, *reading.list)) {
        return true;
    }
    askers_ -= reading.askers.size();
    write(readings_.front(), reading.list
                                 ? Shared<Reply>{}
                                 : ask_(now, reading.request, reading.askers.front().who.by));
    return false;
}

void Readings::write(std::shared_ptr<Reading> reading, Shared<Reply> reply) {
    worker_.submit([reading = std::move(reading), reply = std::move(reply)] {
        const OperatorEndpoint::Asker& first = reading->askers.front().who;
        auto written = reading->list ? OperatorEndpoint::written(
                                           first, {reading->request.id, reading->list->take()})
                                     : OperatorEndpoint::written(first, *reply);
        return [askers = std::move(reading->askers), written = std::move(written),
                id = reading->request.id](Instant now) {
            for (const Asker& asker : askers) {
                asker.endpoint->answer(now, asker.who, id, written);
            }
        };
    });
}

void Readings::refuse_all(const Error& error) {
    for (const auto& reading : std::exchange(readings_, {})) {
        for (const Asker& asker : reading->askers) {
            asker.endpoint->answer(asker.who,
                                   {.id = reading->request.id, .result = tl::unexpected{error}});
        }
    }
    is_begun_ = false;
    askers_ = 0;
}

}  // namespace muster::coordinator
