#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/hosts/control_host.hpp"
#include "sim/model/reporters.hpp"

namespace muster::sim {

/// The key of a host of this label. A host that gets new keys counts them.
[[nodiscard]] PublicKey key_of_host(std::string_view label, std::uint64_t number = 0);
/// The key of an operator of this name.
[[nodiscard]] coordinator::Caller operator_with_key(std::string_view name);

/// A whole cluster in one process on virtual time: the coordinator's core, an agent's core on each
/// host, and models of everything else: wires, disks, processes, clients of operators. Every
/// message goes through the real codec.
///
///     act (want, kill_host, cut, ...)  ->  let time pass (run, run_until)  ->  look (running,
///     trace)
///
/// The same options give the same run. Every safety checker runs after every step.
class Cluster {
public:
    explicit Cluster(const ClusterOptions& options);

    // ---- time ----

    void run(Duration duration);
    /// Lets time pass until the predicate holds, at most `limit`. The predicate is evaluated after
    /// every change. True if it held.
    template <class Predicate>
    [[nodiscard]] bool run_until(Predicate&& holds, Duration limit) {
        const Instant end = now_ + limit;
        for (std::uint64_t seen = ~world_.changes;;) {
            if (world_.changes != seen && holds()) {
                return true;
            }
            seen = world_.changes;
            if (!turn(end)) {
                return holds();
            }
        }
    }
    [[nodiscard]] Instant now() const { return now_; }

    // ---- operators: each call returns the number of its request ----

    std::size_t want(const std::string& task, std::uint32_t instances, TaskSpec spec = serving());
    std::size_t scale(const std::string& task, std::uint32_t instances) {
        return ask(TaskScaleRequest{task, instances});
    }
    std::size_t restart(const std::string& task) { return ask(TaskRestartRequest{task}); }
    std::size_t remove(const std::string& task) { return ask(TaskRemoveRequest{task}); }
    std::size_t ask(RequestBody body);
    /// By an operator who proves this key, or by a host that enrols.
    std::size_t ask(RequestBody body, const coordinator::Caller& by);
    /// The client sends its request again.
    void repeat(std::size_t question) { operators_.repeat(now_, question); }
    [[nodiscard]] const std::optional<Reply>& answer(std::size_t question) const {
        return operators_.answer(question);
    }
    [[nodiscard]] bool all_answered() const { return operators_.all_answered(); }

    // ---- hosts and their agents, by label ----

    void add_host(const std::string& label, Offer offer = {});
    /// Another machine whose agent takes the name of an existing one. Its label is NAME'.
    void add_twin(const std::string& name);
    void kill_host(std::string_view label);  ///< It loses its power without an announcement.
    void boot_host(std::string_view label) { act(label, "is booted", &AgentHost::boot, now_); }
    void scrap_host(std::string_view label);     ///< It loses its power forever.
    void crash_agent(std::string_view label);    ///< Its processes keep running.
    void restart_agent(std::string_view label);  ///< It ends leftovers, then sends hello.
    void stop_agent(std::string_view label);     ///< It stops its processes and leaves.
    void leave_agent(std::string_view label);    ///< Its instances keep running.
    void kill_shim(std::string_view label);      ///< Of its oldest process, if there is one.
    void pause_agent(std::string_view label);
    void resume_agent(std::string_view label);
    /// Pauses the whole host, like a virtual machine.
    void halt_host(std::string_view label);
    void resume_host(std::string_view label) { act(label, "resumes", &AgentHost::go_on, now_); }
    void lose_disk(std::string_view label);  ///< Of an agent that does not run.
    /// The offer that its agent sends from its next life on.
    void set_offer(std::string_view label, Offer offer);
    void set_ready(std::string_view label, bool ready);  ///< The result of its readiness check.
    void set_full(std::string_view label, bool full);    ///< What its agent observes of its disk.
    void break_spawns(std::string_view label, bool broken);  ///< No process can be created there.
    void break_disk(std::string_view label, bool broken);    ///< Its agent cannot write.
    /// From now on its civil clock is this far ahead of the true time; behind if negative.
    void set_clock(std::string_view label, Duration ahead);
    /// True if the storage of this exclusive instance accepts writes of its process there.
    [[nodiscard]] bool can_write(std::string_view label, const InstanceId& id);
    /// A process ends by itself, now or as soon as its agent knows that it began. False if the
    /// instance does not run.
    bool end_process(const InstanceId& id, std::int32_t exit_code);

    // ---- keys, if `coordinator.keys` is set ----

    /// Another host; no operator has admitted its key.
    void add_stranger(const std::string& label) { add(label, label, {}); }
    /// An operator admits the key that the host has now, for this long; 0: for ever.
    std::size_t admit(std::string_view label, Duration valid = {});
    /// An operator frees the name of the host, then admits its present key.
    void admit_anew(std::string_view label);
    std::size_t revoke(const std::string& name) { return ask(KeyRevokeRequest{name, {}}); }
    /// From now on the host proves this key. It connects again.
    void set_key(std::string_view label, const PublicKey& key);
    /// It sends a hello with another node's name and everything else true.
    void steal_name(std::string_view label, const std::string& name);
    /// Another machine with a copy of this host's directory, key included. Its label is NAME'.
    void clone_host(const std::string& name);
    /// Whether its key is admitted under its name now, or none is needed.
    [[nodiscard]] bool is_key_admitted(HostIndex host) const;
    /// The same, and its key has no end.
    [[nodiscard]] bool is_admitted_for_ever(HostIndex host) const;

    // ---- the wires ----

    void partition(std::string_view label);
    void cut(std::string_view label, Side to);  ///< In one direction: nothing reaches that side.
    void heal(std::string_view label);
    void reset_link(std::string_view label);
    /// Each message to or from the host takes this much longer, until it is healed.
    void lag(std::string_view label, Duration longer);
    /// The last batch of this host, or the one `back` before it, arrives again.
    void replay_batch(std::string_view label, std::size_t back = 0);

    /// Delivers a message that no coordinator sent, in the agent's present session.
    void forge(std::string_view label, const CoordinatorMessage& message);
    /// Delivers a message to the coordinator that this host's agent did not send, in the same way.
    void forge_from(std::string_view label, const AgentMessage& message);
    /// From now on its agent falsifies all reports.
    void set_falsification(std::string_view label, ReportFalsification manner);

    // ---- the coordinator and its store ----

    void crash_coordinator();
    void restart_coordinator();
    void pause_coordinator();
    void resume_coordinator();
    void set_coordinator_clock(Duration ahead);
    void fail_store() { world_.store.fail_next(); }
    /// The process dies at its commit with this number. Whether the commit is durable is random.
    void crash_at_commit(std::uint64_t number) { crash_at_commit_ = number; }
    [[nodiscard]] std::uint64_t commits() const { return world_.store.commits(); }
    [[nodiscard]] const coordinator::StoreImage& store() const { return world_.store.durable(); }
    /// While no coordinator runs: an older image, or new_store() of another cluster.
    void replace_store(coordinator::StoreImage image);

    // ---- several coordinators: c1, c2, ... by number from 0, and their store in etcd ----

    [[nodiscard]] std::uint32_t coordinators() const {
        return static_cast<std::uint32_t>(controls_.size());
    }
    [[nodiscard]] const ControlHost& control(std::uint32_t number) const {
        return *controls_.at(number);
    }
    /// The one that leads, as far as it knows; of two that believe so, the later. Nobody: the
    /// first.
    [[nodiscard]] const ControlHost& leading() const;
    [[nodiscard]] std::uint32_t leading_number() const;
    void crash_coordinator(std::uint32_t number);
    void restart_coordinator(std::uint32_t number);
    void pause_coordinator(std::uint32_t number);
    void resume_coordinator(std::uint32_t number);
    /// It ends its leadership, and its lease with it.
    void resign_coordinator(std::uint32_t number);
    void cut_from_etcd(std::uint32_t number);
    void heal_to_etcd(std::uint32_t number);
    void stop_etcd();
    void start_etcd();
    void slow_etcd(Duration most);
    void lose_etcd_messages(std::uint32_t per_mille);
    void compact_etcd();

    // ---- pools, if `coordinator.providers` has the provider `sim` ----

    /// From now on this reporter repeats that it needs so much of the pool.
    void need(const std::string& reporter, const std::string& pool, std::uint64_t amount) {
        reporters_.need(now_, reporter, pool, amount);
    }
    void silence_reporter(const std::string& name) { reporters_.silence(now_, name); }
    void set_provider_faults(const ProviderFaults& faults) { world_.provider.set_faults(faults); }
    /// The nodes that the provider makes for this pool offer this from now on.
    void set_pool_offer(const std::string& pool, Offer offer);
    /// The provider loses this node: its host is gone, and it is not listed.
    void vanish(const std::string& node);
    [[nodiscard]] bool is_provided(const std::string& node) const {
        return world_.provider.find(node) != nullptr;
    }
    /// What `pool show` says. Nothing: no coordinator runs, or it knows no such pool.
    [[nodiscard]] std::optional<PoolShowReply> pool(const std::string& name);
    [[nodiscard]] std::optional<PoolMembersReply> members(const std::string& pool);
    /// The nodes of this pool that truly get work.
    [[nodiscard]] std::vector<std::string> serving_in(const std::string& pool) const;
    /// P2, P5: after heal_all() and with constant demand each pool gets the size that it should
    /// have within its bound, and then changes no more. Adds a violation otherwise.
    [[nodiscard]] bool pools_settle();

    // ---- the end of all faults ----

    /// Ends all faults of this host, and brings the coordinator back.
    void mend(std::string_view label) {
        repair_host(label);
        repair_coordinator();
    }
    void repair_host(std::string_view label);
    void repair_coordinator();
    /// Everything works, runs and is connected again. Random faults end.
    void heal_all();
    /// L1: after heal_all(), the actual state becomes the wanted state within its bound, and stays
    /// so. Adds a violation otherwise.
    [[nodiscard]] bool converges();
    /// The same while a host is byzantine, for the instances that other hosts could run. An
    /// exclusive instance may wait for the byzantine host, because it is not known what runs there.
    [[nodiscard]] bool serves_beside_byzantine_hosts();

    // ---- looking ----

    /// Every request is answered, and the hosts in reach run exactly what is wanted.
    [[nodiscard]] bool converged() const { return differences().empty(); }
    [[nodiscard]] std::vector<std::string> differences() const;
    /// The fewest and the most processes on a host that gets work. Both 0: there is no such host.
    [[nodiscard]] std::pair<std::size_t, std::size_t> loads() const;
    /// No host in reach runs two processes more than another one.
    [[nodiscard]] bool balanced() const;
    /// The coordinator's own status of the cluster. Nothing: none runs, or it is paused.
    [[nodiscard]] std::optional<StatusReply> status();
    [[nodiscard]] std::size_t running(const std::string& task) const;
    [[nodiscard]] std::size_t running_on(std::string_view label) const {
        return world_.truth.on(find(label)).size();
    }
    [[nodiscard]] bool in_reach(std::string_view label) const { return in_reach(find(label)); }
    /// How often its coordinators declared a node lost or suspended it.
    [[nodiscard]] std::size_t suspicions() const { return world_.suspicions; }
    /// As its coordinator reported last.
    [[nodiscard]] bool is_frozen() const { return world_.frozen; }
    [[nodiscard]] std::vector<std::string> labels() const;
    [[nodiscard]] const AgentHost& host(std::string_view label) const;
    [[nodiscard]] const AgentHost& host(HostIndex host) const { return *agents_[raw(host)]; }
    [[nodiscard]] HostIndex find(std::string_view label) const;
    [[nodiscard]] bool in_reach(HostIndex host) const;
    /// True if the host takes part and gets new work.
    [[nodiscard]] bool is_open(HostIndex host) const;
    /// True if the host's pool (perhaps set by operators) and labels meet the rule.
    [[nodiscard]] bool meets(HostIndex host, const PlacementRule& rule) const;
    [[nodiscard]] std::string pool_of(HostIndex host) const;
    /// From now on the observer gets everything. It must outlive the cluster.
    void set_observer(Observer& observer) { world_.checkers.set_observer(observer); }
    [[nodiscard]] const World& world() const { return world_; }
    [[nodiscard]] bool coordinator_is_up() const { return leading().is_up(); }
    [[nodiscard]] bool coordinator_is_paused() const { return leading().is_paused(); }
    [[nodiscard]] const Truth& truth() const { return world_.truth; }
    [[nodiscard]] Trace& trace() { return world_.trace; }
    /// Broken promises, with the seed and the end of the trace.
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

private:
    bool turn(Instant end);
    void apply(Delivery& delivery);
    void apply(const ConnectTry& attempt);
    void apply(const SessionEnd& ended);
    void apply(const CutNoticed& noticed) { world_.network.cut_noticed(now_, noticed); }
    void apply(const CoordinatorDue& due) { controls_[due.control]->wake(now_, due.life); }
    void apply(const CoordinatorStart& start) { controls_[start.control]->begin(now_, start.life); }
    void apply(const CoordinatorSilent& silent) {
        controls_[silent.control]->silent(now_, silent.pause);
    }
    void apply(const ElectionDue& due) { controls_[due.control]->election_due(now_, due.life); }
    void apply(const EtcdDue& due);
    void apply(const EtcdLeaseDue& due) { etcd_->end_lease(now_, due); }
    void apply(const ProviderDue& due);
    void apply(const ProvidedNodeDue& due);
    void apply(const ReporterDue& due) { reporters_.due(now_, due); }
    void apply(const CommitDone& done);
    void apply(const AgentDue& due) { at(due.host).wake(now_, due.life); }
    void apply(const AgentStart& start) { at(start.host).begin(now_, start.life); }
    void apply(const DiskDone& done) { at(done.host).written(now_, done); }
    void apply(const SpawnDone& done) { at(done.host).spawned(now_, done); }
    void apply(const CheckDone& done) { at(done.host).checked(now_, done); }
    void apply(const LeaseDue& due) { at(due.host).lease_due(now_, due); }
    void apply(const ProcessDone& done);
    void apply(const RequestArrives& request);
    void apply(const ReplyArrives& reply) { operators_.on_reply(now_, reply); }
    void apply(const ClientRetry& retry) { operators_.retry(now_, retry); }

    void add(std::string label, std::string agent_name, Offer offer);
    void end_gone_nodes();
    void accept_listings();
    /// What is wrong with the size of a pool. Empty: nothing.
    [[nodiscard]] std::string fault_of(const coordinator::StoredPool& pool) const;
    /// Why the pools have not settled; empty: they may have.
    [[nodiscard]] std::string unsettled_pool() const;
    [[nodiscard]] std::string decisions_of_pools();
    [[nodiscard]] std::uint64_t amount_of(HostIndex host, const PoolSpec& spec) const;
    [[nodiscard]] std::uint64_t wanted_of(const coordinator::StoredPool& pool) const;
    void enrol_first_hosts();
    [[nodiscard]] ControlHost& leader() { return *controls_[leading_number()]; }
    [[nodiscard]] AgentHost& at(HostIndex host) { return *agents_[raw(host)]; }
    void note(std::string_view label, std::string_view what);
    /// Applies a fault or an operation to a host.
    template <class... Arguments>
    void act(std::string_view label, std::string_view what, void (AgentHost::*does)(Arguments...),
             Arguments... arguments) {
        note(label, what);
        (at(find(label)).*does)(arguments...);
        collect_violations();
    }
    void collect_violations();
    void violated(const Violation& violation);
    template <class AtRest, class Exempt>
    [[nodiscard]] bool stays_at_rest(std::int64_t bound, AtRest is_at_rest, Exempt is_exempt);
    [[nodiscard]] bool is_at_rest() const;
    [[nodiscard]] std::vector<std::string> missing_beside_byzantine_hosts() const;
    [[nodiscard]] bool is_restarting() const;
    [[nodiscard]] std::int64_t rounds_to_converge() const;
    void end_freeze();
    [[nodiscard]] bool is_exempt() const;
    /// Exclusive instances may wait until a lease from the time of faults is over.
    [[nodiscard]] bool may_wait_for_lease() const;
    [[nodiscard]] bool is_halted_for_good(const coordinator::StoredTask& task) const;
    [[nodiscard]] bool is_held_up(const coordinator::StoredTask& task) const;
    [[nodiscard]] bool may_move_all() const;
    void compare(const coordinator::StoredTask& task, std::vector<std::string>& differences) const;
    void compare_place(HostIndex host, const coordinator::StoredTask& task,
                       std::vector<std::string>& differences) const;
    void compare_starts(std::vector<std::string>& differences) const;

    // Where instances may run.
    [[nodiscard]] std::vector<HostIndex> hosts() const;
    [[nodiscard]] coordinator::Intent intent_for(HostIndex host) const;
    [[nodiscard]] bool is_admitted(HostIndex host) const;
    [[nodiscard]] bool has_room(HostIndex host, const coordinator::StoredTask& task) const;
    [[nodiscard]] bool may_take(HostIndex host, const coordinator::StoredTask& task) const;
    /// True if the balance treats all tasks and hosts equally.
    [[nodiscard]] bool is_uniform() const;

    World world_;
    Operators operators_;
    Reporters reporters_{world_, operators_};
    std::map<std::string, Offer> pool_offers_;  ///< Of nodes that the provider makes.
    std::vector<std::unique_ptr<AgentHost>> agents_;
    std::optional<EtcdModel> etcd_;  ///< Of several coordinators.
    std::vector<std::unique_ptr<ControlHost>> controls_;
    Instant now_ = origin;
    std::uint64_t turns_at_once_ = 0;
    std::uint64_t crash_at_commit_ = 0;
    Instant healed_ = origin;
    std::vector<std::string> violations_;
};

}  // namespace muster::sim
