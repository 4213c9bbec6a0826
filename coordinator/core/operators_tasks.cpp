#include <utility>

#include "coordinator/core/changes.hpp"
#include "coordinator/core/state.hpp"

/// What operators change of the tasks.
namespace muster {

template <class Request>
void Coordinator::State::change(const Asked& asked, const Request& request, bool dry_run) {
    if (dry_run || !settle_by_id(asked)) {
        const Generation following = next(pending.proposed().counter);
        change_tasks(asked, change_of(request, proposed, following), dry_run);
    }
}

void Coordinator::State::ask(const Asked& asked, const ApplyRequest& request) {
    change(asked, request, request.dry_run);
}

void Coordinator::State::ask(const Asked& asked, const TaskAddRequest& request) {
    change(asked, request);
}

void Coordinator::State::ask(const Asked& asked, const TaskRemoveRequest& request) {
    change(asked, request);
}

void Coordinator::State::ask(const Asked& asked, const TaskScaleRequest& request) {
    change(asked, request);
}

void Coordinator::State::ask(const Asked& asked, const TaskRestartRequest& request) {
    change(asked, request);
}

void Coordinator::State::change_tasks(const Asked& asked, Result<TasksWritten> written,
                                      bool dry_run) {
    const RequestId& id = asked.request.id;
    if (!written) {
        refuse_change(asked, std::move(written.error()), dry_run);
        return;
    }
    const bool changes_something = !written->put.empty() || !written->erased.empty();
    Meta after = pending.proposed();
    after.counter = changes_something ? next(after.counter) : after.counter;
    written->changes.counter = after.counter;
    written->changes.dry_run = dry_run;
    ReplyBody reply{written->changes};
    if (dry_run || (!changes_something && id.is_none() && pending.empty())) {
        answer(asked, std::move(reply));
        return;
    }
    Effect effect;
    if (changes_something) {
        effect = std::move(*written);
    }
    persist_answer(asked, write_of(after, std::move(effect), Reply{id, std::move(reply)}));
}

}  // namespace muster
