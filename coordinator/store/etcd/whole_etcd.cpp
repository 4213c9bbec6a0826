#include "coordinator/store/etcd/whole_etcd.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coordinator/store/etcd/etcd_parts.hpp"
#include "coordinator/store/etcd/etcd_rows.hpp"
#include "coordinator/store/etcd/etcd_rules.hpp"
#include "coordinator/store/rows.hpp"
#include "coordinator/store/schema.hpp"

namespace muster::coordinator::etcd {

namespace {

/// A value for the key of the leader that is of no coordinator; a standby logs the name.
std::string held_by(const std::string& name) {
    return nlohmann::json{{"leader", to_string(LeaderId{})}, {"epoch", 0U}, {"name", name}}.dump();
}

const Pair* find(const Snapshot& in, const std::string& key) {
    const auto found = std::ranges::find(in.pairs, key, &Pair::key);
    return found == in.pairs.end() ? nullptr : &*found;
}

/// The name in a value of the key of the leader.
std::string holder_in(const std::string& value) {
    const auto json = nlohmann::json::parse(value, nullptr, false);
    return json.is_object() && json.contains("name") && json["name"].is_string()
               ? json["name"].get<std::string>()
               : "somebody";
}

}  // namespace

Result<std::unique_ptr<WholeEtcd>> WholeEtcd::open(const Options& etcd, const std::string& prefix,
                                                   Duration lease) {
    return Client::open(etcd).map([&](std::unique_ptr<Client>&& client) {
        return std::unique_ptr<WholeEtcd>{new WholeEtcd{std::move(client), prefix, lease}};
    });
}

WholeEtcd::~WholeEtcd() {
    if (claim_ != LeaseId{}) {
        static_cast<void>(client_->revoke(claim_));  // Otherwise it ends by itself.
    }
}

Result<Snapshot> WholeEtcd::snapshot() {
    return client_->read(keys_.prefix + "/", end_of(keys_.prefix + "/"));
}

Result<WholeContent> WholeEtcd::read() {
    const auto all = snapshot();
    if (!all) {
        return tl::unexpected{all.error()};
    }
    const auto holdings = holdings_of(keys_, *all);
    if (!holdings) {
        return tl::unexpected{holdings.error()};
    }
    if (find(holdings->rows, keys_.row("meta", row_key(1)) + piece_name(0)) == nullptr) {
        return holdings->rows.pairs.empty()
                   ? fail(Errc::not_found, "there is no store below " + keys_.prefix + " in etcd")
                   : without_meta(keys_);
    }
    auto mirror = Mirror::open("etcd " + keys_.prefix, {});
    if (!mirror) {
        return tl::unexpected{mirror.error()};
    }
    RowWriter unused{keys_};
    const auto put = take_over(keys_, *holdings, **mirror, unused);
    if (!put) {
        return tl::unexpected{put.error()};
    }
    WholeContent content{.rows = std::move(*mirror), .notes = {}};
    if (!holdings->unfinished.empty()) {
        content.notes.emplace_back(
            "a change was broken off while it was moved into the rows; the next leader finishes "
            "it");
    }
    if (!holdings->leftovers.empty() && holdings->unfinished.empty()) {
        content.notes.emplace_back(
            "parts of a change that never took effect are left; the next leader deletes them");
    }
    if (const Pair* const leader = find(*all, keys_.leader())) {
        content.notes.push_back(holder_in(leader->value) +
                                (leader->lease == LeaseId{} ? "" : " leads"));
    }
    return content;
}

Result<void> WholeEtcd::check_empty() {
    return leftovers().map([](const std::vector<Operation>&) {});
}

Result<std::vector<Operation>> WholeEtcd::leftovers() {
    const auto all = snapshot();
    if (!all) {
        return tl::unexpected{all.error()};
    }
    auto holdings = holdings_of(keys_, *all);
    if (holdings && holdings->rows.pairs.empty()) {
        return std::move(holdings->leftovers);  // Of an import that was broken off.
    }
    return fail(Errc::refused,
                fmt::format("there is a store below {0} in etcd already; choose another prefix, or "
                            "if it is not needed any more, stop all coordinators and "
                            "'etcdctl del --prefix {0}/'",
                            keys_.prefix));
}

Result<void> WholeEtcd::check_unled() {
    return client_->read(keys_.leader()).and_then([&](const Snapshot& found) -> Result<void> {
        if (is_retired(found)) {
            return fail(
                Errc::refused,
                fmt::format("{} is not used any more: {}; choose another prefix, or if that "
                            "store is not needed, 'etcdctl del --prefix {}/'",
                            name(), holder_in(found.pairs.front().value), keys_.prefix));
        }
        return found.pairs.empty()
                   ? Result<void>{}
                   : fail(Errc::refused,
                          "a coordinator leads with " + name() + " (" +
                              holder_in(found.pairs.front().value) +
                              "); stop all coordinators first; after a crash its lease ends by "
                              "itself");
    });
}

Result<void> WholeEtcd::claim() {
    return check_unled()
        .and_then([&] { return client_->grant(lease_); })
        .and_then([&](const GrantedLease& granted) {
            claim_ = granted.id;
            return client_->commit({.conditions = {IsAbsent{keys_.leader()}},
                                    .operations = {Put{.key = keys_.leader(),
                                                       .value = held_by("muster store"),
                                                       .lease = granted.id}}});
        })
        .and_then([&](const Committed& committed) -> Result<void> {
            claimed_ = committed.at;
            return committed.done ? Result<void>{} : check_unled();
        });
}

Result<void> WholeEtcd::commit(std::vector<Operation> operations) {
    const auto lease_ended = [&]() -> Result<void> {
        return fail(Errc::refused, "the lease on " + name() +
                                       " ended meanwhile, so nothing more was written; etcd needed "
                                       "too long for a change, or another took the lead");
    };
    const auto renewed = client_->renew(claim_);
    if (!renewed) {
        return renewed.error().code == Errc::not_found ? lease_ended()
                                                       : tl::unexpected{renewed.error()};
    }
    return client_
        ->commit({.conditions = {WasMade{keys_.leader(), claimed_}},
                  .operations = std::move(operations)})
        .and_then([&](const Committed& committed) {
            return committed.done ? Result<void>{} : lease_ended();
        });
}

Result<void> WholeEtcd::commit_each(const std::vector<Operation>& operations) {
    for (auto& group : groups_of(operations)) {
        if (auto done = commit(std::move(group)); !done) {
            return done;
        }
    }
    return {};
}

Result<void> WholeEtcd::write(const Mirror& rows) {
    RowWriter writer{keys_};
    RowWriter of_meta{keys_};
    // The row of meta is not among the parts: a leader reads and writes it before it reads them.
    const auto read = rows.each_row([&](const RowChange& row) -> Result<void> {
        (row.table == "meta" ? of_meta : writer).add(row);
        return {};
    });
    const std::vector<Operation> operations = writer.take();
    const std::string directory =
        fmt::format("{}{:020}-{:020}/", keys_.parts(), static_cast<std::int64_t>(claimed_), 0);
    const auto parts = parts_of(operations);
    auto done = read.and_then([&] { return leftovers(); })
                    .and_then([&](const std::vector<Operation>& of_others) {
                        return commit_each(of_others);
                    });
    for (std::size_t at = 0; done && at < parts.size(); ++at) {
        done = commit({Put{.key = directory + piece_name(at), .value = parts[at]}});
    }
    std::vector<Operation> whole = of_meta.take();
    whole.emplace_back(Put{.key = keys_.schema(), .value = std::to_string(rows.schema())});
    whole.emplace_back(Put{.key = directory + "whole", .value = std::to_string(parts.size())});
    return done.and_then([&] { return commit(std::move(whole)); })
        .and_then([&] { return commit_each(operations); })
        .and_then([&] { return commit({Delete{.key = directory, .end = end_of(directory)}}); });
}

Result<std::string> WholeEtcd::retire(const std::string& successor) {
    // Without a lease, so that it lasts: coordinators stand by, and log why.
    return commit({Put{.key = keys_.leader(),
                       .value = held_by("all was moved to " + successor),
                       .lease = {}}})
        .map([&] {
            return "the old store is kept below " + keys_.prefix +
                   " in etcd, and no coordinator leads with it while the key " + keys_.leader() +
                   " is there";
        });
}

}  // namespace muster::coordinator::etcd
