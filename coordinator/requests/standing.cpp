#include "coordinator/requests/standing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "coordinator/store/schema.hpp"

namespace muster::coordinator {

LeaderSign Standing::leader() const {
    return election_ == nullptr ? LeaderSign{} : election_->leader();
}

std::shared_ptr<const Standby> Standing::mark() const {
    if (leads_) {
        return nullptr;
    }
    const LeaderSign sign = leader();
    return std::make_shared<Standby>(Standby{sign.name, sign.operators});
}

Error Standing::not_leader() const {
    if (leads_) {
        return {Errc::not_leader,
                "the coordinator is stopping; ask again when one leads: the same request id takes "
                "effect once"};
    }
    const LeaderSign sign = leader();
    if (sign.name.empty()) {
        return {Errc::not_leader,
                "this coordinator stands by, and none leads at present; ask again soon: the same "
                "request id takes effect once"};
    }
    return {Errc::not_leader,
            fmt::format("this coordinator stands by, and the one on {} leads; ask it, at {}",
                        sign.name, sign.operators.empty() ? "its endpoint" : sign.operators)};
}

CoordinatorsReply Standing::coordinators() const {
    CoordinatorsReply reply;
    if (election_ != nullptr) {
        reply.rows = election_->coordinators();
    }
    return reply;
}

Result<void> Standing::may_resign() const {
    if (coordinators().rows.size() < 2) {
        return fail(Errc::refused,
                    "no other coordinator stands by, so nobody would lead; stop this one instead "
                    "if that is wanted");
    }
    return {};
}

Result<void> Standing::may_finish_upgrade() const {
    const CoordinatorsReply all = coordinators();
    if (std::ranges::none_of(all.rows, &CoordinatorView::is_asked)) {
        return fail(
            Errc::busy,
            "the list of coordinators is not known at present, because etcd did not answer; "
            "ask again");
    }
    for (const CoordinatorView& row : all.rows) {
        if (row.schema < rows::schema_version) {
            return fail(Errc::refused,
                        fmt::format("the coordinator on {} is of version {}, which does not know "
                                    "schema {} of the store; upgrade it, or stop it for good, and "
                                    "ask again",
                                    row.name, row.version, rows::schema_version));
        }
    }
    return {};
}

}  // namespace muster::coordinator
