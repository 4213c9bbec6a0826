#include <memory>
#include <utility>

#include "common/net/host/clock.hpp"
#include "coordinator/endpoints/advertised.hpp"
#include "coordinator/server.hpp"

/// The part of the server that changes between leading and standing by.
namespace muster::coordinator {

namespace {

// How long the answers given at the end may take to be sent.
constexpr Duration final_linger = 200ms;

}  // namespace

void Server::lead(Store& store, const StoreImage& image) {
    const Instant now = net::boottime_now();
    store_ = &store;
    standing_.set_leads(true);
    process_.use(store_);
    resigned_.reset();
    sockets_degraded_ = false;  // As the new core takes it.
    if (record_) {
        recorder_.emplace(*record_);
    }
    programs_.begin(image.meta.cluster);
    core_.lead(now, image);
    show_leader();
    loop_.watch(store_->fd(), [this](Instant then) { read_store(then); });
    begin_with_core(now);
    agents_.lead(now);
}

void Server::begin_with_core(Instant now) {
    gate_.begin_anew();
    forward_civil_time(now);
    admit_first(now);
    static_cast<void>(take_over_keys(now));
    events_.judge_listeners(now);
}

void Server::stand_by() {
    if (!standing_.leads()) {
        return;
    }
    const Instant now = net::boottime_now();
    worker_.finish_all(now);  // It may read the store.
    events_.publish_all(now);
    requests_.refuse_all();
    loop_.forget(store_->fd());
    store_ = nullptr;
    standing_.set_leads(false);
    process_.use(nullptr);
    resigned_.reset();
    recorder_.reset();
    programs_.cancel_all();  // The next leader numbers its calls from the start.
    unsent_.clear();
    core_.stand_by();
    agents_.stand_by();
    show_leader();
}

void Server::follow(const StoreImage& image) {
    const Instant now = net::boottime_now();
    core_.follow(now, image);
    begin_with_core(now);
}

void Server::take_part(Election* election) {
    standing_.take_part(election);
    show_leader();
}

void Server::show_leader() {
    const auto mark = standing_.mark();
    for (auto* const endpoint : {&operators_, &operators_ipc_, &enrolment_}) {
        endpoint->stand_by(mark);
    }
}

OwnState Server::own_state() const {
    // The names of all coordinators say nothing of this one.
    const bool is_of_all = security_.advertise.find(',') != std::string::npos;
    return {
        .operators = advertised(bound_.operators, is_of_all ? std::string{} : security_.advertise),
        .agents = static_cast<std::uint32_t>(agents_.connected())};
}

void Server::stop() {
    const bool answered = requests_.has_open();
    stand_by();
    worker_.finish_all(net::boottime_now());
    for (auto* const endpoint : {&operators_, &operators_ipc_, &enrolment_}) {
        loop_.forget(endpoint->socket());
        endpoint->socket().close(answered ? final_linger : Duration::zero());
    }
    loop_.forget(agents_.socket());
    loop_.forget(events_.socket());
    loop_.forget(worker_.fd());
    loop_.forget(programs_.fd());
    agents_.socket().close();
    events_.socket().close();
    http_.close();
}

}  // namespace muster::coordinator
