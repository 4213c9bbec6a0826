#pragma once

#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "common/spec/spec.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/ledger/ledger.hpp"

namespace muster::coordinator {

/// What an operator's request does to the tasks, by pure functions: checked whole against what is
/// proposed, then all of it or nothing. `next` is the number the change takes if it changes
/// anything; one whose list of changes says `unchanged` throughout takes none.
[[nodiscard]] Result<Answered> change_of(const ApplyRequest& request, const Ledger& ledger,
                                         Generation next);
[[nodiscard]] Result<Answered> change_of(const TaskAddRequest& request, const Ledger& ledger,
                                         Generation next);
[[nodiscard]] Result<Answered> change_of(const TaskRemoveRequest& request, const Ledger& ledger,
                                         Generation next);
[[nodiscard]] Result<Answered> change_of(const TaskScaleRequest& request, const Ledger& ledger,
                                         Generation next);
[[nodiscard]] Result<Answered> change_of(const TaskRestartRequest& request, const Ledger& ledger,
                                         Generation next);

/// Any of these requests.
template <class Request>
concept ChangesTasks = requires(const Request& request, const Ledger& ledger) {
    change_of(request, ledger, Generation{});
};

}  // namespace muster::coordinator
