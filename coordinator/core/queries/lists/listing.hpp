#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/messages/operator.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// A list of tasks or nodes, made in pieces, so that a long list does not delay other work.
///
///     while (list.go_on(facts)) { other work }
///     reply = list.take();
///
/// Each row shows the state when its piece was made, and each name is there once. A name that was
/// added or removed meanwhile may be missing.
class Listing {
public:
    /// Nothing if the request does not ask for a list.
    [[nodiscard]] static std::optional<Listing> of(const CoreRequestBody& request);

    /// Who gets the list: it has no task outside of the scope.
    void limit_to(const Caller& by) { by_ = by; }
    /// Adds some rows. False: the list is complete.
    [[nodiscard]] bool go_on(const Facts& facts);
    /// The list, in the order of names. It reads no facts, so any thread may call it.
    [[nodiscard]] Result<ReplyBody> take();

private:
    Listing(std::string pattern, ReplyBody empty)
        : pattern_{std::move(pattern)}, reply_{std::move(empty)} {}

    /// Both add some rows. False: there are no more.
    [[nodiscard]] bool add_tasks(const Facts& facts);
    [[nodiscard]] bool add_nodes(const Facts& facts, NodeListReply& reply);
    [[nodiscard]] bool matches(std::string_view name);

    std::string pattern_;
    ReplyBody reply_;
    std::deque<TaskView> tasks_{};  // Rows of the reply. A deque, which moves none as it grows.
    std::optional<Error> refusal_;
    Caller by_{.is_local = true};
    std::uint64_t steps_ = 0;      // Steps that the pattern took.
    std::uint32_t next_task_ = 0;  // All indices below were read.
    std::string last_node_{};      // All names up to this one were read.
};

/// The whole list at once.
[[nodiscard]] Result<ReplyBody> list_all(const Facts& facts, Listing list);

}  // namespace muster::coordinator
