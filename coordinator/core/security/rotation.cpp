#include "coordinator/core/security/rotation.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"

namespace muster::coordinator {

namespace {

CivilMs earlier_end(CivilMs a, CivilMs b) {
    return a == CivilMs{} ? b : b == CivilMs{} ? a : std::min(a, b);
}

}  // namespace

Result<StoredKey> with_new_key(StoredKey row, const PublicKey& by, const PublicKey& fresh,
                               CivilMs now) {
    const auto present = std::ranges::find(row.keys, by, &AdmittedKey::key);
    if (row.revoked || present == row.keys.end()) {
        return fail(Errc::denied, "the key of " + row.name + " was revoked");
    }
    const bool is_again = row.rotation == Rotation::registered;
    // Nobody gets rid of another key of the name by renewing twice.
    if (is_again ? row.keys.front().key != by
                 : std::ranges::find(row.keys, fresh, &AdmittedKey::key) != row.keys.end()) {
        return fail(Errc::refused, is_again ? "another key of " + row.name + " is being replaced"
                                            : row.name + " has this key already");
    }
    const CivilMs lasting = is_again ? row.lasting_until : present->until;
    const AdmittedKey kept = *present;
    for (const AdmittedKey& other : row.keys) {
        const bool is_over = other.until != CivilMs{} && other.until <= now;
        // The session of an agent shows which of its keys is in use. Nothing shows it for an
        // operator, who may use another key on another machine.
        if (other.key != by && other.key != fresh && !is_over && !is_again &&
            row.role != Role::agent) {
            return fail(Errc::refused, row.name + " has a second valid key, " +
                                           fingerprint(other.key) +
                                           ", and a name has at most two; an admin admits the new "
                                           "one with 'muster key remove " +
                                           row.name + "' and 'muster key add'");
        }
    }
    const CivilMs overlap{raw(now) + to_ms(limits::key_overlap)};
    row.keys = {kept, {.key = fresh, .since = now, .until = earlier_end(overlap, lasting)}};
    row.rotation = Rotation::registered;
    row.lasting_until = lasting;
    return row;
}

bool is_first_use(const StoredKey& row, const PublicKey& by) {
    return row.rotation == Rotation::registered && !row.revoked && row.keys.back().key == by;
}

StoredKey with_new_key_only(StoredKey row) {
    AdmittedKey newest = row.keys.back();
    newest.until = row.lasting_until;
    row.keys = {newest};
    row.rotation = Rotation::none;
    row.lasting_until = {};
    return row;
}

StoredKey without_rotation(StoredKey row) {
    if (row.rotation == Rotation::registered) {
        row.keys.pop_back();
    }
    row.rotation = Rotation::none;
    row.lasting_until = {};
    return row;
}

}  // namespace muster::coordinator
