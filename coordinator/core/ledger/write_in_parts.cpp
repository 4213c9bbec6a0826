#include "coordinator/core/ledger/write_in_parts.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::coordinator {

WriteInParts::WriteInParts(PendingWrite whole, std::size_t lines_of_part, std::uint64_t before)
    : whole_{std::move(whole)}, lines_of_part_{lines_of_part}, before_{before} {
    const auto* const reply = whole_.reply->result ? &*whole_.reply->result : nullptr;
    const auto* const answer = reply == nullptr ? nullptr : std::get_if<ChangeReply>(reply);
    whole_.last_line = answer == nullptr ? 0 : answer->changes.size();
    reply_ = whole_.last_line > lines_of_part_ ? answer : nullptr;
}

PendingWrite WriteInParts::take() {
    if (reply_ == nullptr) {
        return take_rest();
    }
    PendingWrite part{.meta = whole_.meta,
                      .reply = whole_.reply,
                      .request_digest = whole_.request_digest,
                      .first_line = line_,
                      .last_line = std::min(line_ + lines_of_part_, whole_.last_line)};
    Rows<StoredTask>& from = whole_.change.of<StoredTask>();
    Rows<StoredTask>& into = part.change.of<StoredTask>();
    for (; line_ < part.last_line; ++line_) {
        const std::string& action = reply_->changes[line_].action;
        if (action == "remove") {
            into.erased.push_back(std::move(from.erased[erased_++]));
        } else if (action != "unchanged") {
            into.put.push_back(std::move(from.put[put_++]));
        }
    }
    part.continues = line_ < whole_.last_line;
    if (!part.continues) {
        part.tickets = std::move(whole_.tickets);
        part.audit = std::move(whole_.audit);
        is_over_ = true;
    }
    return part;
}

PendingWrite WriteInParts::take_rest() {
    is_over_ = true;
    return std::move(whole_);
}

}  // namespace muster::coordinator
