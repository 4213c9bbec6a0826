#include <algorithm>

#include <fmt/format.h>

#include "sim/model/cluster.hpp"

// The control hosts, and what happens between them and etcd.
namespace muster::sim {

std::uint32_t Cluster::leading_number() const {
    std::uint32_t found = 0;
    for (std::uint32_t control = 1; control < coordinators(); ++control) {
        const ControlHost& one = *controls_[control];
        if (one.is_up() &&
            (!controls_[found]->is_up() || one.epoch() > controls_[found]->epoch())) {
            found = control;
        }
    }
    return found;
}

const ControlHost& Cluster::leading() const { return *controls_[leading_number()]; }

void Cluster::crash_coordinator(std::uint32_t number) {
    note(control(number).name(), "is killed");
    controls_[number]->crash(now_);
    collect_violations();
}

void Cluster::restart_coordinator(std::uint32_t number) {
    note(control(number).name(), "is started");
    controls_[number]->start(now_);
}

void Cluster::pause_coordinator(std::uint32_t number) {
    note(control(number).name(), "is paused");
    controls_[number]->pause(now_);
}

void Cluster::resume_coordinator(std::uint32_t number) {
    note(control(number).name(), "resumes");
    controls_[number]->resume(now_);
    collect_violations();
}

void Cluster::resign_coordinator(std::uint32_t number) {
    note(control(number).name(), "is to resign");
    controls_[number]->resign(now_);
}

void Cluster::cut_from_etcd(std::uint32_t number) {
    note(control(number).name(), "is cut off from etcd");
    etcd_->cut(now_, number);
}

void Cluster::heal_to_etcd(std::uint32_t number) {
    note(control(number).name(), "reaches etcd again");
    etcd_->heal(now_, number);
}

void Cluster::stop_etcd() {
    note("etcd", "is down");
    etcd_->go_down(now_);
}

void Cluster::start_etcd() {
    note("etcd", "is up");
    etcd_->come_up(now_);
}

void Cluster::slow_etcd(Duration most) {
    note("etcd", fmt::format("takes up to {} ms", to_ms(most)));
    etcd_->slow_down(now_, most);
}

void Cluster::lose_etcd_messages(std::uint32_t per_mille) {
    note("etcd", fmt::format("loses {} of 1000 messages", per_mille));
    etcd_->lose(now_, per_mille);
}

void Cluster::compact_etcd() {
    note("etcd", "is compacted");
    etcd_->compact();
}

void Cluster::apply(const EtcdDue& due) {
    if (auto arrival = etcd_->apply(now_, due)) {
        const std::uint32_t control = arrival->control;
        controls_[control]->on_etcd(now_, due.call, *std::move(arrival));
    }
}

// A client tries one coordinator after the other that it can connect to.
void Cluster::apply(const RequestArrives& request) {
    std::vector<ControlHost*> listening;
    for (const auto& control : controls_) {
        if (control->is_up()) {
            listening.push_back(control.get());
        }
    }
    if (!listening.empty()) {
        const std::size_t at = operators_.attempts(request.question) % listening.size();
        listening[at]->on_request(now_, request.question);
    }
}

}  // namespace muster::sim
