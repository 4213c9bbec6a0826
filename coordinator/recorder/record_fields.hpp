#pragma once

#include "coordinator/recorder/plain_fields.hpp"
#include "coordinator/recorder/records.hpp"

namespace muster::coordinator {

/// How the records of a file are written, but for the state at its beginning: see CoreFields.
struct RecordFields : PlainFields {
    // TODO(clang15): `using` would do; Clang 14 takes templates that differ in what they ask of a
    // type for one, and hides those of the base.
    static void fields(auto& visit, auto& it) requires requires { PlainFields::fields(visit, it); }
    { PlainFields::fields(visit, it); }

    static constexpr auto names(const RecordHead*) { return "version began"; }
    static constexpr auto names(const Heard*) { return "now input"; }
    static constexpr auto names(const Outcome*) {
        return "others closed_term messages events resign";
    }
    static void fields(auto& visit, auto& it) requires requires { names(&it); }
    { codec::visit_members<RecordFields>(visit, it); }

    static void fields(auto& visit, codec::Like<PollTo> auto& it) {
        auto& [session, poll] = it;
        auto& [epoch, term, incarnation, seen, issued, check, lease] = poll;
        visit("session epoch term incarnation seen issued check lease", session, epoch, term,
              incarnation, seen, issued, check, lease);
    }
};

}  // namespace muster::coordinator
