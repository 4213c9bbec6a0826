#include "tests/faults/changes.hpp"

#include <algorithm>
#include <utility>

namespace muster::faults {

namespace {

using integration::Client;
using integration::Json;

constexpr std::size_t in_flight = 32;  // Unanswered requests, at most.

}  // namespace

Changes::Changes(const integration::Cluster& cluster, std::string endpoint)
    : cluster_{cluster}, endpoint_{std::move(endpoint)} {}

Json Changes::ask() {
    Client client{zmq::socket_type::dealer, endpoint_};
    ask_one_more(client);
    const auto frames = client.receive();
    REQUIRE(frames);
    auto answer = Json::parse(frames->back());
    on_answer(answer);
    return answer;
}

void Changes::send() {
    patient_ = std::make_unique<Client>(zmq::socket_type::dealer, endpoint_);
    ask_one_more(*patient_);
}

std::size_t Changes::request_until_dead(integration::Process& coordinator) {
    Client client{zmq::socket_type::dealer, endpoint_};
    const std::size_t before = answers_;
    if (repeat_unanswered(client) < in_flight) {
        ask_one_more(client);
    }
    while (const auto frames = client.receive_or(coordinator.pidfd())) {
        on_answer(Json::parse(frames->back()));
        ask_one_more(client);
    }
    return answers_ - before;
}

void Changes::await_answers() {
    Client client{zmq::socket_type::dealer, endpoint_};
    for (std::size_t open = repeat_unanswered(client); open > 0; --open) {
        const auto frames = client.receive();
        REQUIRE(frames);
        on_answer(Json::parse(frames->back()));
    }
    patient_.reset();
}

void Changes::check() const {
    constexpr std::size_t asked_again = 500;
    const auto tasks = cluster_.ask({{"verb", "task list"}, {"pattern", "t*"}}).at("tasks");
    CHECK(tasks.size() == changes_.size());
    const std::size_t first = changes_.size() - std::min(changes_.size(), asked_again);
    for (std::size_t at = 0; at < changes_.size(); ++at) {
        const Change& change = changes_[at];
        INFO(change.answer.dump());
        CHECK(change.answer.at("ok") == true);
        if (at >= first) {
            CHECK(cluster_.ask(change.request) == change.answer);
        }
    }
}

void Changes::ask_one_more(Client& client) {
    const std::string name = "t" + std::to_string(changes_.size());
    changes_.push_back({.request = {{"verb", "task add"},
                                    {"request_id", integration::new_request_id()},
                                    {"task", cluster_.task(name, 0)}}});
    REQUIRE(client.send(changes_.back().request.dump()));
}

std::size_t Changes::repeat_unanswered(Client& client) {
    std::size_t open = 0;
    for (; answered_ < changes_.size() && !changes_[answered_].answer.is_null(); ++answered_) {
    }
    for (std::size_t at = answered_; at < changes_.size(); ++at) {
        if (changes_[at].answer.is_null()) {
            REQUIRE(client.send(changes_[at].request.dump()));
            ++open;
        }
    }
    return open;
}

void Changes::on_answer(const Json& answer) {
    if (answer.at("ok") == false) {
        return;  // The client asks again when the fault is over.
    }
    for (std::size_t at = answered_; at < changes_.size(); ++at) {
        Change& change = changes_[at];
        if (change.request.at("request_id") == answer.at("request_id")) {
            REQUIRE((change.answer.is_null() || change.answer == answer));
            change.answer = answer;
            ++answers_;
            return;
        }
    }
}

}  // namespace muster::faults
