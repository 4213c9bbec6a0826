#pragma once

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/crypto/key.hpp"
#include "coordinator/core/rows.hpp"

/// How a key replaces another one of its name.
///
///     none -> asked        only for an agent: its polls ask for a new key
///          -> registered   both keys are valid, the new one for an hour at most
///          -> none         the first use of the new key retires the other one
///
/// Until the new key is in use, the present one loses nothing: a crash on either side, or a lost
/// answer, leaves a holder that can still connect. A new key that nobody uses expires.
namespace muster::coordinator {

/// The row with a new key of its holder, who proved `by`. Role and limits stay, and the new key
/// ends when the present one would have ended.
[[nodiscard]] Result<StoredKey> with_new_key(StoredKey row, const PublicKey& by,
                                             const PublicKey& fresh, CivilMs now);
/// True if the use of this key retires the other one.
[[nodiscard]] bool is_first_use(const StoredKey& row, const PublicKey& by);
/// The row once the new key is in use: it has no other key.
[[nodiscard]] StoredKey with_new_key_only(StoredKey row);
/// The row without the new key that is not in use yet, and without the wish for one.
[[nodiscard]] StoredKey without_rotation(StoredKey row);

}  // namespace muster::coordinator
