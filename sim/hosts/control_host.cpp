#include "sim/hosts/control_host.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "coordinator/http/metrics_text.hpp"
#include "coordinator/recorder/core_state.hpp"

namespace muster::sim {

namespace {

constexpr Duration civil_every = 5s;
constexpr std::int64_t most_drift = 10;  // Leadership allows for a hundredth.

constexpr std::uint64_t compared_seeds = 8;                 // One seed in this many: it is slow.
constexpr coordinator::Ticket observer{~std::uint64_t{0}};  // No operator's request has it.

/// Takes the observer's reply out of the replies.
std::optional<ReplyBody> first_reply(coordinator::Output& output) {
    const auto at = std::ranges::find(output.replies, observer, &coordinator::ReplyTo::ticket);
    ensure(at != output.replies.end(), "a read is answered at once");
    auto body = at->reply->result ? std::optional{*at->reply->result} : std::nullopt;
    output.replies.erase(at);
    return body;
}

std::string spaced(const std::string& word) { return word.empty() ? word : " " + word; }

}  // namespace

ControlHost::ControlHost(World& world, Operators& operators,
                         std::vector<std::unique_ptr<AgentHost>>& agents, std::uint32_t control,
                         EtcdModel* etcd)
    : world_{world},
      operators_{operators},
      agents_{agents},
      control_{control},
      name_{name_of_control(control)},
      etcd_{etcd},
      random_{world.options.seed ^ (0x636f6e74726f6cULL + control)},
      drift_{static_cast<std::int64_t>(random_.below(2 * most_drift + 1)) - most_drift} {}

void ControlHost::begin(Instant now, std::uint64_t life) {
    if (life != life_ || is_running()) {
        return;
    }
    if (etcd_ != nullptr) {
        stand_by(now);
    } else {
        lead(now, world_.store.lead());
    }
}

void ControlHost::lead(Instant now, const coordinator::StoreImage& image) {
    world_.trace.line(now, "{} leads, epoch {}", name_, raw(image.meta.epoch));
    const coordinator::CoordinatorOptions& options = world_.options.coordinator;
    world_.checkers.on(
        now, LeadershipBegan{image, options.recovery_grace, options.loss.after, options.round,
                             options.loss.rate_percent, options.loss.burst,
                             options.loss.silent_after, options.order_key, control_});
    core_ = std::make_unique<coordinator::Coordinator>(now, options, image);
    known_ = image;
    if (!world_.options.record.empty()) {
        recorder_.emplace(coordinator::RecordOptions{.directory = world_.options.record,
                                                     .most_bytes = world_.options.record_bytes,
                                                     .version = "of the simulator"});
    }
    led_since_ = now;
    world_.suspended.clear();
    world_.left.clear();
    world_.frozen = false;
    civil_due_ = now;
    world_.network.coordinator_up(control_);
    ++world_.changes;
    schedule(now);
    wake(now, life_);
}

void ControlHost::end(Instant now, const std::string& why) {
    world_.trace.line(now, "{} ends: {}", name_, why);
    ++life_;
    core_.reset();
    paused_ = false;
    inbox_.clear();
    unheard_.clear();
    due_.reset();
    operators_.forget_tickets(control_);
    if (etcd_ != nullptr) {
        world_.checkers.on(now, CoordinatorEnded{control_});
        election_.reset();
        won_.reset();
        reading_.reset();
        writer_.reset();
        answers_.clear();
    } else {
        const auto durable = world_.store.crash();
        world_.checkers.on(now, Committed{durable, world_.store.durable()});
    }
    world_.network.coordinator_down(now, control_);
    ++world_.changes;
}

void ControlHost::end_and_restart(Instant now, const std::string& why) {
    end(now, why);
    world_.queue.push(now + world_.options.supervision, CoordinatorStart{life_, control_});
}

void ControlHost::crash(Instant now) {
    if (is_running()) {
        end(now, "killed");
    } else {
        ++life_;  // Only the test starts it again.
    }
}

void ControlHost::resume(Instant now) {
    paused_ = false;
    resumed_ = now;
    if (ends_if_lapsed(now)) {
        return;
    }
    if (core_) {
        world_.network.coordinator_up(control_);
        world_.checkers.on(now, CoordinatorResumed{control_});
    } else {
        world_.checkers.on(now, ElectionDisturbed{});  // It could not stand meanwhile.
    }
    for (auto& [call, arrival] : std::exchange(answers_, {})) {
        on_etcd(now, call, std::move(arrival));
    }
    election_due(now, life_);
    for (auto& input : std::exchange(inbox_, {})) {
        on_input(now, std::move(input));
    }
    if (core_ && now >= civil_due_) {
        forward_civil_time(now);
    }
    on_input(now, coordinator::Wake{});
}

// ---- deadlines ----

void ControlHost::wake(Instant now, std::uint64_t life) {
    if (life != life_ || !core_ || due_ != now) {
        return;
    }
    due_.reset();
    if (paused_ || ends_if_lapsed(now)) {
        return;
    }
    if (now >= civil_due_) {
        forward_civil_time(now);
    }
    on_input(now, coordinator::Wake{});
}

void ControlHost::set_clock(Instant now, Duration ahead) {
    clock_ahead_ = ahead;
    civil_due_ = now;
    if (core_ && !paused_) {
        forward_civil_time(now);
    }
}

void ControlHost::forward_civil_time(Instant now) {
    civil_due_ = now + civil_every;
    const CivilMs at = civil(now + clock_ahead_);
    world_.checkers.on(now, CivilClockRead{at});
    on_input(now, coordinator::CivilTime{at});
}

void ControlHost::committed(Instant now, std::uint64_t life) {
    if (life != life_) {
        return;
    }
    if (writer_) {
        writer_->commit(now);
        return;
    }
    const auto durable = world_.store.commit(now, life_);
    if (world_.store.failed()) {
        world_.trace.line(now, "{} store fails", name_);
        on_input(now, coordinator::StoreFailed{"input/output error"});
        return;
    }
    ensure(!durable.empty(), "a commit makes something durable");
    world_.checkers.on(now, Committed{durable, world_.store.durable()});
    world_.trace.line(now, "{} stores {}", name_, durable.back().number);
    ++world_.changes;
    unheard_.insert(unheard_.end(), durable.begin(), durable.end());
    on_input(now, coordinator::Persisted{durable.back().number});
}

void ControlHost::follow_store() {
    const std::uint64_t last = core_->last_in_effect();
    for (; !unheard_.empty() && unheard_.front().number <= last; unheard_.pop_front()) {
        for (const coordinator::Write& write : unheard_.front().writes) {
            apply(known_, write);
        }
    }
}

void ControlHost::on_request(Instant now, std::size_t question) {
    if (core_) {
        auto arrival = operators_.arrive(question, control_);
        on_input(now, coordinator::FromOperator{
                          arrival.ticket, std::move(arrival.request), {}, arrival.by});
    }
}

void ControlHost::on_outside(Instant now, ProviderModel::Arrival arrival) {
    if (arrival.life == life_ && core_) {
        on_input(now, std::move(arrival.answer));
    }
}

// ---- the daemon ----

void ControlHost::on_input(Instant now, coordinator::Input input) {
    if (!core_) {
        return;
    }
    if (!paused_ && ends_if_lapsed(now)) {
        return;
    }
    if (paused_) {
        inbox_.push_back(std::move(input));
        return;
    }
    if (const auto* recorded = std::get_if<coordinator::FromAgent>(&input)) {
        const HostIndex host = world_.network.host_of(recorded->session);
        if (const auto* hello = std::get_if<Hello>(&recorded->message)) {
            claims_[host] = agent::AgentMemory{.cluster = hello->cluster,
                                               .epoch = hello->epoch,
                                               .leader = hello->leader,
                                               .counter = hello->counter,
                                               .incarnation = hello->incarnation};
        }
        world_.checkers.on(now, AgentMessageReceived{host, recorded->message});
    } else if (const auto* closed = std::get_if<coordinator::SessionClosed>(&input)) {
        world_.checkers.on(now, RouteClosed{world_.network.host_of(closed->session)});
    }
    coordinator::Output output = step(now, input);
    follow_store();
    carry_out(now, output);
    restore();
    const bool is_news = output.closed_round && compared_at_ != world_.changes;
    if (world_.options.compare_numbers && (is_news || world_.options.seed % compared_seeds == 0)) {
        compared_at_ = world_.changes;
        compare_numbers(now);
        show_pools(now);
    }
}

coordinator::Output ControlHost::step(Instant now, const coordinator::Input& input) {
    if (recorder_) {
        recorder_->record_input(now, input, *core_);
    }
    coordinator::Output output = core_->step(now, input);
    const auto* from_agent = std::get_if<coordinator::FromAgent>(&input);
    const PublicKey key = from_agent == nullptr ? PublicKey{} : key_of(from_agent->session);
    world_.checkers.on(now, StepTaken{input, key, known_, output, &world_.store.durable()});
    const std::vector<std::string> found = core_->contradictions();
    ensure(found.empty(), found.empty() ? "" : found.front().c_str());
    if (world_.options.hash_outputs) {
        world_.outputs.add(now, output);
    }
    if (recorder_) {
        recorder_->record_output(output);
        if (recorder_->trouble() && !world_.not_recorded) {
            world_.not_recorded = recorder_->trouble();
        }
    }
    return output;
}

void ControlHost::restore() {
    if (world_.options.restore_every == 0 || ++steps_ % world_.options.restore_every != 0 ||
        !core_ || core_->has_incomplete_change()) {
        return;
    }
    const std::string saved = save_core(*core_);
    auto restored = coordinator::restore_core(saved, world_.options.coordinator.order_key);
    ensure(restored && coordinator::save_core(**restored) == saved,
           "a saved state can be restored completely");
    core_ = std::move(*restored);
}

// Something may become due between two answers. Then the numbers are compared after the next step.
void ControlHost::compare_numbers(Instant now) {
    const auto before = ask(now, StatsRequest{});
    const auto status = ask(now, StatusRequest{});
    const auto stats = ask(now, StatsRequest{});
    if (before && status && stats && before == stats) {
        const auto& numbers = std::get<StatsReply>(*stats);
        world_.checkers.on(now, NumbersShown{std::get<StatusReply>(*status), numbers,
                                             coordinator::metrics_text(numbers)});
    }
}

void ControlHost::show_pools(Instant now) {
    std::vector<PoolShowReply> pools;
    for (const coordinator::StoredPool& pool : std::vector{known_.pools}) {
        if (auto shown = ask(now, PoolShowRequest{pool.name})) {
            pools.push_back(std::get<PoolShowReply>(*std::move(shown)));
        }
    }
    if (core_ && !pools.empty()) {
        world_.checkers.on(now, PoolsShown{pools, known_});
    }
}

/// A request without an operator. Nothing: no coordinator runs any more, or the read fails.
std::optional<ReplyBody> ControlHost::ask(Instant now, CoreRequestBody body) {
    if (!core_) {
        return std::nullopt;
    }
    coordinator::Output output =
        step(now, coordinator::FromOperator{observer, CoreRequest{{}, std::move(body)}});
    auto reply = first_reply(output);
    carry_out(now, output);
    return reply;
}

std::optional<StatusReply> ControlHost::status(Instant now) {
    auto reply = paused_ ? std::nullopt : ask(now, StatusRequest{});
    return reply ? std::optional{std::get<StatusReply>(std::move(*reply))} : std::nullopt;
}

void ControlHost::carry_out(Instant now, coordinator::Output& output) {
    if (etcd_ != nullptr &&
        !(output.messages.empty() && output.polls.empty() && output.replies.empty())) {
        world_.checkers.on(now, CoordinatorActed{control_, epoch()});
    }
    for (const Event& event : output.events) {
        publish(now, event);  // First, because an event is the reason for the orders after it.
    }
    for (coordinator::Persist& persist : output.persist) {
        store(now, std::move(persist));
    }
    for (const coordinator::ToAgent& to : output.messages) {
        observe(now, to.session, to.message);
        send(now, to.session, to.message);
    }
    for (const coordinator::PollTo& to : output.polls) {
        poll(now, to);
    }
    for (const coordinator::ReplyTo& reply : output.replies) {
        operators_.reply(now, reply);
    }
    for (const coordinator::OutsideCall& call : output.calls) {
        world_.trace.line(now, "{} > {} {}", name_, call.to, describe(call));
        world_.provider.call(now, control_, life_, call);
    }
    if (output.resign) {
        end_and_restart(now, *output.resign);
        world_.store.repair();
        return;
    }
    schedule(now);
}

void ControlHost::observe(Instant now, coordinator::Session session,
                          const CoordinatorMessage& message) {
    const HostIndex host = world_.network.host_of(session);
    const AgentHost& agent = *agents_[raw(host)];
    if (proves_keys() && !std::holds_alternative<Welcome>(message) &&
        !std::holds_alternative<Refused>(message)) {
        world_.checkers.on(now, OrderSent{session, key_of(session), known_});
    }
    if (const auto* batch = std::get_if<Batch>(&message)) {
        for (const Start& start : batch->starts) {
            world_.proofs[start.id].insert_or_assign(host, start.proof);
        }
        world_.checkers.on(now, BatchIssued{host, *batch, known_, claims_[host], agent.offer()});
    } else if (const auto* welcome = std::get_if<Welcome>(&message)) {
        world_.checkers.on(now, WelcomeIssued{host, agent.name(), welcome->incarnation});
        if (const auto stolen = stolen_.find(host);
            stolen != stolen_.end() && stolen->second == welcome->incarnation) {
            world_.checkers.on(now, RouteClosed{host});
            close_route_of(now, key_of(session));  // Its node speaks by this session now.
        }
    } else if (const auto* refused = std::get_if<Refused>(&message);
               refused != nullptr && refused->code == Errc::stale_incarnation) {
        world_.checkers.on(now, RouteClosed{host});
    }
}

void ControlHost::close_route_of(Instant now, const PublicKey& key) {
    for (std::uint32_t at = 0; at < agents_.size(); ++at) {
        if (agents_[at]->key() == key) {
            world_.checkers.on(now, RouteClosed{HostIndex{at}});
        }
    }
}

void ControlHost::send(Instant now, coordinator::Session session,
                       const CoordinatorMessage& message) {
    codec::encode(message, bytes_);
    if (!world_.network.send(now, session, Side::agent, bytes_)) {
        const HostIndex host = world_.network.host_of(session);
        world_.trace.line(now, "{} > {} {}: lost", name_, agents_[raw(host)]->label(),
                          describe(message));
    }
}

void ControlHost::poll(Instant now, const coordinator::PollTo& poll) {
    if (proves_keys()) {
        world_.checkers.on(now, OrderSent{poll.session, key_of(poll.session), known_});
    }
    world_.checkers.on(now, PollIssued{world_.network.host_of(poll.session), poll.poll});
    codec::encode(poll.poll, bytes_);
    if (!world_.network.send(now, poll.session, Side::agent, bytes_)) {
        world_.trace.routine(now, "lost");
    }
}

void ControlHost::publish(Instant now, const Event& event) {
    world_.checkers.on(now, EventPublished{event});
    world_.changes += event.topic == "round.closed" ? 0U : 1U;
    const std::string& detail = event.detail;
    if (detail.ends_with(": balance") || detail.ends_with(": drain") ||
        detail.ends_with(": unfit")) {
        world_.move_ordered = now;
    }
    world_.suspicions += event.topic == "node.suspended" || event.topic == "node.lost" ? 1U : 0U;
    if (event.topic == "node.suspended") {
        world_.suspended.insert(event.name);
    } else if (event.topic == "node.suspension_ended" || event.topic == "node.released" ||
               event.topic == "node.forgotten" || event.topic == "node.removed") {
        world_.suspended.erase(event.name);
    }
    if (event.topic == "node.left") {
        world_.left.insert(event.name);
    } else if (event.topic == "node.returned" || event.topic == "node.lost" ||
               event.topic == "node.forgotten" || event.topic == "node.removed") {
        world_.left.erase(event.name);
    }
    if (event.topic == "task.halted") {
        world_.halted.insert(event.name);
    } else if (event.topic == "task.changed" || event.topic == "task.restarted" ||
               event.topic == "task.removed" || event.topic == "task.converged") {
        world_.halted.erase(event.name);
    }
    if (event.topic.starts_with("freeze.")) {
        world_.frozen = event.topic != "freeze.ended";
        world_.frozen_by_operator = world_.frozen && !event.detail.ends_with("fell silent");
    }
    const auto dot = event.topic.find('.');
    if (event.topic == "round.closed") {
        world_.trace.routine(now, event.detail);
    } else if (event.topic.starts_with("node.")) {
        world_.trace.line(now, "{} > {} {} -> {}", name_, event.name, event.detail,
                          event.topic.substr(dot + 1));
    } else {
        world_.trace.line(now, "{} {}{}{}", name_, event.topic, spaced(event.name),
                          spaced(event.detail));
    }
}

void ControlHost::schedule(Instant now) {
    const Instant lapse =
        election_ ? election_->lapses_at().value_or(Instant::max()) : Instant::max();
    const Instant wanted = std::max(std::min({core_->next_deadline(), civil_due_, lapse}), now);
    if (!due_ || wanted < *due_) {
        due_ = wanted;
        world_.queue.push(wanted, CoordinatorDue{life_, control_});
    }
}

}  // namespace muster::sim
