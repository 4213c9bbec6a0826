#include "coordinator/store/etcd/etcd_client.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include <etcd.grpc.pb.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include "common/base/read_file.hpp"
#include "coordinator/store/etcd/etcd_messages.hpp"

namespace muster::coordinator::etcd {

namespace {

/// The civil clock may be set meanwhile.
gpr_timespec in(Duration time) {
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                        gpr_time_from_nanos(time.count(), GPR_TIMESPAN));
}

/// True if another endpoint may answer.
bool is_of_endpoint(grpc::StatusCode code) {
    return code == grpc::StatusCode::UNAVAILABLE || code == grpc::StatusCode::DEADLINE_EXCEEDED ||
           code == grpc::StatusCode::CANCELLED || code == grpc::StatusCode::UNKNOWN;
}

bool has_no_space(const grpc::Status& status) {
    return status.error_message().find("space exceeded") != std::string::npos;
}

std::string reason_of(const grpc::Status& status) {
    return status.error_message().empty() ? "no answer in time" : status.error_message();
}

Errc code_of(const grpc::Status& status) {
    const grpc::StatusCode code = status.error_code();
    if (code == grpc::StatusCode::PERMISSION_DENIED || code == grpc::StatusCode::UNAUTHENTICATED) {
        return Errc::denied;
    }
    if (code == grpc::StatusCode::NOT_FOUND) {
        return Errc::not_found;
    }
    if (code == grpc::StatusCode::OUT_OF_RANGE) {
        return Errc::stale_request;
    }
    // The library uses this code, too, for messages that are too long.
    if (code == grpc::StatusCode::RESOURCE_EXHAUSTED &&
        status.error_message().starts_with("etcdserver:")) {
        return Errc::busy;
    }
    return is_of_endpoint(code) ? Errc::unreachable : Errc::store_failed;
}

Result<std::string> content_of(const std::string& path) {
    return path.empty() ? Result<std::string>{std::string{}} : read_file(path, 1U << 20U);
}

constexpr const char* foreign_member =
    "it is a member of another etcd cluster than the other endpoints, and so another store; "
    "'etcdctl member list' at each endpoint shows which belong together";

}  // namespace

std::string end_of(std::string prefix) {
    while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xffU) {
        prefix.pop_back();
    }
    if (!prefix.empty()) {
        prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1U);
    }
    return prefix;
}

struct Client::Impl {
    struct Member {
        std::string endpoint;
        std::shared_ptr<grpc::Channel> channel;
        std::unique_ptr<pb::KV::Stub> kv;
        std::unique_ptr<pb::Lease::Stub> lease;
        std::unique_ptr<pb::Watch::Stub> watch;
        std::unique_ptr<pb::Auth::Stub> auth;
        std::unique_ptr<pb::Maintenance::Stub> maintenance;
    };

    /// A context that stop() can end.
    class Call {
    public:
        Call(Impl& impl, Duration deadline) : impl_{impl} {
            context.set_deadline(in(deadline));
            const std::lock_guard lock{impl_.mutex};
            if (!impl_.token.empty()) {
                context.AddMetadata("token", impl_.token);
            }
            impl_.open.insert(&context);
            if (impl_.is_stopped) {
                context.TryCancel();
            }
        }
        ~Call() {
            const std::lock_guard lock{impl_.mutex};
            impl_.open.erase(&context);
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

        grpc::ClientContext context;

    private:
        Impl& impl_;
    };

    /// Tries the members in turn, from the one that answered last.
    template <class Use>
    Result<void> ask(const std::string& what, Use use) {
        const auto until = std::chrono::steady_clock::now() + options.deadline;
        const auto left = [&] {
            return std::chrono::duration_cast<Duration>(until - std::chrono::steady_clock::now());
        };
        grpc::Status status;
        std::string asked;
        for (std::size_t tries = 0; tries < 2 * members.size() && left() > Duration::zero();) {
            Member& member = members[current % members.size()];
            asked = member.endpoint;
            // A member that does not answer leaves time for the others.
            const auto patience = [&] { return tries + 1 < members.size() ? left() / 2 : left(); };
            connect(member, left() / 4);
            // A token that etcd gave is good for some minutes.
            status = has_token() || options.user.empty() ? grpc::Status::OK : authenticate(member);
            if (status.ok() && !is_known(member)) {
                status = get_to_know(member, patience());
            }
            if (status.ok()) {
                Call call{*this, patience()};
                status = use(member, call.context);
                if (status.ok()) {
                    return {};
                }
            }
            if (status.error_code() == grpc::StatusCode::UNAUTHENTICATED && has_token()) {
                forget_token();
                continue;
            }
            if (!is_of_endpoint(status.error_code())) {
                break;
            }
            forget(member);
            ++current;
            ++tries;
        }
        return fail(
            code_of(status),
            "etcd at " + asked + " did not " + what + ": " + reason_of(status) +
                (has_no_space(status) ? "; compact and defragment its members, then 'etcdctl alarm "
                                        "disarm'"
                                      : ""));
    }

    bool has_token() {
        const std::lock_guard lock{mutex};
        return !token.empty();
    }
    void forget_token() {
        const std::lock_guard lock{mutex};
        token.clear();
    }

    /// The library makes a connection only while a thread waits in it. A call to a member that was
    /// away fails at once, so nobody would.
    static void connect(Member& member, Duration most) {
        constexpr Duration usual = 100ms;
        static_cast<void>(member.channel->WaitForConnected(in(std::min(usual, most))));
    }

    bool is_known(const Member& member) {
        const std::lock_guard lock{mutex};
        return known.contains(member.endpoint);
    }
    void forget(const Member& member) {
        const std::lock_guard lock{mutex};
        known.erase(member.endpoint);
    }

    /// An error: it does not answer, or is of another etcd cluster than the members before it.
    grpc::Status get_to_know(Member& member, Duration patience) {
        pb::StatusResponse response;
        Call call{*this, patience};
        const grpc::Status status = member.maintenance->Status(&call.context, {}, &response);
        if (is_of_endpoint(status.error_code())) {
            return status;
        }
        const std::uint64_t id = response.header().cluster_id();  // 0: it does not say.
        std::uint64_t expected = 0;
        if (id != 0 && !options.cluster->compare_exchange_strong(expected, id) && expected != id) {
            return {grpc::StatusCode::UNAVAILABLE, foreign_member};
        }
        const std::lock_guard lock{mutex};
        known.insert(member.endpoint);
        return grpc::Status::OK;
    }

    grpc::Status authenticate(Member& member) {
        grpc::ClientContext context;
        context.set_deadline(in(options.deadline));
        pb::AuthenticateRequest request;
        request.set_name(options.user);
        request.set_password(options.password);
        pb::AuthenticateResponse response;
        const grpc::Status status = member.auth->Authenticate(&context, request, &response);
        if (status.ok()) {
            const std::lock_guard lock{mutex};
            token = response.token();
        }
        return status;
    }

    Options options;
    std::vector<Member> members;
    std::atomic<std::size_t> current{0};
    std::atomic<Revision> last_commit{};
    std::mutex mutex;  ///< Guards what follows.
    std::string token;
    std::set<std::string> known;  // Endpoints of members of the same etcd cluster.
    std::set<grpc::ClientContext*> open;
    bool is_stopped = false;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::open(const Options& options) {
    if (options.endpoints.empty()) {
        return fail(Errc::invalid, "etcd needs an endpoint, such as 10.0.0.1:2379");
    }
    const auto ca = content_of(options.ca_file);
    const auto certificate = content_of(options.certificate_file);
    const auto key = content_of(options.key_file);
    for (const auto* const file : {&ca, &certificate, &key}) {
        if (!*file) {
            return tl::unexpected{file->error()};
        }
    }
    const auto credentials =
        ca->empty()
            ? grpc::InsecureChannelCredentials()
            : grpc::SslCredentials(
                  {.pem_root_certs = *ca, .pem_private_key = *key, .pem_cert_chain = *certificate});
    grpc::ChannelArguments arguments;
    constexpr int keepalive_ms = 5'000;
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_ms);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive_ms / 2);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // Its own lines on standard error have another form than a daemon's log. What they say is in
    // the errors of calls, too.
    gpr_set_log_function([](gpr_log_func_args*) {});
    arguments.SetMaxReceiveMessageSize(-1);
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    for (const std::string& endpoint : options.endpoints) {
        const auto channel = grpc::CreateCustomChannel(endpoint, credentials, arguments);
        impl->members.push_back({.endpoint = endpoint,
                                 .channel = channel,
                                 .kv = pb::KV::NewStub(channel),
                                 .lease = pb::Lease::NewStub(channel),
                                 .watch = pb::Watch::NewStub(channel),
                                 .auth = pb::Auth::NewStub(channel),
                                 .maintenance = pb::Maintenance::NewStub(channel)});
    }
    return std::unique_ptr<Client>{new Client{std::move(impl)}};
}

Result<void> Client::check_members() {
    for (Impl::Member& member : impl_->members) {
        Impl::connect(member, impl_->options.deadline);
        const grpc::Status status = impl_->get_to_know(member, impl_->options.deadline);
        if (status.error_message() == foreign_member) {
            return fail(Errc::store_failed,
                        "etcd at " + member.endpoint + ": " + status.error_message());
        }
    }
    return {};
}

std::optional<std::string> Client::silent_members() {
    std::string silent;
    for (Impl::Member& member : impl_->members) {
        Impl::connect(member, impl_->options.deadline);
        const grpc::Status status = impl_->get_to_know(member, impl_->options.deadline);
        if (is_of_endpoint(status.error_code())) {
            silent += (silent.empty() ? "etcd at " : ", and etcd at ") + member.endpoint + ": " +
                      reason_of(status);
        }
    }
    return silent.empty() ? std::nullopt : std::optional{std::move(silent)};
}

Result<Snapshot> Client::read(const std::string& key, const std::string& end) {
    // A compaction between two pages forgets the state that is being read.
    constexpr int tries = 10;
    auto snapshot = read_once(key, end);
    for (int at = 1; at < tries && !snapshot && snapshot.error().code == Errc::stale_request;
         ++at) {
        snapshot = read_once(key, end);
    }
    return snapshot;
}

Result<Snapshot> Client::read_once(const std::string& key, const std::string& end) {
    constexpr std::int64_t most_at_once = 1'000;
    Snapshot snapshot;
    pb::RangeRequest request;
    request.set_key(key);
    request.set_range_end(end);
    request.set_limit(most_at_once);
    for (bool is_more = true; is_more;) {
        pb::RangeResponse response;
        auto asked = impl_->ask("read " + key, [&](Impl::Member& member, auto& context) {
            response.Clear();
            return member.kv->Range(&context, request, &response);
        });
        if (!asked) {
            return tl::unexpected{asked.error()};
        }
        if (snapshot.at == Revision{}) {
            snapshot.at = static_cast<Revision>(response.header().revision());
            request.set_revision(response.header().revision());
        }
        for (auto& pair : *response.mutable_kvs()) {
            snapshot.pairs.push_back({.key = std::move(*pair.mutable_key()),
                                      .value = std::move(*pair.mutable_value()),
                                      .created = static_cast<Revision>(pair.create_revision()),
                                      .changed = static_cast<Revision>(pair.mod_revision()),
                                      .lease = static_cast<LeaseId>(pair.lease())});
        }
        is_more = response.more() && !snapshot.pairs.empty();
        if (is_more) {
            request.set_key(snapshot.pairs.back().key + '\0');
        }
    }
    return snapshot;
}

Result<Committed> Client::commit(const Transaction& transaction) {
    pb::TxnRequest request;
    for (const Condition& condition : transaction.conditions) {
        *request.add_compare() = compare_of(condition);
    }
    for (const Operation& operation : transaction.operations) {
        *request.add_success() = request_of(operation);
    }
    pb::TxnResponse response;
    return impl_
        ->ask("commit",
              [&](Impl::Member& member, auto& context) {
                  response.Clear();
                  return member.kv->Txn(&context, request, &response);
              })
        .map([&] {
            if (response.succeeded()) {
                impl_->last_commit = static_cast<Revision>(response.header().revision());
            }
            return Committed{.done = response.succeeded(),
                             .at = static_cast<Revision>(response.header().revision())};
        });
}

Revision Client::last_commit() const { return impl_->last_commit; }

Result<GrantedLease> Client::grant(Duration lasts) {
    pb::LeaseGrantRequest request;
    request.set_ttl(std::chrono::ceil<std::chrono::seconds>(lasts).count());
    pb::LeaseGrantResponse response;
    return impl_
        ->ask("give a lease",
              [&](Impl::Member& member, auto& context) {
                  response.Clear();
                  return member.lease->LeaseGrant(&context, request, &response);
              })
        .map([&] {
            return GrantedLease{.id = static_cast<LeaseId>(response.id()),
                                .lasts = std::chrono::seconds{response.ttl()}};
        });
}

Result<Duration> Client::renew(LeaseId lease) {
    pb::LeaseKeepAliveRequest request;
    request.set_id(static_cast<std::int64_t>(lease));
    pb::LeaseKeepAliveResponse response;
    return impl_
        ->ask("renew a lease",
              [&](Impl::Member& member, auto& context) {
                  response.Clear();
                  const auto stream = member.lease->LeaseKeepAlive(&context);
                  const bool is_answered = stream->Write(request) && stream->Read(&response);
                  stream->WritesDone();
                  if (is_answered) {
                      context.TryCancel();
                  }
                  const grpc::Status status = stream->Finish();
                  return is_answered ? grpc::Status::OK : status;
              })
        .and_then([&]() -> Result<Duration> {
            if (response.ttl() <= 0) {
                return fail(Errc::not_found, "etcd does not know the lease any more");
            }
            return std::chrono::seconds{response.ttl()};
        });
}

Result<void> Client::revoke(LeaseId lease) {
    pb::LeaseRevokeRequest request;
    request.set_id(static_cast<std::int64_t>(lease));
    return impl_->ask("end a lease", [&](Impl::Member& member, auto& context) {
        pb::LeaseRevokeResponse response;
        return member.lease->LeaseRevoke(&context, request, &response);
    });
}

Result<void> Client::watch(const std::string& key, const std::string& end, Revision since,
                           Duration patience,
                           const std::function<bool(const std::vector<Change>&)>& use) {
    Impl::Member& member = impl_->members[impl_->current % impl_->members.size()];
    const auto until = std::chrono::steady_clock::now() + patience;
    Impl::Call call{*impl_, patience};
    const auto stream = member.watch->Watch(&call.context);
    pb::WatchRequest request;
    request.mutable_create_request()->set_key(key);
    request.mutable_create_request()->set_range_end(end);
    request.mutable_create_request()->set_start_revision(static_cast<std::int64_t>(since) + 1);
    pb::WatchResponse response;
    bool is_wanted = true;
    if (stream->Write(request)) {
        while (is_wanted && !response.canceled() && stream->Read(&response)) {
            const auto changes = take_changes(response);
            is_wanted = changes.empty() || use(changes);
        }
    }
    if (!is_wanted || response.canceled()) {
        call.context.TryCancel();
    }
    const grpc::Status status = stream->Finish();
    if (!is_wanted) {
        return {};
    }
    if (response.canceled()) {
        return fail(Errc::stale_request, "etcd at " + member.endpoint + " ended the watch of " +
                                             key + ": " + response.cancel_reason());
    }
    // etcd knows the deadline, too. Where it ends the call first, the status is another one.
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ||
        std::chrono::steady_clock::now() >= until) {
        return fail(Errc::timeout, "nothing has changed");
    }
    ++impl_->current;
    return fail(code_of(status), "etcd at " + member.endpoint + " did not watch " + key + ": " +
                                     status.error_message());
}

Result<void> Client::await_change(const std::string& key, Revision since, Duration patience) {
    const auto seen =
        watch(key, "", since, patience, [](const std::vector<Change>&) { return false; });
    // A watch that etcd ended, such as for a compaction, has missed something.
    return !seen && seen.error().code == Errc::stale_request ? Result<void>{} : seen;
}

void Client::stop() {
    const std::lock_guard lock{impl_->mutex};
    impl_->is_stopped = true;
    for (grpc::ClientContext* const context : impl_->open) {
        context->TryCancel();
    }
}

bool Client::is_stopped() const {
    const std::lock_guard lock{impl_->mutex};
    return impl_->is_stopped;
}

}  // namespace muster::coordinator::etcd
