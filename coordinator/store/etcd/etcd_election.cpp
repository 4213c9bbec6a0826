#include "coordinator/store/etcd/etcd_election.hpp"

#include <algorithm>
#include <sys/eventfd.h>
#include <utility>
#include <variant>

#include "common/base/ensure.hpp"
#include "common/log/log.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/store/etcd/etcd_parts.hpp"
#include "coordinator/store/mirror.hpp"
#include "coordinator/store/schema.hpp"

namespace muster::coordinator::etcd {

namespace {

/// The error, if the store is of another cluster.
Result<void> check_cluster(const ElectionOptions& options, const ClusterId& of_store) {
    if (of_store == options.cluster || options.may_differ) {
        return {};
    }
    return fail(Errc::foreign_cluster,
                "the store below " + options.prefix + " in etcd is of the cluster " +
                    to_string(of_store) + ", but the keys here are of " +
                    to_string(options.cluster) + "; choose another prefix, or these keys");
}

/// What etcd holds of the cluster before a campaign.
struct StoredMeta {
    std::string key;                        ///< Of its row,
    std::optional<std::string> row{};       ///< which a new store does not have.
    std::optional<std::uint32_t> schema{};  ///< Nothing: that of this version.
};

Result<StoredMeta> read_meta(Client& calls, const Keys& keys) {
    StoredMeta stored{.key = keys.row("meta", row_key(1)) + piece_name(0)};
    const auto meta_row = calls.read(stored.key);
    if (!meta_row) {
        return tl::unexpected{meta_row.error()};
    }
    const auto schema = calls.read(keys.schema());
    if (!schema) {
        return tl::unexpected{schema.error()};
    }
    if (!schema->pairs.empty()) {
        const auto version = schema_of(keys, schema->pairs.front().value);
        if (!version) {
            return tl::unexpected{version.error()};
        }
        stored.schema = *version;
    }
    if (!meta_row->pairs.empty()) {
        stored.row = meta_row->pairs.front().value;
        return stored;
    }
    const auto rows = calls.read(keys.rows(), end_of(keys.rows()));
    if (!rows) {
        return tl::unexpected{rows.error()};
    }
    // Another coordinator may have begun the store since.
    if (!rows->pairs.empty() &&
        std::ranges::find(rows->pairs, stored.key, &Pair::key) == rows->pairs.end()) {
        return without_meta(keys);
    }
    return stored;
}

/// The row of Meta that makes us the leader of the next epoch.
struct Claim {
    Epoch epoch{};
    std::string row;
};

/// An error: the row or its schema cannot be read, or the store is of another cluster.
Result<Claim> claim_of(const ElectionOptions& options, const StoredMeta& stored) {
    auto mirror = Mirror::open("etcd " + options.prefix, options.cluster);
    if (!mirror) {
        return tl::unexpected{mirror.error()};
    }
    auto put = (*mirror)->set_schema(stored.schema.value_or(rows::schema_version));
    if (put && stored.row) {
        put = (*mirror)->put("meta", *stored.row);
    }
    if (!put) {
        return tl::unexpected{put.error()};
    }
    auto meta = rows::read_meta((*mirror)->database());
    if (!meta) {
        return tl::unexpected{meta.error()};
    }
    if (const auto ours = check_cluster(options, meta->cluster); !ours) {
        return tl::unexpected{ours.error()};
    }
    meta->epoch = next(meta->epoch);
    meta->leader = options.self;
    const auto change = (*mirror)->apply(Write{*meta});
    if (!change) {
        return tl::unexpected{change.error()};
    }
    return Claim{meta->epoch, (*change)->text.value_or("")};
}

}  // namespace

EtcdElection::EtcdElection(ElectionOptions options, std::unique_ptr<Client> calls,
                           std::unique_ptr<Client> writes, std::unique_ptr<Client> reads)
    : options_{std::move(options)},
      keys_{options_.prefix},
      calls_{std::move(calls)},
      writes_{std::move(writes)},
      news_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)},
      core_{options_.self, options_.lease} {
    ensure(news_.is_open(), "a daemon that just started has files left");
    follower_ = std::make_unique<EtcdFollower>(std::move(reads), keys_, options_.cluster,
                                               [this] { notify(); });
    roster_ = std::make_unique<EtcdRoster>(
        *calls_, keys_,
        EtcdRoster::Self{.id = options_.self,
                         .name = options_.name,
                         .version = options_.version,
                         .schema = rows::schema_version,
                         .lease = options_.lease},
        [this] { return present(); }, [this] { on_older_store(); });
    health_ = std::make_unique<EtcdHealth>(*calls_);
    thread_ = std::thread{[this] { run(); }};
}

Result<std::unique_ptr<EtcdElection>> EtcdElection::begin(const ElectionOptions& options) {
    Options calls = options.etcd;
    // A renewal that is not answered leaves time for another.
    calls.deadline = std::min(calls.deadline, options.lease / 4);
    auto of_election = Client::open(calls);
    auto of_store = Client::open(options.etcd);
    auto of_follower = Client::open(options.etcd);
    for (const auto* const client : {&of_election, &of_store, &of_follower}) {
        if (!*client) {
            return tl::unexpected{client->error()};
        }
    }
    return std::unique_ptr<EtcdElection>{new EtcdElection{
        options, *std::move(of_election), *std::move(of_store), *std::move(of_follower)}};
}

EtcdElection::~EtcdElection() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_all();
    roster_.reset();  // It takes its entry away, as long as calls are possible.
    follower_.reset();
    calls_->stop();
    health_.reset();
    thread_.join();
}

void EtcdElection::stand(const OwnState& own) {
    {
        const std::lock_guard lock{mutex_};
        own_ = own;
    }
    roster_->enter(own);
    wake_.notify_all();
}

std::optional<StoreImage> EtcdElection::follow() {
    // Of a large store the copy is read for a tenth of the time at most.
    const Instant now = net::boottime_now();
    auto image = now < next_image_ ? std::nullopt : follower_->take_image();
    if (const auto fault = follower_->fault()) {
        give_up(*fault);
    }
    if (image) {
        const Instant then = net::boottime_now();
        next_image_ = then + 10 * (then - now);
        if (const auto ours = check_cluster(options_, image->meta.cluster); !ours) {
            give_up(ours.error().detail);
            return std::nullopt;
        }
    }
    return image;
}

void EtcdElection::on_older_store() {
    follower_->read_again();
    const std::lock_guard lock{mutex_};
    is_older_ = until_ != Instant{} && !over_;
    wake_.notify_all();
}

EtcdRoster::Present EtcdElection::present() const {
    const std::lock_guard lock{mutex_};
    const bool leads = until_ != Instant{} && !over_;
    return {.leads = leads,
            .epoch = leader_.epoch,
            .applied = leads ? writes_->last_commit() : follower_->applied(),
            .at = follower_->at()};
}

Result<std::optional<Lead>> EtcdElection::take_lead() {
    eventfd_t count = 0;
    static_cast<void>(eventfd_read(news_.get(), &count));
    std::optional<Tenure> tenure;
    {
        const std::lock_guard lock{mutex_};
        if (fault_) {
            return tl::unexpected{*fault_};
        }
        tenure = std::exchange(tenure_, std::nullopt);
    }
    if (!tenure) {
        return std::optional<Lead>{};
    }
    follower_->stop();  // A leader knows the store by its own writes.
    static_cast<void>(eventfd_read(news_.get(), &count));
    auto opened =
        EtcdStore::open(*writes_, *tenure).and_then([&](std::unique_ptr<EtcdStore>&& store) {
            return store->image().map([&](StoreImage&& image) {
                return std::optional{Lead{.store = std::move(store), .image = std::move(image)}};
            });
        });
    if (opened) {
        return opened;
    }
    auto error = opened.error();
    if (const auto lost = over()) {
        error = {Errc::unreachable, *lost};
    } else if (error.code == Errc::busy || error.code == Errc::stale_request) {
        error.code = Errc::unreachable;
    }
    resign();  // The next one may read it.
    return tl::unexpected{std::move(error)};
}

LeaderSign EtcdElection::leader() const {
    const std::lock_guard lock{mutex_};
    return leader_;
}

Instant EtcdElection::leads_until() const {
    const std::lock_guard lock{mutex_};
    return until_;
}

std::optional<std::string> EtcdElection::over() const {
    const std::lock_guard lock{mutex_};
    // The thread that would say so may wait for etcd.
    const bool has_lapsed = until_ != Instant{} && net::boottime_now() >= until_;
    return !over_ && has_lapsed ? std::string{election::lease_lapsed} : over_;
}

void EtcdElection::resign() {
    std::unique_lock lock{mutex_};
    resigning_ = true;
    wake_.notify_all();
    wake_.wait(lock, [&] { return has_ended_; });
}

void EtcdElection::notify() const {
    ensure(eventfd_write(news_.get(), 1) == 0, "an event can be written");
}

election::Input EtcdElection::wait_to_stand() {
    while (true) {
        election::Input seen = look();
        std::unique_lock lock{mutex_};
        if (wake_.wait_for(lock, std::chrono::nanoseconds{options_.lease / 20},
                           [&] { return own_ || stopping_ || resigning_; })) {
            return seen;
        }
    }
}

void EtcdElection::run() {
    if (const auto agree = calls_->check_members(); !agree) {
        give_up(agree.error().detail);
    } else {
        next_.push_back(wait_to_stand());
    }
    while (true) {
        {
            const std::lock_guard lock{mutex_};
            if (stopping_ || fault_) {
                break;
            }
        }
        if (next_.empty()) {
            next_.push_back(wait_for_next());
        }
        const election::Input input = std::move(next_.front());
        next_.pop_front();
        const election::Output output = core_.step(net::boottime_now(), input);
        publish(output);
        std::visit([&](const auto& order) { carry_out(order); }, output.order);
        if (output.steps_down) {
            break;
        }
    }
    const std::lock_guard lock{mutex_};
    has_ended_ = true;
    wake_.notify_all();
}

void EtcdElection::publish(const election::Output& output) {
    const std::lock_guard lock{mutex_};
    until_ = core_.leads_until().value_or(Instant{});
    if (output.steps_down) {
        over_ = output.steps_down;  // Before the store fails for this reason.
        writes_->stop();
    }
    if (output.leads) {
        tenure_ = Tenure{.keys = keys_, .cluster = options_.cluster, .won = won_};
    }
    if (output.leads || output.steps_down) {
        notify();
    }
}

election::Failed EtcdElection::failed(const Error& error) {
    log::write(complaints_, net::boottime_now(), log::Level::warn,
               "the election goes on without an answer of etcd, trying again",
               {{"reason", error.detail}});
    return {error.detail};
}

election::Input EtcdElection::look() {
    const auto found = calls_->read(keys_.leader());
    if (!found) {
        return failed(found.error());
    }
    seen_ = found->at;
    if (!found->pairs.empty() && !leader_key_in(*found)) {
        log::write(foreign_key_complaints_, net::boottime_now(), log::Level::warn,
                   "nobody can lead, because muster did not write the key of the leader; delete it",
                   {{"key", keys_.leader()}, {"value", in_quotes(found->pairs.front().value)}});
    }
    if (auto objection = objection_to(keys_, *found, options_.key)) {
        give_up(*std::move(objection));
    }
    {
        const std::lock_guard lock{mutex_};
        const auto key = leader_key_in(*found);
        const LeaderSign before = std::exchange(
            leader_, key ? LeaderSign{key->name, key->operators, key->epoch} : LeaderSign{});
        if (leader_ != before && !core_.leads_until()) {
            notify();
        }
    }
    return seen_in(*found);
}

election::Input EtcdElection::wait_for_next() {
    if (core_.next_deadline() == Instant::max()) {
        // A follower. What is missed while the member of etcd is away is seen by the next look.
        constexpr Duration patience = 1s;
        static_cast<void>(calls_->await_change(keys_.leader(), seen_, patience));
        election::Input seen = look();
        if (std::holds_alternative<election::Failed>(seen)) {
            std::unique_lock lock{mutex_};
            wake_.wait_for(lock, std::chrono::nanoseconds{options_.lease / 10},
                           [&] { return stopping_ || resigning_; });
        }
        return seen;
    }
    std::unique_lock lock{mutex_};
    const auto left = core_.next_deadline() - net::boottime_now();
    wake_.wait_for(lock, std::chrono::nanoseconds{left},
                   [&] { return stopping_ || resigning_ || is_older_; });
    if (is_older_) {
        return election::Resign{
            "etcd does not hold what was written last; was an older snapshot restored?"};
    }
    if (resigning_) {
        return election::Resign{"this coordinator resigned"};
    }
    return election::Wake{};
}

void EtcdElection::carry_out(const election::AskLease& /*order*/) {
    const Instant asked = net::boottime_now();
    const auto given = calls_->grant(options_.lease);
    next_.push_back(given ? election::Input{election::LeaseGiven{given->id, asked, given->lasts}}
                          : election::Input{failed(given.error())});
}

void EtcdElection::carry_out(const election::Campaign& order) {
    auto outcome = campaign(order.lease);
    if (!outcome && outcome.error().code != Errc::unreachable &&
        outcome.error().code != Errc::busy) {
        give_up(outcome.error().detail);
        return;
    }
    const bool is_lost = outcome && std::holds_alternative<election::Lost>(*outcome);
    next_.push_back(outcome ? std::move(*outcome) : election::Input{failed(outcome.error())});
    if (is_lost) {
        next_.push_back(look());
    }
}

LeaderKey EtcdElection::own_key(Epoch epoch) const {
    const std::lock_guard lock{mutex_};
    return {.leader = options_.self,
            .epoch = epoch,
            .name = options_.name,
            .operators = own_->operators,
            .key = options_.key};
}

Result<election::Input> EtcdElection::campaign(LeaseId lease) {
    const auto stored = read_meta(*calls_, keys_);
    if (!stored) {
        return tl::unexpected{stored.error()};
    }
    const auto claim = claim_of(options_, *stored);
    if (!claim) {
        return tl::unexpected{claim.error()};
    }
    Transaction transaction =
        campaign_of(keys_, own_key(claim->epoch), lease,
                    {.key = stored->key, .before = stored->row, .after = claim->row});
    if (!stored->schema) {
        transaction.operations.emplace_back(
            Put{.key = keys_.schema(), .value = std::to_string(rows::schema_version)});
    }
    const auto done = calls_->commit(transaction);
    if (!done) {
        return tl::unexpected{done.error()};
    }
    if (done->done) {
        won_ = done->at;
        if (!stored->row) {
            log::warn(
                "there was no store in etcd, so a new one begins; stop this coordinator if its "
                "prefix is wrong",
                {{"prefix", options_.prefix}});
        }
        return election::Input{election::Won{claim->epoch}};
    }
    const auto now = calls_->read(keys_.leader());
    if (!now) {
        return tl::unexpected{now.error()};
    }
    if (const auto own = won_before(*now, options_.self, lease)) {
        won_ = own->made;
        return election::Input{election::Won{own->epoch}};
    }
    return election::Input{election::Lost{}};
}

void EtcdElection::carry_out(const election::Renew& order) {
    const Instant asked = net::boottime_now();
    const auto lasts = calls_->renew(order.lease);
    if (!lasts) {
        next_.push_back(lasts.error().code == Errc::not_found
                            ? election::Input{election::LeaseUnknown{}}
                            : election::Input{failed(lasts.error())});
        return;
    }
    next_.push_back(election::LeaseGiven{order.lease, asked, *lasts});
    election::Input seen = look();  // Somebody may have deleted the key.
    if (!std::holds_alternative<election::Failed>(seen)) {
        next_.push_back(std::move(seen));
    }
}

void EtcdElection::carry_out(const election::Release& order) {
    static_cast<void>(calls_->revoke(order.lease));  // Otherwise it ends by itself.
}

void EtcdElection::give_up(std::string why) {
    const std::lock_guard lock{mutex_};
    fault_ = Error{.code = Errc::store_failed, .detail = std::move(why)};
    notify();
}

}  // namespace muster::coordinator::etcd
