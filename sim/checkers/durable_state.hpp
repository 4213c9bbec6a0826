#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/checkers/fleet/leaving.hpp"

namespace muster::sim {

/// S1: an acknowledged change is in the store, with its value. S2: the store contains nothing else.
///
/// The checker applies the requests whose rows became durable to its own model. After each commit
/// the store must agree with the model on the tasks that the commit touched. A new leadership must
/// begin with exactly the tasks of the model.
class DurableState : public Checker {
public:
    void on(Instant, const LeadershipBegan& began) {
        std::set<std::string> tasks;
        for (const auto& [name, task] : model_) {
            tasks.insert(name);
        }
        for (const coordinator::StoredTask& row : began.image.tasks) {
            tasks.insert(row.wanted.name);
        }
        for (const std::string& task : tasks) {
            compare(task, began.image);
        }
    }

    void on(Instant, const Committed& committed) {
        std::set<std::string> touched;
        for (const coordinator::Persist& persist : committed.persists) {
            on_persist(persist, touched);
        }
        for (const std::string& task : touched) {
            compare(task, committed.after);
        }
    }

    void on(Instant, const StoreReplaced& replaced) {
        model_.clear();
        durable_.clear();
        for (const coordinator::StoredTask& row : replaced.image.tasks) {
            model_.emplace(row.wanted.name, row.wanted);
        }
        for (const coordinator::StoredRequest& row : replaced.image.requests) {
            durable_.insert(row.id);
        }
    }

    void on(Instant, const RequestMade& made) { made_.emplace(made.request.id, made.request); }

    void on(Instant, const ReplyGiven& given) {
        if (!given.reply.result) {
            return;
        }
        const auto* change = std::get_if<ChangeReply>(&*given.reply.result);
        if (change != nullptr && changes_something(*change) && !durable_.contains(given.reply.id)) {
            violated("S1", "a change was acknowledged before it was durable");
        }
    }

private:
    // The simulation uses only single names and `*`.
    static bool matches(const std::string& pattern, const std::string& name) {
        return pattern == "*" || pattern == name;
    }

    static bool changes_something(const ChangeReply& reply) {
        return !reply.dry_run && std::ranges::any_of(reply.changes, [](const TaskChange& change) {
            return change.action != "unchanged";
        });
    }

    void on_persist(const coordinator::Persist& persist, std::set<std::string>& touched) {
        for (const coordinator::Write& write : persist.writes) {
            if (auto task = task_in(write); !task.empty()) {
                touched.insert(std::move(task));
            }
            const auto* row = std::get_if<coordinator::StoredRequest>(&write);
            if (row == nullptr) {
                continue;
            }
            durable_.insert(row->id);
            const auto request = made_.find(row->id);
            if (request == made_.end()) {
                violated("S2", "the store holds a request that nobody made");
            } else if ((*row->reply).result) {
                carry_out(request->second.body, touched);
            }
        }
    }

    void carry_out(const RequestBody& body, std::set<std::string>& touched) {
        std::vector<WantedTask> puts;
        std::set<std::string> erased;
        if (const auto* apply = std::get_if<ApplyRequest>(&body);
            apply != nullptr && !apply->dry_run) {
            puts = apply->tasks;
            for (const auto& [name, task] : model_) {
                if (apply->replace) {
                    erased.insert(name);
                }
            }
        } else if (const auto* add = std::get_if<TaskAddRequest>(&body)) {
            puts = {add->task};
        }
        for (auto& [name, task] : model_) {
            const auto* remove = std::get_if<TaskRemoveRequest>(&body);
            const auto* scale = std::get_if<TaskScaleRequest>(&body);
            if (remove != nullptr && matches(remove->pattern, name)) {
                erased.insert(name);
            } else if (scale != nullptr && matches(scale->pattern, name)) {
                task.instances = scale->instances;
                touched.insert(name);
            }
        }
        for (const std::string& name : erased) {
            model_.erase(name);
            touched.insert(name);
        }
        for (const WantedTask& task : puts) {
            model_[task.name] = task;
            touched.insert(task.name);
        }
    }

    void compare(const std::string& task, const coordinator::StoreImage& image) {
        const coordinator::StoredTask* const stored = task_of(image, task);
        const auto wanted = model_.find(task);
        if (wanted == model_.end()) {
            if (stored != nullptr) {
                violated("S2", "the store holds task {}, which nobody wants", task);
            }
        } else if (stored == nullptr) {
            violated("S1", "the store has lost task {}", task);
        } else if (stored->wanted != wanted->second) {
            violated("S1",
                     "the store holds task {} with {} instances, not as it was "
                     "asked for with {}",
                     task, stored->wanted.instances, wanted->second.instances);
        }
    }

    std::map<RequestId, Request> made_;
    std::set<RequestId> durable_;
    std::map<std::string, WantedTask> model_;
};

}  // namespace muster::sim
