#include <utility>

#include "sim/hosts/control_host.hpp"

// A control host that shares a store in etcd with others: its election, and its writes.
namespace muster::sim {

void ControlHost::pause(Instant now) {
    paused_ = true;
    ++pauses_;
    if (etcd_ != nullptr) {
        world_.checkers.on(now, CoordinatorEnded{control_});
        world_.queue.push(now + world_.options.heartbeat_timeout,
                          CoordinatorSilent{control_, pauses_});
    }
}

void ControlHost::silent(Instant now, std::uint64_t pause) {
    if (paused_ && pause == pauses_) {
        world_.network.coordinator_silent(now, control_);
    }
}

void ControlHost::stand_by(Instant now) {
    const std::uint64_t high = random_.next();
    const LeaderId self{high, random_.next()};
    election_.emplace(world_, *etcd_, control_, life_, self, drift_);
    world_.trace.line(now, "{} stands by", name_);
    world_.checkers.on(now, ElectionDisturbed{});
    election_->begin(now);
}

void ControlHost::resign(Instant now) {
    if (core_ && !paused_ && election_) {
        election_->resign(now);
    }
}

void ControlHost::election_due(Instant now, std::uint64_t life) {
    if (life == life_ && election_ && !paused_) {
        on_news(now, election_->wake(now));
    }
}

void ControlHost::on_etcd(Instant now, std::uint64_t call, EtcdModel::Arrival arrival) {
    if (arrival.life != life_ || !election_) {
        return;
    }
    if (paused_) {
        answers_.emplace_back(call, std::move(arrival));
        return;
    }
    if (arrival.answer.error && arrival.answer.error->code == Errc::unreachable) {
        world_.checkers.on(now, ElectionDisturbed{});
    }
    if (election_->has_called(call)) {
        on_news(now, election_->on_answer(now, arrival.answer));
    } else if (reading_ == call) {
        reading_.reset();
        if (arrival.answer.error) {
            end_and_restart(now, "the rows cannot be read");
        } else if (!ends_if_lapsed(now)) {
            writer_.emplace(world_, *etcd_, control_, life_, *won_, arrival.answer.read);
            lead(now, arrival.answer.rows);
        }
    } else if (writer_ && writer_->has_called(call) && !ends_if_lapsed(now)) {
        on_written(now, writer_->on_answer(now, arrival.answer));
    }
}

void ControlHost::on_news(Instant now, const ElectionShell::News& news) {
    if (news.over) {
        end_and_restart(now, *news.over);
    } else if (news.leads) {
        won_ = news.leads;
        reading_ = etcd_->call(now, control_, life_, 2s, ReadRows{});
    } else if (core_) {
        schedule(now);
    }
}

void ControlHost::on_written(Instant now, EtcdWriter::News news) {
    if (news.failed) {
        world_.trace.line(now, "{} store fails", name_);
        on_input(now, coordinator::StoreFailed{*news.failed});
    } else if (!news.durable.empty()) {
        etcd_->show_writes(now);
        const std::uint64_t number = news.durable.back().number;
        world_.trace.line(now, "{} stores {}", name_, number);
        unheard_.insert(unheard_.end(), news.durable.begin(), news.durable.end());
        on_input(now, coordinator::Persisted{number});
    }
}

bool ControlHost::ends_if_lapsed(Instant now) {
    if (!election_ || !election_->has_lapsed(now)) {
        return false;
    }
    end_and_restart(now, std::string{coordinator::election::lease_lapsed});
    return true;
}

void ControlHost::store(Instant now, coordinator::Persist persist) {
    if (writer_) {
        writer_->submit(now, std::move(persist));
    } else {
        world_.store.submit(now, life_, std::move(persist));
    }
}

}  // namespace muster::sim
