#include "sim/hosts/control_host.hpp"

#include <utility>

#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "coordinator/http/metrics_text.hpp"
#include "coordinator/recorder/core_state.hpp"

namespace muster::sim {

namespace {

constexpr Duration civil_every = 5s;

constexpr std::uint64_t compared_seeds = 8;                 // One seed in this many: it is slow.
constexpr coordinator::Ticket observer{~std::uint64_t{0}};  // No operator's request has it.

/// Takes the observer's reply out of the replies.
std::optional<ReplyBody> first_reply(coordinator::Output& output) {
    const auto at = std::ranges::find(output.replies, observer, &coordinator::ReplyTo::ticket);
    ensure(at != output.replies.end() && at->reply->result, "a read is answered at once");
    auto body = *at->reply->result;
    output.replies.erase(at);
    return body;
}

std::string spaced(const std::string& word) { return word.empty() ? word : " " + word; }

}  // namespace

ControlHost::ControlHost(World& world, Operators& operators,
                         std::vector<std::unique_ptr<AgentHost>>& agents)
    : world_{world}, operators_{operators}, agents_{agents} {}

void ControlHost::begin(Instant now, std::uint64_t life) {
    if (life != life_ || core_) {
        return;
    }
    const coordinator::StoreImage& image = world_.store.lead();
    world_.trace.line(now, "c1 leads, epoch {}", raw(image.meta.epoch));
    const coordinator::CoordinatorOptions& options = world_.options.coordinator;
    world_.checkers.on(
        now, LeadershipBegan{image, options.recovery_grace, options.loss.after, options.round,
                             options.loss.rate_percent, options.loss.burst,
                             options.loss.silent_after, options.order_key});
    core_ = std::make_unique<coordinator::Coordinator>(now, options, image);
    known_ = image;
    if (!world_.options.record.empty()) {
        recorder_.emplace(coordinator::RecordOptions{.directory = world_.options.record,
                                                     .most_bytes = world_.options.record_bytes,
                                                     .version = "of the simulator"});
    }
    led_since_ = now;
    world_.suspended.clear();
    world_.frozen = false;
    civil_due_ = now;
    world_.network.coordinator_up();
    ++world_.changes;
    schedule(now);
    wake(now, life_);
}

void ControlHost::end(Instant now, const std::string& why) {
    world_.trace.line(now, "c1 ends: " + why);
    ++life_;
    core_.reset();
    paused_ = false;
    inbox_.clear();
    unheard_.clear();
    due_.reset();
    operators_.forget_tickets();
    const auto durable = world_.store.crash();
    world_.checkers.on(now, Committed{durable, world_.store.durable()});
    world_.network.coordinator_down(now);
    ++world_.changes;
}

void ControlHost::crash(Instant now) {
    if (core_) {
        end(now, "killed");
    } else {
        ++life_;  // Only the test starts it again.
    }
}

void ControlHost::resume(Instant now) {
    paused_ = false;
    resumed_ = now;
    for (auto& input : std::exchange(inbox_, {})) {
        on_input(now, std::move(input));
    }
    if (now >= civil_due_) {
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
    if (paused_) {
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
    const auto durable = world_.store.commit(now, life_);
    if (world_.store.failed()) {
        world_.trace.line(now, "c1 store fails");
        on_input(now, coordinator::StoreFailed{"input/output error"});
        return;
    }
    ensure(!durable.empty(), "a commit makes something durable");
    world_.checkers.on(now, Committed{durable, world_.store.durable()});
    world_.trace.line(now, "c1 stores {}", durable.back().number);
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

// The socket's probe shows a connection that has not sent a hello.
void ControlHost::connected(Instant now, coordinator::Session session, const PublicKey& proved) {
    proved_.insert_or_assign(session, proved);
    if (core_) {
        send(now, session, Refused{Errc::hello_required, "send hello", Incarnation{}, 0});
    }
}

void ControlHost::receive(Instant now, coordinator::Session session, const Delivery& delivery) {
    if (!core_) {
        return;
    }
    const std::string& bytes = delivery.bytes;
    AgentMessage message;
    const auto decoded = codec::decode(bytes, message);
    ensure(decoded.has_value() || delivery.mangled, "a coordinator can read what an agent wrote");
    const HostIndex host = world_.network.host_of(session);
    if (delivery.mangled) {
        world_.trace.line(now, "{} > c1 mangled{}", agents_[raw(host)]->label(),
                          decoded ? ", and taken for lost" : ": " + decoded.error().detail);
        if (!decoded) {  // As the daemon's endpoint does.
            send(now, session, Refused{Errc::malformed, "it cannot be read", Incarnation{}, 0});
            on_input(now, coordinator::Undecodable{session, decoded.error().detail});
        }
        return;
    }
    if (!is_routine(message) || world_.options.keep_routine) {
        world_.trace.line(now, "{} > c1 {}", agents_[raw(host)]->label(), describe(message));
    } else {
        world_.trace.routine(now, bytes);
    }
    if (proves_keys() && !is_proved(host, message)) {
        receive_stolen_name(now, session, message);
        return;
    }
    const bool is_falsified = delivery.forged || (agents_[raw(host)]->is_byzantine() &&
                                                  std::holds_alternative<Report>(message));
    if (!is_falsified) {
        const coordinator::Caller by = caller_of(session, message);
        on_input(now, coordinator::FromAgent{session, std::move(message), by});
    } else if (is_proved(host, message)) {
        const coordinator::Caller by = caller_of(session, message);
        world_.checkers.on(now, ByzantineReport{host, agents_[raw(host)]->name()});
        on_input(now, coordinator::FromAgent{session, std::move(message), by});
        world_.checkers.on(now, ByzantineReportHandled{});
    }
}

PublicKey ControlHost::key_of(coordinator::Session session) const {
    const auto at = proved_.find(session);
    return at == proved_.end() ? PublicKey{} : at->second;
}

coordinator::Caller ControlHost::caller_of(coordinator::Session session,
                                           const AgentMessage& message) const {
    if (!proves_keys()) {
        return {.is_local = true};
    }
    return std::holds_alternative<Hello>(message) ? coordinator::Caller{.key = key_of(session)}
                                                  : coordinator::Caller{};
}

void ControlHost::receive_stolen_name(Instant now, coordinator::Session session,
                                      const AgentMessage& hello) {
    if (paused_) {
        return;  // Too early: it is lost.
    }
    const coordinator::Input input =
        coordinator::FromAgent{session, hello, caller_of(session, hello)};
    coordinator::Output output = step(now, input);
    follow_store();
    carry_out(now, output);
    restore();
}

// Without keys a byzantine host uses its own name: nobody could tell it from the other.
bool ControlHost::is_proved(HostIndex host, const AgentMessage& message) const {
    const auto* hello = std::get_if<Hello>(&message);
    return hello == nullptr || hello->name == agents_[raw(host)]->name();
}

void ControlHost::on_request(Instant now, std::size_t question) {
    if (core_) {
        auto arrival = operators_.arrive(question);
        on_input(now, coordinator::FromOperator{
                          arrival.ticket, std::move(arrival.request), {}, arrival.by});
    }
}

// ---- the daemon ----

void ControlHost::on_input(Instant now, coordinator::Input input) {
    if (!core_) {
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
    }
}

coordinator::Output ControlHost::step(Instant now, const coordinator::Input& input) {
    if (recorder_) {
        recorder_->record_input(now, input, *core_);
    }
    coordinator::Output output = core_->step(now, input);
    const auto* from_agent = std::get_if<coordinator::FromAgent>(&input);
    const PublicKey key = from_agent == nullptr ? PublicKey{} : key_of(from_agent->session);
    world_.checkers.on(now, StepTaken{input, key, known_, output});
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

/// A request without an operator. Nothing: no coordinator runs any more.
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
    for (const Event& event : output.events) {
        publish(now, event);  // First, because an event is the reason for the orders after it.
    }
    for (coordinator::Persist& persist : output.persist) {
        world_.store.submit(now, life_, std::move(persist));
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
    if (output.resign) {
        end(now, *output.resign);
        world_.store.repair();
        world_.queue.push(now + world_.options.supervision, CoordinatorStart{life_});
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
    } else if (const auto* refused = std::get_if<Refused>(&message);
               refused != nullptr && refused->code == Errc::stale_incarnation) {
        world_.checkers.on(now, RouteClosed{host});
    }
}

void ControlHost::send(Instant now, coordinator::Session session,
                       const CoordinatorMessage& message) {
    codec::encode(message, bytes_);
    if (!world_.network.send(now, session, Side::agent, bytes_)) {
        const HostIndex host = world_.network.host_of(session);
        world_.trace.line(now, "c1 > {} {}: lost", agents_[raw(host)]->label(), describe(message));
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
        world_.trace.line(now, "c1 > {} {} -> {}", event.name, event.detail,
                          event.topic.substr(dot + 1));
    } else {
        world_.trace.line(now, "c1 {}{}{}", event.topic, spaced(event.name), spaced(event.detail));
    }
}

void ControlHost::schedule(Instant now) {
    const Instant wanted = std::max(std::min(core_->next_deadline(), civil_due_), now);
    if (!due_ || wanted < *due_) {
        due_ = wanted;
        world_.queue.push(wanted, CoordinatorDue{life_});
    }
}

}  // namespace muster::sim
