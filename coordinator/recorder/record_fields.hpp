#pragma once

#include "coordinator/recorder/members.hpp"
#include "coordinator/recorder/plain_fields.hpp"
#include "coordinator/recorder/records.hpp"

namespace muster::coordinator {

/// How the records of a file are written, except the state at its beginning: see
/// CoreFields::OfCore.
struct RecordFields : PlainFields {
    using PlainFields::names;
    static constexpr auto names(const RecordHead*) { return "version began"; }
    static constexpr auto names(const RecordedInput*) { return "now input"; }
    static constexpr auto names(const Outcome*) {
        return "others closed_round messages events resign proof_checks";
    }
    static void fields(auto& visit, auto& it) requires is_named<RecordFields, decltype(it)> {
        CoreFields::visit_members<RecordFields>(visit, it);
    }

    static void fields(auto& visit, codec::Like<PollTo> auto& it) {
        auto& [session, poll] = it;
        auto& [epoch, round, incarnation, seen, issued, check, lease, renew_key] = poll;
        visit("session epoch round incarnation seen issued check lease renew_key", session, epoch,
              round, incarnation, seen, issued, check, lease, renew_key);
    }
};

}  // namespace muster::coordinator
