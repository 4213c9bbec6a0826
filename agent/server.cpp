#include "agent/server.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "agent/host_probe.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/host/clock.hpp"

namespace muster::agent {
namespace {

constexpr Duration between_observations = 5s;
// For a local client that does not read yet. Large answers are limited by their bytes.
constexpr int answers_queued = 1'000;
// Instances, and starts that were refused since the last count.
constexpr std::size_t secrets_kept = 2 * limits::instances_per_node;

std::string exit_of(std::int32_t exit_code, std::int32_t exit_signal) {
    return exit_signal != 0 ? "signal " + std::to_string(exit_signal)
                            : "exit code " + std::to_string(exit_code);
}

}  // namespace

AgentServer::AgentServer(net::Context& context, net::Loop& loop, const AgentSettings& settings,
                         Disk& disk, Readings& readings, Executor& executor,
                         const AgentOptions& options, const RecoveredState& recovered)
    : settings_{settings},
      disk_{disk},
      readings_{readings},
      executor_{executor},
      loop_{loop},
      random_{options.seed},
      keys_{settings.keys},
      made_{settings.made_key},
      links_{context,
             loop,
             random_,
             net::endpoints_in(settings.coordinator),
             settings.keys,
             [this](Instant now, net::Dealer& dealer, std::size_t link) {
                 return receive(now, dealer, link);
             }},
      names_of_coordinators_{net::endpoints_in(settings.coordinator)},
      local_{context,
             {.message_bytes = limits::operator_message_bytes, .send_queue = answers_queued}},
      unread_{context, context.make_meter()},
      core_{net::boottime_now(), options, recovered},
      life_{options.life},
      now_{net::boottime_now()} {
    for (const InstanceImage& image : recovered.journal.instances) {
        names_.insert_or_assign(image.process, image.report.id);
    }
    for (const FoundProcess& found : recovered.found) {
        names_.insert_or_assign(found.process, found.id);
    }
    // They are collected in every turn, also when only a deadline passed.
    loop_.watch(executor_.fd(), [](Instant) {});
    loop_.watch(disk_.fd(), [](Instant) {});
    loop_.watch(readings_.fd(), [](Instant) {});
    loop_.watch(names_of_coordinators_.fd(), [](Instant) {});
}

Result<void> AgentServer::open(const std::string& local_endpoint) {
    if (const auto bound = local_.bind(local_endpoint); !bound) {
        return tl::unexpected{bound.error()};
    }
    loop_.watch(local_, [this](Instant now) {
        now_ = now;
        return receive_local();
    });
    return {};
}

Result<void> AgentServer::connect() {
    connected_ = net::boottime_now();
    return links_.connect();
}

Instant AgentServer::turn(Instant deadline) {
    deadline = std::min({deadline, core_.next_deadline(), observation_due_,
                         names_of_coordinators_.next_deadline(),
                         executor_.next_deadline().value_or(Instant::max())});
    const Instant now = loop_.turn(deadline);
    look_at_handshakes(now);
    names_of_coordinators_.ask(now);
    if (const auto found = names_of_coordinators_.take()) {
        links_.learn(*found);
    }
    links_.look_after(now);
    for (const auto& written : disk_.collect()) {
        on_key_written(written);
        log_written(now, written);
        step(now, written);
    }
    const auto events = executor_.collect(now);
    log_restored(now);
    for (const auto& event : events) {
        log_process_event(now, event);
        std::visit([&](const auto& content) { step(now, content); }, event);
    }
    for (const auto& answer : readings_.collect()) {
        send(answer);
    }
    if (std::exchange(is_to_shut_down_, false)) {
        shut_down(now);
    }
    if (now >= observation_due_) {
        check_host(now);
    }
    if (now >= core_.next_deadline()) {
        step(now, AgentWake{});
    }
    return now;
}

bool AgentServer::receive(Instant now, net::Dealer& dealer, std::size_t link) {
    const auto receipt = dealer.receive(received_);
    if (receipt != net::Receipt::message) {
        return receipt != net::Receipt::nothing;
    }
    if (links_.take_over(dealer)) {  // The leader answers each new connection.
        use_tried_keys(now);
    }
    Result<void> sound = codec::check_version(received_[0]);
    if (sound && received_.size() != 2) {
        sound = fail(Errc::malformed, "a message is the version frame and one frame more");
    }
    if (sound) {
        sound = codec::decode(received_[1], from_coordinator_.message);
    }
    if (sound) {
        if (std::holds_alternative<Welcome>(from_coordinator_.message)) {
            links_.set_leading(link);
        }
        judge_starts(from_coordinator_.message);
        log_message(now, from_coordinator_.message);
        step(now, from_coordinator_);
    } else {
        ++undecodable_;
        if (received_.size() == 2 && codec::decode_reply(received_[1])) {
            sound = fail(Errc::unreachable,
                         links_.endpoint_of(link) +
                             " is the coordinator's endpoint for operators, not for agents; "
                             "by default it listens to agents at tcp://127.0.0.1:7700");
        }
        log::write(complaints_, now, log::Level::warn, "message of the coordinator ignored",
                   {{"code", to_string(sound.error().code)}, {"reason", sound.error().detail}});
    }
    return true;
}

// Only the shell knows what a spec means on this host: users, links and programs.
void AgentServer::judge_starts(CoordinatorMessage& message) {
    auto* const batch = std::get_if<Batch>(&message);
    if (batch == nullptr) {
        return;
    }
    const OpenedSecrets secrets = executor_.vault().open(batch->secrets);
    batch->secrets.clear();  // The core needs none.
    std::map<std::pair<std::string, Digest>, const TaskSpec*> sent;
    for (const SpecVersion& version : batch->specs) {
        if (validate({.name = version.task, .instances = 1, .spec = version.spec})) {
            sent[{version.task, digest_of(version.spec)}] = &version.spec;
        }
    }
    for (Start& start : batch->starts) {
        const auto found = sent.find({start.id.task, start.digest});
        const TaskSpec* const spec =
            found != sent.end() ? found->second : core_.find_spec(start.id, start.digest);
        if (spec != nullptr) {
            start.objection =
                executor_.objection_to_start(start.id, start.generation, *spec).value_or("");
        }
        if (spec != nullptr && start.objection.empty()) {
            start.objection = executor_.vault().keep(start, *spec, secrets).value_or("");
        }
    }
    if (executor_.vault().size() > secrets_kept) {
        forget_old_secrets(*batch);
    }
}

// A start that was not obeyed leaves its secrets behind.
void AgentServer::forget_old_secrets(const Batch& batch) {
    std::set<InstanceId> used;
    for (const auto& instance : core_.instances()) {
        used.insert(instance.report.id);
    }
    for (const Start& start : batch.starts) {
        used.insert(start.id);
    }
    executor_.vault().forget_but(used);
}

// ---- local requests ----

bool AgentServer::receive_local() {
    net::Envelope from;
    const auto receipt = local_.receive(from, received_);
    const bool shows_itself = receipt == net::Receipt::probe && !from.delimited;
    if (receipt != net::Receipt::nothing && !shows_itself) {
        const bool reads = unread_.of(from.route) <= limits::unread_bytes;
        static_cast<void>(local_.send(
            from, {},
            reads ? answer_to(received_)
                  : local_error(
                        {Errc::busy, "read the answers to your earlier requests, then ask again"}),
            unread_.meter_of(from.route)));
    }
    return receipt != net::Receipt::nothing;
}

std::string AgentServer::answer_to(const net::Message& message) {
    if (message.size() != 1) {
        ++undecodable_;
        return local_error({Errc::malformed, "a request is one frame: a verb or a JSON object"});
    }
    const auto request = local_request(message[0]);
    if (!request) {
        ++undecodable_;
        return local_error(request.error());
    }
    switch (request->verb) {
        case LocalRequest::Verb::help: return local_help();
        case LocalRequest::Verb::list: return local_list(processes());
        case LocalRequest::Verb::status:
            return local_status({.name = settings_.name,
                                 .version = settings_.version,
                                 .coordinator = links_.endpoint(),
                                 .led = core_.led(now_),
                                 .life = life_,
                                 .memory = core_.memory(),
                                 .undecodable = undecodable_},
                                processes());
        case LocalRequest::Verb::stop_all:
            // After the answer, because the end may come at once.
            is_to_shut_down_ = true;
            return local_stop_all(core_.instances().size());
        case LocalRequest::Verb::log_level: break;
    }
    const auto level = log::parse_level(request->level);
    if (!level) {
        return local_error(level.error());
    }
    log::set_level(*level);
    return local_level(log::to_string(*level));
}

std::vector<LocalProcess> AgentServer::processes() const {
    std::vector<LocalProcess> all;
    for (auto& instance : core_.instances()) {
        const int pid = instance.process.pid;
        all.push_back({std::move(instance.report), pid == 0 ? std::nullopt : std::optional{pid}});
    }
    return all;
}

// ---- the core ----

void AgentServer::step(Instant now, const AgentInput& input) {
    carry_out(now, core_.step(now, input));
    log_readiness();
}

void AgentServer::carry_out(Instant now, AgentOutput output) {
    if (output.remember) {
        disk_.write(*output.remember);
    }
    if (output.journal) {
        disk_.write(std::move(*output.journal));
    }
    for (const auto& release : output.processes.releases) {
        executor_.release(release);
    }
    for (const auto& ask : output.processes.asks) {
        executor_.ask(now, ask);
    }
    for (const auto& renewal : output.processes.renewals) {
        executor_.renew(renewal);
    }
    for (const auto& end : output.processes.ends) {
        executor_.end(end);
    }
    for (const auto& signal : output.signals) {
        executor_.signal(signal.process, signal.number);
    }
    for (const auto& instance : output.left) {
        executor_.forget(instance);
    }
    for (const auto* orders : {&output.processes.spawns, &output.checks}) {
        for (const auto& spawn : *orders) {
            log::debug("starting",
                       {{"instance", to_string(spawn.id)}, {"generation", raw(spawn.generation)}});
            names_.insert_or_assign(spawn.process, spawn.id);
            executor_.spawn(spawn);
        }
    }
    for (auto& reading : output.readings) {
        for (const auto& answer : readings_.submit(std::move(reading))) {
            send(answer);
        }
    }
    for (const auto& message : output.messages) {
        send(message);
    }
    if (output.key) {
        carry_out(*output.key);
    }
    finished_ = finished_ || output.finished;
}

void AgentServer::send(const AgentMessage& message) {
    codec::encode(message, encoded_);
    if (std::holds_alternative<Hello>(message)) {  // It is not known who leads.
        links_.send_to_all(codec::version_frame(), encoded_);
    } else {
        links_.send(codec::version_frame(), encoded_);
    }
}

void AgentServer::check_host(Instant now) {
    if (connected_ && !core_.led(now) && now >= *connected_ + between_observations) {
        log::write(silence_, now, log::Level::warn, "no coordinator leads this agent",
                   {{"coordinator", settings_.coordinator}});
    }
    observation_due_ = now + between_observations;
    step(now, observe_host(cgroups_, net::civil_now()));
    disk_.observe();
}

// ---- the log ----

void AgentServer::log_message(Instant now, const CoordinatorMessage& message) {
    if (const auto* welcome = std::get_if<Welcome>(&message)) {
        refusals_.welcomed();
        log::info("welcomed", {{"cluster", to_string(welcome->cluster)},
                               {"epoch", raw(welcome->epoch)},
                               {"incarnation", raw(welcome->incarnation)}});
        return;
    }
    const auto* refused = std::get_if<Refused>(&message);
    if (refused == nullptr || refused->code == Errc::hello_required) {
        return;
    }
    log::write(refusals_.limit(refused->code), now, log::Level::warn,
               "refused by the coordinator, trying again",
               {{"code", to_string(refused->code)},
                {"reason", refused->detail + std::string{RefusalLog::advice(refused->code)}}});
}

void AgentServer::log_process_event(Instant now, const ProcessEvent& event) {
    const auto* failed = std::get_if<ProcessNotStarted>(&event);
    const auto* ended = std::get_if<ProcessEnded>(&event);
    if (failed == nullptr && ended == nullptr) {
        return;
    }
    const ProcessId process = failed != nullptr ? failed->process : ended->process;
    const auto name = names_.extract(process);
    if (name.empty()) {  // A process of an earlier life.
        log::write(ends_, now, log::Level::info, "a process of an earlier life ended",
                   {{"process", raw(process)}});
    } else if (!is_valid_name(name.mapped().task)) {
        log_check(failed != nullptr ? failed->detail
                                    : exit_of(ended->exit_code, ended->exit_signal));
    } else if (failed != nullptr) {
        log::write(ends_, now, log::Level::warn, "process not started",
                   {{"instance", to_string(name.mapped())}, {"reason", failed->detail}});
    } else {
        log::write(ends_, now, log::Level::info, "process ended",
                   {{"instance", to_string(name.mapped())},
                    {"exit_code", ended->exit_code},
                    {"exit_signal", ended->exit_signal}});
    }
}

// Links to shims lose nothing, so this message means a bug, or a shim that was stopped.
void AgentServer::log_restored(Instant now) {
    for (const ProcessId process : executor_.take_mended()) {
        const auto name = names_.find(process);
        log::write(mended_, now, log::Level::warn,
                   "a shim reported the state of its process only when the agent asked again",
                   {{"process", raw(process)},
                    {"instance", name == names_.end() ? "unknown" : to_string(name->second)}});
    }
}

void AgentServer::log_written(Instant now, const AgentInput& input) {
    if (!std::holds_alternative<Remembered>(input) &&
        !std::holds_alternative<RememberFailed>(input) &&
        !std::holds_alternative<Journaled>(input) &&
        !std::holds_alternative<JournalFailed>(input)) {
        return;
    }
    const auto* memory = std::get_if<RememberFailed>(&input);
    const auto* journal = std::get_if<JournalFailed>(&input);
    const bool fails = memory != nullptr || journal != nullptr;
    if (fails) {
        // A command without effect comes again, each round.
        log::write(disk_complaints_, now, log::Level::error,
                   memory != nullptr ? "memory not written" : "journal not written",
                   {{"reason", memory != nullptr ? memory->detail : journal->detail}});
    } else if (disk_fails_) {
        log::info("the disk accepts writes again");
    }
    disk_fails_ = fails;
}

void AgentServer::log_readiness() {
    if (core_.unable().empty() == is_able_) {
        return;
    }
    is_able_ = core_.unable().empty();
    if (is_able_) {
        log::info("this host takes work again");
    } else {
        log::warn("this host asks for no more work", {{"reason", core_.unable()}});
    }
}

// A check runs every second while the node is not ready, so only a new result is logged.
void AgentServer::log_check(const std::string& result) {
    if (result != checked_) {
        log::info("readiness checked", {{"result", result}});
        checked_ = result;
    }
}

}  // namespace muster::agent
