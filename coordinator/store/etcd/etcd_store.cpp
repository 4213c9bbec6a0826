#include "coordinator/store/etcd/etcd_store.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/net/host/clock.hpp"
#include "common/sqlite/sqlite.hpp"
#include "coordinator/store/etcd/etcd_parts.hpp"
#include "coordinator/store/etcd/etcd_rules.hpp"

namespace muster::coordinator::etcd {

EtcdStore::EtcdStore(Client& client, const Tenure& tenure, std::unique_ptr<Mirror> mirror)
    : client_{client}, tenure_{tenure}, rows_{tenure.keys}, mirror_{std::move(mirror)} {}

Result<std::unique_ptr<EtcdStore>> EtcdStore::open(Client& client, const Tenure& tenure) {
    return Mirror::open("etcd " + tenure.keys.prefix, tenure.cluster)
        .and_then([&](std::unique_ptr<Mirror>&& mirror) -> Result<std::unique_ptr<EtcdStore>> {
            std::unique_ptr<EtcdStore> store{new EtcdStore{client, tenure, std::move(mirror)}};
            const std::string all = tenure.keys.prefix + "/";
            const auto snapshot = client.read(all, end_of(all));
            if (!snapshot) {
                return tl::unexpected{snapshot.error()};
            }
            if (auto taken = store->take_over(*snapshot); !taken) {
                return tl::unexpected{taken.error()};
            }
            store->queue_.start([raw = store.get()](const std::vector<Persist>& group) {
                return raw->commit(group);
            });
            return store;
        });
}

Result<void> EtcdStore::take_over(const Snapshot& snapshot) {
    const auto holdings = holdings_of(tenure_.keys, snapshot);
    if (!holdings) {
        return tl::unexpected{holdings.error()};
    }
    last_commit_ = holdings->last_commit;
    return etcd::take_over(tenure_.keys, *holdings, *mirror_, rows_)
        .and_then([&] { return move_into_rows(holdings->unfinished); })
        .and_then([&] { return move_into_rows(holdings->leftovers); });
}

Result<AuditPage> EtcdStore::audit(std::optional<std::uint64_t> since, std::uint32_t limit) const {
    const std::lock_guard lock{mirror_use_};
    return mirror_->audit(since, limit);
}

std::optional<std::string> EtcdStore::trouble() const {
    const std::lock_guard lock{trouble_use_};
    return trouble_;
}

void EtcdStore::note_trouble(const std::optional<std::string>& why) {
    if (why && !client_.is_stopped()) {
        log::write(complaints_, net::boottime_now(), log::Level::warn,
                   "changes wait, because etcd takes none; trying again", {{"reason", *why}});
    }
    const std::lock_guard lock{trouble_use_};
    trouble_ = why;
}

Result<void> EtcdStore::commit(const std::vector<Persist>& group) {
    const std::uint32_t schema = mirror_->schema();
    {
        const std::lock_guard lock{mirror_use_};
        auto applied =
            sqlite::in_transaction(mirror_->database(), [&] { return apply_to_mirror(group); });
        if (!applied) {
            return applied;
        }
    }
    auto operations = rows_.take();
    if (mirror_->schema() != schema) {
        operations.emplace_back(
            Put{.key = tenure_.keys.schema(), .value = std::to_string(mirror_->schema())});
    }
    return fits(operations) ? commit_whole(std::move(operations)) : commit_in_parts(operations);
}

Result<void> EtcdStore::apply_to_mirror(const std::vector<Persist>& group) {
    for (const Persist& persist : group) {
        for (const Write& write : persist.writes) {
            if (auto raised = raise_schema(write); !raised) {
                return raised;
            }
            auto change = mirror_->apply(write);
            if (!change) {
                return tl::unexpected{change.error()};
            }
            if (*change) {
                rows_.add(**change);
            }
        }
    }
    return {};
}

Result<void> EtcdStore::raise_schema(const Write& write) {
    const auto* const meta = std::get_if<Meta>(&write);
    return meta != nullptr && meta->schema > mirror_->schema() ? mirror_->set_schema(meta->schema)
                                                               : Result<void>{};
}

Result<void> EtcdStore::commit_whole(std::vector<Operation> operations) {
    return write_surely({.conditions = {}, .operations = std::move(operations)});
}

Result<void> EtcdStore::commit_in_parts(const std::vector<Operation>& operations) {
    const std::string directory =
        fmt::format("{}{:020}-{:020}/", tenure_.keys.parts(),
                    static_cast<std::uint64_t>(tenure_.won), commits_ + 1);
    const auto parts = parts_of(operations);
    for (std::size_t at = 0; at < parts.size(); ++at) {
        auto written = write_surely(
            {.conditions = {},
             .operations = {Put{.key = directory + piece_name(at), .value = parts[at]}}});
        if (!written) {
            return written;
        }
    }
    return write_surely({.conditions = {},
                         .operations = {Put{.key = directory + "whole",
                                            .value = std::to_string(parts.size())}}})
        .and_then([&] { return move_into_rows(operations); })
        .and_then(
            [&] { return move_into_rows({Delete{.key = directory, .end = end_of(directory)}}); });
}

Result<void> EtcdStore::move_into_rows(const std::vector<Operation>& operations) {
    for (auto& group : groups_of(operations)) {
        if (auto written = write_surely({.conditions = {}, .operations = std::move(group)});
            !written) {
            return written;
        }
    }
    return {};
}

Result<void> EtcdStore::refused() {
    const auto leader = client_.read(tenure_.keys.leader());
    const bool is_ours =
        leader && !leader->pairs.empty() && leader->pairs.front().created == tenure_.won;
    return fail(Errc::store_failed,
                is_ours ? "etcd refused the write, because it does not hold what was written last: "
                          "was an older snapshot restored?"
                        : "etcd refused the write, because another coordinator leads");
}

Result<void> EtcdStore::write_surely(Transaction transaction) {
    const SureWrite write{tenure_.keys, tenure_.won, last_commit_, ++commits_,
                          std::move(transaction)};
    while (true) {
        const auto done = client_.commit(write.transaction());
        note_trouble(done ? std::nullopt : std::optional{done.error().detail});
        auto next = write.on_commit(done);
        if (next == SureWrite::Next::read_mark) {
            next = write.on_mark(client_.read(tenure_.keys.commit()));
        }
        switch (next) {
            case SureWrite::Next::done: last_commit_ = write.mark(); return {};
            case SureWrite::Next::refused: return refused();
            case SureWrite::Next::failed: return tl::unexpected{done.error()};
            case SureWrite::Next::read_mark:
            case SureWrite::Next::again: break;
        }
        if (queue_.pause(50ms) || client_.is_stopped()) {
            return fail(Errc::store_failed, "the leadership ended before etcd answered");
        }
    }
}

}  // namespace muster::coordinator::etcd
