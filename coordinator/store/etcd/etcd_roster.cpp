#include "coordinator/store/etcd/etcd_roster.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/net/host/clock.hpp"

namespace muster::coordinator::etcd {

namespace {

using Json = nlohmann::json;

Json json_of(const CoordinatorView& row) {
    return {{"name", row.name},       {"role", row.role},           {"epoch", raw(row.epoch)},
            {"applied", row.applied}, {"lag_ms", row.lag_ms},       {"agents", row.agents},
            {"version", row.version}, {"operators", row.operators}, {"schema", row.schema}};
}

/// Another version may say less, and a person may have written anything.
std::optional<CoordinatorView> view_of(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return std::nullopt;
    }
    const auto string = [&](const char* name) {
        const auto at = json.find(name);
        return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
    };
    const auto number = [&](const char* name) {
        const auto at = json.find(name);
        return at != json.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
    };
    return CoordinatorView{.name = string("name"),
                           .role = string("role"),
                           .epoch = Epoch{number("epoch")},
                           .applied = number("applied"),
                           .lag_ms = number("lag_ms"),
                           .agents = static_cast<std::uint32_t>(number("agents")),
                           .operators = string("operators"),
                           .version = string("version"),
                           .schema = static_cast<std::uint32_t>(number("schema"))};
}

}  // namespace

EtcdRoster::EtcdRoster(Client& client, Keys keys, Self self, std::function<Present()> present,
                       std::function<void()> on_older)
    : client_{client},
      keys_{std::move(keys)},
      self_{std::move(self)},
      present_{std::move(present)},
      on_older_{std::move(on_older)},
      thread_{[this] { run(); }} {}

EtcdRoster::~EtcdRoster() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void EtcdRoster::enter(const OwnState& own) {
    const std::lock_guard lock{mutex_};
    own_ = own;
    wake_.notify_all();
}

std::vector<CoordinatorView> EtcdRoster::rows() const {
    const std::lock_guard lock{mutex_};
    return rows_;
}

// What fails here is tried again a second later. The election says in the log what is wrong.
void EtcdRoster::run() {
    while (true) {
        bool is_entered = false;
        {
            const std::lock_guard lock{mutex_};
            if (stopping_) {
                break;
            }
            is_entered = own_.has_value();
        }
        auto rows = renew(is_entered);
        std::unique_lock lock{mutex_};
        rows_ = rows ? *std::move(rows) : std::vector<CoordinatorView>{};
        wake_.wait_for(lock, std::chrono::nanoseconds{interval},
                       [&] { return stopping_ || (own_ && !is_entered); });
    }
    if (lease_) {
        static_cast<void>(client_.revoke(*lease_));  // Otherwise it ends by itself.
    }
}

Result<std::vector<CoordinatorView>> EtcdRoster::renew(bool is_entered) {
    const Present present = present_();
    const auto commit = client_.read(keys_.commit());
    if (!commit) {
        return tl::unexpected{commit.error()};
    }
    if (commit->at < present.at) {
        on_older_();
    }
    const Revision head = commit->pairs.empty() ? Revision{} : commit->pairs.front().changed;
    if (present.leads && head < present.applied) {
        on_older_();
    }
    const auto written =
        is_entered ? keep_lease().and_then([&] { return write(present, head); }) : Result<void>{};
    return written ? read() : tl::unexpected{written.error()};
}

Result<void> EtcdRoster::keep_lease() {
    if (lease_ && client_.renew(*lease_)) {
        return {};
    }
    lease_.reset();
    written_.clear();
    return client_.grant(self_.lease).map([&](const GrantedLease& given) { lease_ = given.id; });
}

Result<void> EtcdRoster::write(const Present& present, Revision head) {
    const Instant now = net::boottime_now();
    const Revision applied = present.leads ? head : present.applied;
    behind_ = applied < head ? std::optional{behind_.value_or(now)} : std::nullopt;
    CoordinatorView row{.name = self_.name,
                        .role = present.leads ? "leader" : "standby",
                        .epoch = present.epoch,
                        .applied = static_cast<std::uint64_t>(applied),
                        .lag_ms = behind_ ? static_cast<std::uint64_t>(to_ms(now - *behind_)) : 0,
                        .operators = {},
                        .version = self_.version,
                        .schema = self_.schema};
    {
        const std::lock_guard lock{mutex_};
        row.operators = own_->operators;
        row.agents = own_->agents;
    }
    const std::string text = json_of(row).dump();
    if (text == written_) {
        return {};
    }
    return client_
        .commit({.conditions = {},
                 .operations = {Put{.key = keys_.coordinators() + to_string(self_.id),
                                    .value = text,
                                    .lease = *lease_}}})
        .map([&](const Committed&) { written_ = text; });
}

Result<std::vector<CoordinatorView>> EtcdRoster::read() const {
    const auto found = client_.read(keys_.coordinators(), end_of(keys_.coordinators()));
    if (!found) {
        return tl::unexpected{found.error()};
    }
    std::vector<CoordinatorView> rows;
    for (const Pair& pair : found->pairs) {
        if (auto row = view_of(pair.value)) {
            row->is_asked = pair.key == keys_.coordinators() + to_string(self_.id);
            rows.push_back(*std::move(row));
        }
    }
    std::ranges::sort(rows, {}, [](const CoordinatorView& row) {
        return std::tuple{row.role != "leader", row.name, row.operators};
    });
    return rows;
}

}  // namespace muster::coordinator::etcd
