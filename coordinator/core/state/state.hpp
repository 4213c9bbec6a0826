#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/message.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/events/event_log.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/ledger/cluster_limits.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/ledger/proposed.hpp"
#include "coordinator/core/ledger/requests.hpp"
#include "coordinator/core/ledger/settings.hpp"
#include "coordinator/core/liveness/freeze.hpp"
#include "coordinator/core/liveness/own_health.hpp"
#include "coordinator/core/liveness/recovery.hpp"
#include "coordinator/core/liveness/terms.hpp"
#include "coordinator/core/membership/hello.hpp"
#include "coordinator/core/membership/refusals.hpp"
#include "coordinator/core/nodes/deadlines.hpp"
#include "coordinator/core/nodes/lifecycle.hpp"
#include "coordinator/core/nodes/nodes.hpp"
#include "coordinator/core/operators/errands.hpp"
#include "coordinator/core/operators/intent_changes.hpp"
#include "coordinator/core/operators/waits.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/planning/counters.hpp"
#include "coordinator/core/planning/dispatch/commands.hpp"
#include "coordinator/core/planning/history.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/planning/watch.hpp"
#include "coordinator/core/queries/headcount.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/suspension/penalties.hpp"
#include "coordinator/core/workload/leases.hpp"
#include "coordinator/core/workload/placements.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// What the coordinator is made of, and how its parts act on each other. By file:
///
///     coordinator.cpp   the main flow
///     membership.cpp    who speaks: hello, goodbye, route
///     reports.cpp       what agents report
///     away.cpp          losses, goodbyes, records that are forgotten
///     suspensions.cpp   what counts against a node, and what comes of it
///     freezing.cpp      mass silence, by which nobody is lost
///     rounds.cpp        terms, plans
///     operators*.cpp    what operators ask, by subject
///     store_accept.cpp  the same, of what the nodes ahead know
///     persist.cpp       what the store is given
///     effects.cpp       what follows once it is durable
///     views.cpp         what operators read
///     stats.cpp         what monitors read
///     explain.cpp       why it is so
///     reasons.cpp       why instances are unplaced, node by node
struct State {
    State(Instant now, CoordinatorOptions given, const StoreImage& image);

    struct Asked;

    // ---- inputs ----
    void apply(Instant now, const FromAgent& input, Output& output);
    void apply(Instant now, const SessionClosed& input, Output& output);
    void apply(Instant now, const Undecodable& input, Output& output);
    void apply(Instant now, const FromOperator& input, Output& output);
    void apply(Instant now, const Persisted& input, Output& output);
    void apply(Instant now, const StoreFailed& input, Output& output);
    void apply(Instant now, const OwnSockets& input, Output& output);
    void apply(Instant now, const CivilTime& input, Output& output);
    void apply(Instant now, const Wake& input, Output& output);

    /// Leadership is over: whoever asks still gets an answer.
    static void turn_away(const Input& input, Output& output);

    // ---- who speaks ----
    void hear(Instant now, Session session, const Hello& hello, Output& output);
    void hear(Instant now, Session session, const Goodbye& goodbye, Output& output);
    void welcome(Instant now, NodeIndex index, Session session, const Hello& hello, Output& output);
    void send_welcome(NodeIndex index, Output& output);
    void contest(Instant now, NodeIndex index, Session other, Output& output);
    void refuse(Session session, Errc code, std::string detail, Output& output) const;
    void close_route(Session session);
    /// Of a name of which nothing is decided, or told by the caller.
    NodeIndex add_record(std::string_view name);
    NodeIndex add_node(Instant now, std::string_view name);
    void remove_node(NodeIndex index);
    void mark_ahead(Instant now, NodeIndex index, const std::string& why);
    /// The only way by which a fact of the table of transitions changes: an event with its cause,
    /// and a count. `until`: of a penalty that begins.
    void change(Instant now, NodeIndex index, NodeChange what, std::string cause,
                std::optional<Instant> until = {});

    // ---- what agents report ----
    void hear(Instant now, Session session, const Report& report, Output& output);
    void hear(Instant now, Session session, const Ack& ack, Output& output);
    void hear(Instant now, Session session, const LogPiece& piece, Output& output);
    void hear(Instant now, Session session, const Signalled& signalled, Output& output);
    void hear(Instant now, Session session, const Measured& measured, Output& output);
    void hear(Instant now, Session session, const ErrandFailed& failed, Output& output);
    /// Applies what a report says of instances. True: what we hold is now what the agent has.
    bool take_in(Instant now, NodeIndex index, const Report& report);
    void took_in(Instant now, NodeIndex index, const Report& report, const Applied& applied);
    void answered(Instant now, NodeIndex index, const Report& report);
    void judge_readiness(Instant now, NodeIndex index);

    // ---- who is away ----
    /// Polls missed in a row that make a node lost, at present.
    [[nodiscard]] std::uint32_t miss_limit() const { return options.lost_after * own.patience(); }
    /// While recovery runs: whether a node that is ahead ever reports is not waited for.
    void settle_ahead(Instant now);
    /// Of these, whoever has missed as many polls as the limit; as many at once as the rate allows.
    void decide_losses(Instant now, std::span<const NodeIndex> away, std::uint32_t limit);
    void pass_over(NodeIndex index);
    void give_up_silent(Instant now);
    /// Its loss may start something elsewhere.
    [[nodiscard]] bool may_bear_work(NodeIndex index) const;
    void lose(Instant now, NodeIndex index, std::string why);
    /// Sets the deadline that ends its absence, if it is away.
    void expect_return(Instant now, NodeIndex index);
    void meet_deadlines(Instant now, Output& output);
    void end_goodbye(Instant now, NodeIndex index);
    /// No copy on it counts, and nothing is on its way there.
    [[nodiscard]] bool bears_nothing(NodeIndex index) const;
    /// Its record stays, however long it is lost.
    [[nodiscard]] bool is_kept(NodeIndex index) const;
    void forget(NodeIndex index, NodesWritten& written);
    /// Nodes that came without being listed.
    [[nodiscard]] std::size_t joiners() const { return nodes.count() - intents.listed(); }
    /// No more can come without being listed.
    [[nodiscard]] bool is_full() const;
    [[nodiscard]] std::string why_full(const std::string& name) const;
    /// Where no more can come, who is lost makes room soon.
    void make_room(Instant now);

    // ---- mass silence ----
    /// With one more miss it may be lost.
    [[nodiscard]] bool is_silent(const Node& node) const;
    /// Neither lost nor gone, but silent: what it runs is as it said last.
    [[nodiscard]] bool is_overdue(const Node& node) const {
        return !coordinator::is_lost(node) && is_silent(node);
    }
    /// It said goodbye, and what it left behind counts as long as it may return.
    [[nodiscard]] bool may_return(const Node& node) const {
        return node.gone && node.leaves_work && !node.lost;
    }
    /// Its silence may begin a freeze.
    [[nodiscard]] bool is_judged(NodeIndex index) const;
    void count_in(NodeIndex index, Census& seen) const;
    [[nodiscard]] Census census() const;
    /// How it would be if these were silent, too.
    [[nodiscard]] PlannedFreeze freeze_with(const std::set<NodeIndex>& failing) const;
    void judge_freeze(Instant now, const ClosedTerm& term);
    void begin_freeze(Instant now, std::string why);
    /// The silent are forgiven what they missed, or given up.
    void end_freeze(Instant now, bool gives_up, std::string why);
    void pass_over_silent(const ClosedTerm& term);
    /// As an operator left it.
    void restore_freeze();
    void change_freeze(const Asked& asked, const Occasion& why, FreezeSet written);
    [[nodiscard]] FreezeView freeze_view() const;
    [[nodiscard]] FreezeView freeze_view(const Census& seen) const;
    [[nodiscard]] static std::string freeze_alarm(const FreezeView& view);

    // ---- who misbehaves ----
    void count_against(Instant now, NodeIndex index, Misdeed misdeed);
    void count_silence(Instant now, const ClosedTerm& term);
    /// What an answer says of its host and of the orders it was given.
    void count_answer(Instant now, NodeIndex index, const Report& report);
    void suspend(Instant now, NodeIndex index, Misdeed last);
    void end_penalty(Instant now, NodeIndex index, NodeChange how, std::string why);
    void forgive(Instant now, NodeIndex index, std::string why);
    /// What an operator's request to forgive does.
    [[nodiscard]] Result<IntentsWritten> pardons(Instant now,
                                                 const NodeForgiveRequest& request) const;
    /// Ends its penalty, if one runs, and forgets all that led to it.
    void pardon(Instant now, NodeIndex index, const std::string& why);

    // ---- terms and plans ----
    void note_own_pause(Instant now);
    void close_term(Instant now, const ClosedTerm& term, Output& output);
    void end_recovery(Instant now);
    /// Whether all that runs on it is to run elsewhere.
    [[nodiscard]] std::optional<Evacuation> evacuation_of(const Node& node) const;
    /// Store and placements learn of every node of which a fact has changed.
    void bring_up_to_date(Output& output);
    [[nodiscard]] std::optional<Scope> planning_due(Instant now);
    void order(Instant now, const Plan& plan, Output& output);
    /// Puts leases into the polls and starts that leave with this step.
    void grant_leases(Instant now, Output& output);
    /// What it runs may run on while nobody sees it.
    void hold_all_on(NodeIndex index);
    /// Tells what came of a term and of the tasks on their way.
    void announce(Instant now, const ClosedTerm& term, std::size_t moves);
    void answer_waits(Instant now, Output& output);

    // ---- what operators ask ----
    /// One request on its way through the core.
    struct Asked {
        Instant now;
        Ticket ticket{};
        const Request& request;
        Output& output;
    };
    static void answer(const Asked& asked, Result<ReplyBody> result);
    void ask(const Asked& asked, const HelpRequest& request);
    void ask(const Asked& asked, const PingRequest& request);
    void ask(const Asked& asked, const StatusRequest& request);
    void ask(const Asked& asked, const StatsRequest& request);
    void ask(const Asked& asked, const ReportedRequest& request) const;
    void ask(const Asked& asked, const NodeListRequest& request) const;
    void ask(const Asked& asked, const NodeShowRequest& request) const;
    void ask(const Asked& asked, const TaskListRequest& request) const;
    void ask(const Asked& asked, const TaskShowRequest& request) const;
    void ask(const Asked& asked, const GroupListRequest& request) const;
    void ask(const Asked& asked, const GroupShowRequest& request);
    void ask(const Asked& asked, const EventsRequest& request) const;
    void ask(const Asked& asked, const WaitRequest& request);
    void ask(const Asked& asked, const TermNowRequest& request);
    void ask(const Asked& asked, const LogLevelRequest& request);
    void ask(const Asked& asked, const ExplainRequest& request) const;
    void ask(const Asked& asked, const PlanRequest& request) const;
    void ask(const Asked& asked, const RebalanceRequest& request);
    void ask(const Asked& asked, const ApplyRequest& request);
    void ask(const Asked& asked, const TaskAddRequest& request);
    void ask(const Asked& asked, const TaskRemoveRequest& request);
    void ask(const Asked& asked, const TaskScaleRequest& request);
    void ask(const Asked& asked, const TaskRestartRequest& request);
    void ask(const Asked& asked, const StoreAcceptRequest& request);
    /// A label that is asked for anew and that no node has, though it is known what they have.
    [[nodiscard]] std::optional<Error> unknown_label_in(std::span<const WantedTask> tasks) const;
    void ask(const Asked& asked, const NodeOfflineRequest& request);
    void ask(const Asked& asked, const NodeOnlineRequest& request);
    void ask(const Asked& asked, const NodeDrainRequest& request);
    void ask(const Asked& asked, const NodeForgiveRequest& request);
    void ask(const Asked& asked, const NodeAddRequest& request);
    void ask(const Asked& asked, const NodeRemoveRequest& request);
    void ask(const Asked& asked, const NodeApplyRequest& request);
    void ask(const Asked& asked, const LimitListRequest& request);
    void ask(const Asked& asked, const LimitSetRequest& request);
    void ask(const Asked& asked, const FreezeShowRequest& request);
    void ask(const Asked& asked, const FreezeOnRequest& request);
    void ask(const Asked& asked, const FreezeOffRequest& request);
    void ask(const Asked& asked, const LogsRequest& request);
    void ask(const Asked& asked, const TaskSignalRequest& request);
    void ask(const Asked& asked, const UsageRequest& request);
    /// For a node that is to be asked; nothing: it cannot be.
    [[nodiscard]] std::optional<ErrandStamp> stamp_for(Errands::Request& request, NodeIndex index);
    [[nodiscard]] Result<InstanceId> instance_meant(const std::string& text) const;
    /// Where its log is; an empty name: wherever it is.
    [[nodiscard]] Result<NodeIndex> home_of_log(const InstanceId& id,
                                                const std::string& node) const;
    /// Who is to get a signal, as if nobody answered.
    [[nodiscard]] Result<std::vector<SignalView>> signalled(const std::string& pattern) const;
    void say_of_signals(Errands::Request& request, NodeIndex index,
                        const std::string& detail) const;
    /// That waits for this answer; null: none does.
    [[nodiscard]] Errands::Request* request_of(Session session, const ErrandStamp& stamp);
    /// As it is, or as it will be with this text.
    [[nodiscard]] LimitView limit_view(const ClusterLimit& limit, std::string_view text) const;
    /// Moves of a term where operators set no limit.
    [[nodiscard]] std::uint32_t usual_moves() const;
    /// Any of the requests that change tasks.
    template <class Request>
    void change(const Asked& asked, const Request& request, bool dry_run = false);
    /// Any of the requests that change what operators want of nodes.
    template <class Request>
    void change_intents(const Asked& asked, const Request& request, bool dry_run = false);
    [[nodiscard]] Fleet fleet(Instant now) const;
    /// The Meta after taking over what the nodes ahead know, and who of them is left out; an error
    /// if that makes no sense.
    [[nodiscard]] Result<void> take_over(std::vector<AheadNode>& ahead, Meta& after) const;

    // ---- what operators want of nodes ----
    /// The record takes over what is durable of its name.
    void load_intent(Instant now, NodeIndex index);
    /// Takes over what a node says it offers, in the pool that the list says.
    void take_offer(NodeIndex index, Offer said);
    /// What it said, without the list.
    [[nodiscard]] Offer own_offer(NodeIndex index) const;
    /// A row took effect. `drained`: by our own decision, for nothing runs there any more.
    void adopt(Instant now, const StoredIntent& row, bool drained);
    void retire(Instant now, const std::string& name, std::string cause, Output& output);
    /// Keeps or ends the drain, and its deadline, as the row says.
    void watch_drain(Instant now, NodeIndex index, const StoredIntent& row);
    void tell_overdue(Instant now, NodeIndex index);
    /// Ends the drains of nodes that report nothing that runs.
    void settle_drains(Instant now, Output& output);
    [[nodiscard]] DrainView drain_of(Instant now, NodeIndex index) const;
    /// What is still on a node that is to be left, and what keeps it.
    void add_blockers(NodeIndex index, std::vector<DrainBlocker>& to) const;
    /// Why a name may not join; empty if it may.
    [[nodiscard]] std::string why_unwelcome(const std::string& name) const;
    /// True: the name may not join, and its agent was told so.
    [[nodiscard]] bool turns_away(Instant now, Session session, const std::string& name,
                                  Output& output);

    // ---- what the store is given ----
    /// True if the request needs no more: a retry, or one that cannot be taken.
    [[nodiscard]] bool settle_by_id(const Asked& asked);
    /// What a change does becomes durable, and is answered then; a dry run is only answered.
    template <class Written>
    void settle_change(const Asked& asked, Result<Written> written, bool dry_run);
    /// The answer to a change that cannot be made, kept for its id if it would be the same again.
    void refuse_change(const Asked& asked, Error error, bool dry_run);
    /// Makes an answer durable, with what follows from it; it is given only then.
    void persist_answer(const Asked& asked, PendingWrite write);
    /// Later changes are checked against the world after this one.
    void propose(const PendingWrite& write);
    void persist_nodes(NodesWritten written, Output& output);
    void persist_intents(IntentsWritten written, Output& output);
    void take_effect(Instant now, const std::monostate& nothing, Output& output);
    void take_effect(Instant now, const TasksWritten& written, Output& output);
    void take_effect(Instant now, const NodesWritten& written, Output& output);
    void take_effect(Instant now, const StoreAccepted& accepted, Output& output);
    void take_effect(Instant now, const IntentsWritten& written, Output& output);
    void take_effect(Instant now, const SettingsWritten& written, Output& output);
    void take_effect(Instant now, const FreezeSet& written, Output& output);

    // ---- reads ----
    [[nodiscard]] StatusReply status(Instant now);
    [[nodiscard]] StatsReply stats(Instant now);
    [[nodiscard]] Result<ReplyBody> reported(const std::string& pattern) const;
    [[nodiscard]] Result<ReplyBody> list_nodes(Instant now, const std::string& pattern) const;
    [[nodiscard]] Result<ReplyBody> show_node(Instant now, const std::string& name) const;
    [[nodiscard]] ConductView conduct_of(Instant now, NodeIndex index) const;
    [[nodiscard]] Result<ReplyBody> list_tasks(const std::string& pattern) const;
    [[nodiscard]] Result<ReplyBody> show_task(Instant now, const std::string& name) const;
    /// A copy as it is shown, with what is known of its node alone.
    void add_node_note(Instant now, bool exclusive, InstanceView& instance) const;
    [[nodiscard]] NodeView view_of(Instant now, NodeIndex index) const;
    [[nodiscard]] Result<ExplainReply> explain_instance(Instant now, const std::string& name) const;
    /// What decided its home, in a code and in words. `all`: the verdicts without the instance.
    void explain_home(Instant now, TaskIndex task, Ordinal ordinal, const Whereabouts& of,
                      const std::vector<NodeVerdict>& all, ExplainReply& reply) const;
    [[nodiscard]] Result<ExplainReply> explain_task(const std::string& name) const;
    /// 0: that is not known.
    [[nodiscard]] CivilMs phase_since(const std::string& task, std::string_view phase) const;
    [[nodiscard]] Result<ExplainReply> explain_node(const std::string& name) const;
    [[nodiscard]] std::vector<VerdictView> views_of(const std::vector<NodeVerdict>& all,
                                                    std::optional<NodeIndex> home) const;
    /// Each node's word on one more instance of the task, in the order of names.
    [[nodiscard]] std::vector<VerdictView> views_of_one_more(TaskIndex task) const;
    /// The same if the nodes are why it is short, else empty: it is as much work as placing.
    [[nodiscard]] std::vector<VerdictView> views_if_asked(
        TaskIndex task, std::span<const Shortage> shortages) const;
    /// With what the nodes said, if a task is given and they are why.
    [[nodiscard]] UnplacedReason reason_of(const Shortage& shortage, std::optional<TaskIndex> task,
                                           std::span<const VerdictView> views) const;
    /// Each node's word if the nodes are why, else what the task waits for.
    [[nodiscard]] static std::string why_short(std::string_view code,
                                               std::span<const VerdictView> views);
    /// `2: no eligible node: 3 full, 1 label rack != r7`.
    [[nodiscard]] std::string why_unplaced(TaskIndex task) const;
    /// All nodes are looked at once for whoever asks how the cluster is.
    [[nodiscard]] Headcount headcount(Instant now) const;
    [[nodiscard]] std::vector<std::string> alarms(const Headcount& all,
                                                  const FreezeView& frozen) const;
    [[nodiscard]] std::string recovery_alarm(const SomeNames& awaited) const;
    [[nodiscard]] std::vector<AheadNode> ahead_nodes() const;

    /// Civil time for people; 0 while the shell has not told it.
    [[nodiscard]] CivilMs civil(Instant now) const;
    void tell(Instant now, std::string topic, std::string_view name, std::string detail = {});

    CoordinatorOptions options;
    Meta meta;                  ///< As durable.
    std::uint64_t durable = 0;  ///< The number of the last Persist that is.
    std::optional<CivilTime> civil_time;
    Instant civil_told{};

    Nodes nodes;
    std::array<std::uint64_t, node_changes> node_changes_seen{};  ///< By NodeChange.
    std::uint64_t unknown_senders = 0;  ///< Messages from routes that never said hello.
    Refusals refusals;                  ///< Of names that may not join.
    Deadlines deadlines;
    std::map<NodeIndex, Conduct> conducts;  ///< Of those that misbehaved.
    Contests contests;
    Workload workload;
    Placements placements;
    Leases leases;
    Planner planner;
    Commands commands;
    Terms terms;
    OwnHealth own;
    LossRate losses;
    Freeze freeze;
    CivilMs frozen_since{};
    Instant links_return_until;  ///< Until then nobody is lost for want of a route (S10).
    Recovery recovery;
    Proposed proposed;
    Intents intents;
    Settings settings;
    std::set<NodeIndex> drains;                  ///< Nodes that are to be left.
    std::map<NodeIndex, std::string> own_pools;  ///< Of those that the list puts elsewhere.
    std::uint32_t starts_this_term = 0;
    std::uint32_t moves_this_term = 0;
    Requests requests;
    Pending pending;
    Waits waits;
    Errands errands;
    Watch watch;
    EventLog events;
    History history;

    /// Why the next round is made.
    enum class Round : std::uint8_t { none, touched, term };
    Round round = Round::none;
    Counters counters;
    bool has_filled = false;         ///< The table of nodes became full.
    Sequence forgotten_sequences{};  ///< The highest issued to a record that is no more: its agent
                                     ///< may come again, and obeys none that is not above.
    bool rebalance_asked = false;    ///< By an operator, for the next term that closes.
    bool may_plan = false;  ///< A term of this leadership has closed and was not cut short.
    bool news = false;      ///< Something happened that may end a wait.
    bool is_over = false;   ///< Leadership is.
    std::string term_told;  ///< What came of the last one.
};

}  // namespace muster::coordinator
