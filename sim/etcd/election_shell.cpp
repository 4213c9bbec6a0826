#include "sim/etcd/election_shell.hpp"

#include <utility>

#include "coordinator/store/etcd/etcd_rules.hpp"

namespace muster::sim {

namespace {

namespace election = coordinator::election;

constexpr Duration most_patience = 2s;  // As the daemon's options have it.
constexpr Duration watch_patience = 10s;

}  // namespace

ElectionShell::ElectionShell(World& world, EtcdModel& model, std::uint32_t control,
                             std::uint64_t life, const LeaderId& self, std::int64_t drift)
    : world_{world},
      model_{model},
      control_{control},
      life_{life},
      self_{self},
      drift_{drift},
      core_{self, election_lease} {}

Instant ElectionShell::local(Instant now) const { return now + (now - origin) * drift_ / 1000; }

// Not before it.
Instant ElectionShell::true_time_of(Instant local) const {
    return origin + (local - origin) * 1000 / (1000 + drift_) + 1us;
}

bool ElectionShell::has_lapsed(Instant now) const { return until_ && local(now) >= *until_; }

std::optional<Instant> ElectionShell::lapses_at() const {
    return until_ ? std::optional{true_time_of(*until_)} : std::nullopt;
}

void ElectionShell::wake_at(Instant at) { world_.queue.push(at, ElectionDue{control_, life_}); }

void ElectionShell::call(Instant now, Doing doing, EtcdRequest request) {
    const Duration patience =
        doing == Doing::awaiting ? watch_patience : std::min(most_patience, lease_ / 4);
    doing_ = doing;
    asked_ = local(now);
    call_ = model_.call(now, control_, life_, patience, std::move(request));
}

void ElectionShell::look(Instant now, Doing doing) {
    call(now, doing, ReadKey{model_.keys().leader()});
}

void ElectionShell::fail(const EtcdAnswer& answer) {
    next_.emplace_back(election::Failed{answer.error->detail});
}

ElectionShell::News ElectionShell::on_answer(Instant now, const EtcdAnswer& answer) {
    const Doing done = std::exchange(doing_, Doing::nothing);
    switch (done) {
        case Doing::nothing: break;
        case Doing::awaiting: look(now, Doing::looking); break;
        case Doing::looking:
            on_looked(answer);
            if (answer.error && core_.next_deadline() == Instant::max()) {
                pauses_until_ = local(now) + lease_ / 10;
            }
            break;
        case Doing::looking_after_renewal:
            if (!answer.error) {
                on_looked(answer);
            }
            break;
        case Doing::asking:
            if (answer.error) {
                fail(answer);
            } else {
                next_.emplace_back(
                    election::LeaseGiven{answer.lease.id, asked_, answer.lease.lasts});
            }
            break;
        case Doing::reading_meta:
            if (answer.error) {
                fail(answer);
            } else {
                campaign(now, answer);
            }
            break;
        case Doing::campaigning:
            if (answer.error) {
                fail(answer);
            } else if (answer.committed.done) {
                won_ = answer.committed.at;
                next_.emplace_back(election::Won{epoch_});
            } else {
                look(now, Doing::reading_leader);
            }
            break;
        case Doing::reading_leader:
            if (answer.error) {
                fail(answer);
            } else if (const auto own = etcd::won_before(answer.read, self_, of_campaign_)) {
                won_ = own->made;
                next_.emplace_back(election::Won{own->epoch});
            } else {
                next_.emplace_back(election::Lost{});
                look(now, Doing::looking);
            }
            break;
        case Doing::renewing:
            if (!answer.error) {
                next_.emplace_back(
                    election::LeaseGiven{answer.lease.id, asked_, answer.lease.lasts});
                look(now, Doing::looking_after_renewal);
            } else if (answer.error->code == Errc::not_found) {
                next_.emplace_back(election::LeaseUnknown{});
            } else {
                fail(answer);
            }
            break;
    }
    return run(now);
}

void ElectionShell::on_looked(const EtcdAnswer& answer) {
    if (answer.error) {
        fail(answer);
        return;
    }
    seen_ = answer.read.at;
    next_.push_back(etcd::seen_in(answer.read));
}

void ElectionShell::campaign(Instant now, const EtcdAnswer& meta) {
    coordinator::Meta next_meta = meta.rows.meta;
    next_meta.epoch = next(next_meta.epoch);
    next_meta.leader = self_;
    epoch_ = next_meta.epoch;
    CommitTo commit{
        .transaction = etcd::campaign_of(
            model_.keys(), {.leader = self_, .epoch = epoch_, .name = name_of_control(control_)},
            of_campaign_,
            {.key = model_.meta_key(),
             .before = meta.read.pairs.front().value,
             .after = model_.meta_text(next_meta)}),
        .rows = {{.number = 0, .writes = {next_meta}}},
        .by = control_,
        .epoch = epoch_};
    call(now, Doing::campaigning, std::move(commit));
}

ElectionShell::News ElectionShell::wake(Instant now) {
    if (pauses_until_ && local(now) >= *pauses_until_) {
        pauses_until_.reset();
    }
    return run(now);
}

ElectionShell::News ElectionShell::run(Instant now) {
    while (doing_ == Doing::nothing && !pauses_until_) {
        if (next_.empty()) {
            const Instant deadline = core_.next_deadline();
            if (is_resigning_) {
                next_.emplace_back(election::Resign{"this coordinator resigned"});
            } else if (deadline == Instant::max()) {
                call(now, Doing::awaiting, AwaitChange{seen_});
                break;
            } else if (local(now) >= deadline) {
                next_.emplace_back(election::Wake{});
            } else {
                wake_at(true_time_of(deadline));
                break;
            }
        }
        const election::Input input = std::move(next_.front());
        next_.pop_front();
        const election::Output output = core_.step(local(now), input);
        until_ = core_.leads_until();
        carry_out(now, output.order);
        if (output.steps_down) {
            return {.leads = {}, .over = output.steps_down};
        }
        if (output.leads) {
            News news{.leads = News::Lead{.epoch = *output.leads, .won = won_}, .over = {}};
            wake_at(now);
            return news;
        }
    }
    if (pauses_until_) {
        wake_at(true_time_of(*pauses_until_));
    }
    return {};
}

void ElectionShell::carry_out(Instant now, const election::Order& order) {
    if (std::holds_alternative<election::AskLease>(order)) {
        call(now, Doing::asking, GrantLease{lease_});
    } else if (const auto* const campaign = std::get_if<election::Campaign>(&order)) {
        of_campaign_ = campaign->lease;
        call(now, Doing::reading_meta, ReadKey{model_.meta_key()});
    } else if (const auto* const renewal = std::get_if<election::Renew>(&order)) {
        call(now, Doing::renewing, RenewLease{renewal->lease});
    } else if (const auto* const release = std::get_if<election::Release>(&order)) {
        static_cast<void>(
            model_.call(now, control_, life_, most_patience, RevokeLease{release->lease}));
    }
}

}  // namespace muster::sim
