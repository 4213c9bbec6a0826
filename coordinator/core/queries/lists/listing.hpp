#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/messages/operator.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// A list of tasks or of nodes, made in pieces, so that a long one holds nobody up.
///
///     while (list.go_on(facts)) { all else that waits }
///     reply = list.take();
///
/// Each row shows what was so when its piece was made, and each name is there once. A name that
/// came or went meanwhile may be there or not.
class Listing {
public:
    /// Nothing: the request asks for no list.
    [[nodiscard]] static std::optional<Listing> of(const CoreRequestBody& request);

    /// Adds some rows. False: the list is whole.
    [[nodiscard]] bool go_on(const Facts& facts);
    /// The list, in the order of names. It looks at no fact, so any thread may call it.
    [[nodiscard]] Result<ReplyBody> take();

private:
    Listing(std::string pattern, ReplyBody empty)
        : pattern_{std::move(pattern)}, reply_{std::move(empty)} {}

    /// These and the next: some rows. False: no more.
    [[nodiscard]] bool add(const Facts& facts, TaskListReply& reply);
    [[nodiscard]] bool add(const Facts& facts, NodeListReply& reply);
    [[nodiscard]] bool matches(std::string_view name);

    std::string pattern_;
    ReplyBody reply_;
    std::optional<Error> refusal_;
    std::uint64_t steps_ = 0;      // That the pattern took.
    std::uint32_t next_task_ = 0;  // Each index below was looked at.
    std::string last_node_{};      // Each name up to this one, too.
};

/// The whole list at once.
[[nodiscard]] Result<ReplyBody> list_all(const Facts& facts, Listing list);

}  // namespace muster::coordinator
