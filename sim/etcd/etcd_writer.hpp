#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/store/etcd/etcd_rules.hpp"
#include "sim/etcd/election_shell.hpp"
#include "sim/etcd/etcd_model.hpp"

namespace muster::sim {

/// The store of one leadership: writes to etcd by the rules of the daemon's store, one transaction
/// after the other. Changes that wait together share one.
class EtcdWriter {
public:
    EtcdWriter(World& world, EtcdModel& model, std::uint32_t control, std::uint64_t life,
               const ElectionShell::News::Lead& lead, const etcd::Snapshot& last)
        : world_{world},
          model_{model},
          control_{control},
          life_{life},
          lead_{lead},
          last_{last.pairs.empty() ? std::string{} : last.pairs.front().value} {}

    void submit(Instant now, coordinator::Persist persist) {
        waiting_.push_back(std::move(persist));
        begin_if_idle(now);
    }
    [[nodiscard]] bool has_called(std::uint64_t call) const { return write_ && call_ == call; }

    struct News {
        std::vector<coordinator::Persist> durable{};
        std::optional<std::string> failed{};
    };
    [[nodiscard]] News on_answer(Instant now, const EtcdAnswer& answer) {
        using Next = etcd::SureWrite::Next;
        Next next{};
        if (is_reading_mark_) {
            next = answer.error ? write_->on_mark(tl::unexpected{*answer.error})
                                : write_->on_mark(answer.read);
        } else {
            next = answer.error ? write_->on_commit(tl::unexpected{*answer.error})
                                : write_->on_commit(answer.committed);
        }
        is_reading_mark_ = false;
        switch (next) {
            case Next::done: {
                last_ = write_->mark();
                write_.reset();
                News news{.durable = std::exchange(in_progress_, {}), .failed = {}};
                begin_if_idle(now);
                return news;
            }
            case Next::again: world_.queue.push(now + 50ms, CommitDone{life_, control_}); break;
            case Next::read_mark:
                is_reading_mark_ = true;
                call_ =
                    model_.call(now, control_, life_, patience, ReadKey{model_.keys().commit()});
                break;
            case Next::refused: return {.durable = {}, .failed = "another coordinator leads"};
            case Next::failed: return {.durable = {}, .failed = "etcd failed"};
        }
        return {};
    }
    /// The pause before the next try is over.
    void commit(Instant now) {
        call_ = model_.call(now, control_, life_, patience,
                            CommitTo{.transaction = write_->transaction(),
                                     .rows = in_progress_,
                                     .by = control_,
                                     .epoch = lead_.epoch});
    }

private:
    static constexpr Duration patience = 2s;

    void begin_if_idle(Instant now) {
        if (write_) {
            return;
        }
        in_progress_ = take_whole(waiting_);
        if (!in_progress_.empty()) {
            write_.emplace(model_.keys(), lead_.won, last_, ++number_, etcd::Transaction{});
            commit(now);
        }
    }

    World& world_;
    EtcdModel& model_;
    std::uint32_t control_;
    std::uint64_t life_;
    ElectionShell::News::Lead lead_;
    std::string last_;  ///< The mark of the last commit.
    std::uint64_t number_ = 0;
    std::vector<coordinator::Persist> waiting_;
    std::vector<coordinator::Persist> in_progress_;
    std::optional<etcd::SureWrite> write_;
    std::uint64_t call_ = 0;
    bool is_reading_mark_ = false;
};

}  // namespace muster::sim
