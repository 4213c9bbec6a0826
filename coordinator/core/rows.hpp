#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/shared.hpp"
#include "common/base/time.hpp"
#include "common/crypto/key.hpp"
#include "common/messages/operator.hpp"
#include "common/messages/role.hpp"
#include "common/spec/spec.hpp"

/// What the coordinator stores. Placements are not stored: they come from reports.
namespace muster::coordinator {

/// There is exactly one such row.
struct Meta {
    ClusterId cluster;
    Epoch epoch{};
    LeaderId leader;
    Generation counter{};       ///< The last number given to a durable change.
    CivilMs request_horizon{};  ///< A request id that is not later is refused.
    /// Of the rows: a program that knows it can read them. Only an operator raises it.
    std::uint32_t schema = 0;

    friend bool operator==(const Meta&, const Meta&) = default;
};

struct StoredTask {
    WantedTask wanted;
    Generation generation{};  ///< Of the spec.
    Generation created{};     ///< Its first generation since it was last added.

    friend bool operator==(const StoredTask&, const StoredTask&) = default;
};

/// A set of a task's ordinals, one bit each.
struct OrdinalSet {
    std::vector<std::uint64_t> words;  ///< Bit `ordinal % 64` of word `ordinal / 64`.

    [[nodiscard]] bool contains(Ordinal ordinal) const {
        return ordinal / 64 < words.size() && (words[ordinal / 64] >> (ordinal % 64) & 1U) != 0;
    }
    /// False: the ordinal was in the set already.
    bool add(Ordinal ordinal) {
        if (contains(ordinal)) {
            return false;
        }
        words.resize(std::max<std::size_t>(words.size(), ordinal / 64 + 1));
        words[ordinal / 64] |= std::uint64_t{1} << (ordinal % 64);
        return true;
    }
    [[nodiscard]] bool empty() const { return words.empty(); }

    friend bool operator==(const OrdinalSet&, const OrdinalSet&) = default;
};

/// The instances of a task that ended well in this generation, and do not run in it again. A row of
/// another generation than its task has no effect.
struct StoredEnds {
    std::string name;  ///< Of the task.
    Generation generation{};
    OrdinalSet ordinals;

    friend bool operator==(const StoredEnds&, const StoredEnds&) = default;
};

struct StoredNode {
    std::string name;
    Incarnation incarnation{};  ///< The last one accepted.
    bool lost = false;          ///< Decided lost, and no message since.
    bool gone = false;          ///< It left, and sent no message since.
    bool ahead = false;         ///< It knows a later or another store: it gets no commands.

    friend bool operator==(const StoredNode&, const StoredNode&) = default;
};

/// What an operator wants of a node.
enum class Intent : std::uint8_t { active, draining, offline };
/// Whether the name may join. Listed: an operator named it. Removed: refused until an operator
/// lists it.
enum class Admission : std::uint8_t { open, listed, removed };

/// What operators decided about a name, even if no node of that name ever joined. Only an operator
/// changes the row, the node never does. Without a row these defaults hold.
struct StoredIntent {
    std::string name;
    Intent intent = Intent::active;
    Admission admission = Admission::open;
    std::string pool{};    ///< The pool on the list. Empty: the pool that its agent reports.
    std::string reason{};  ///< For the intent, as
    std::string author{};  ///< its author gave it.
    CivilMs since{};       ///< When the intent began.
    CivilMs deadline{};    ///< Of a drain. 0: none.
    bool force = false;    ///< A drain that stops what has no other place.
    bool remove = false;   ///< The name is removed once it is drained.

    friend bool operator==(const StoredIntent&, const StoredIntent&) = default;
};

/// A switch of the whole cluster that operators set, as text.
struct StoredSetting {
    std::string name;
    std::string value;

    friend bool operator==(const StoredSetting&, const StoredSetting&) = default;
};

/// The freeze that an operator began. There is one row at most.
struct StoredFreeze {
    bool on = false;
    std::string reason{};  ///< As
    std::string author{};  ///< its author gave it.
    CivilMs since{};

    friend bool operator==(const StoredFreeze&, const StoredFreeze&) = default;
};

/// A key that is admitted, and how long.
struct AdmittedKey {
    PublicKey key;
    CivilMs since{};
    CivilMs until{};  ///< 0: for ever.

    friend bool operator==(const AdmittedKey&, const AdmittedKey&) = default;
};

/// How far the replacement of a key is.
enum class Rotation : std::uint8_t {
    none,
    asked,       ///< The agent of the name is asked for a new key.
    registered,  ///< The last key is new. Its first use retires the other one.
};

/// A name that proves itself by a key.
struct StoredKey {
    static constexpr std::size_t keys_at_most = 2;  ///< So that one can replace the other.

    std::string name;
    Role role = Role::agent;
    std::vector<AdmittedKey> keys;
    bool revoked = false;              ///< None of its keys is admitted any more.
    std::vector<std::string> pools{};  ///< That it may change. Empty: all.
    std::vector<std::string> tasks{};  ///< Patterns. Empty: all.
    std::string author{};              ///< Of the last change.
    Rotation rotation = Rotation::none;
    CivilMs lasting_until{};  ///< Registered: the end of the new key once it is in use. 0: none.

    friend bool operator==(const StoredKey&, const StoredKey&) = default;
};

/// A token with which hosts may enrol.
struct StoredToken {
    std::string name;        ///< The first digits of its hash.
    PublicKey hash;          ///< Of its secret. A hash has the form of a key.
    std::string pattern;     ///< Of the names.
    std::uint32_t uses = 0;  ///< Left.
    CivilMs until{};
    std::string author{};

    friend bool operator==(const StoredToken&, const StoredToken&) = default;
};

/// A secret for tasks. Its value is encrypted with a key that is not in the store (ADR 26).
struct StoredSecret {
    std::string name;
    Generation version{};  ///< The change that set the value.
    CivilMs since{};
    std::string author{};
    std::string encrypted{};

    friend bool operator==(const StoredSecret&, const StoredSecret&) = default;
};

/// The definition of a pool.
struct StoredPool {
    std::string name;
    PoolSpec spec{};
    bool paused = false;
    CivilMs since{};       ///< Of the last change of it,
    std::string author{};  ///< and whose it was.

    friend bool operator==(const StoredPool&, const StoredPool&) = default;
};

/// How far a node of a provider is. Its row ends once the provider does not list it any more.
enum class PoolNodeState : std::uint8_t {
    requested,  ///< It has not served yet.
    active,
    draining,
    removing,  ///< The provider is asked to remove it until it is not listed any more.
};

/// A node of a pool that a provider has, or was asked for.
struct StoredPoolNode {
    /// Of the node. While the provider has not named it: its request, `/`, and a number.
    std::string name;
    std::string pool;
    std::string provider;
    std::string id{};       ///< As the provider lists it. Empty: it has not named it.
    std::string request{};  ///< That it comes from. Empty: it was found.
    PoolNodeState state = PoolNodeState::requested;
    CivilMs since{};               ///< When the state began.
    bool granted = false;          ///< The provider has said that it will come.
    std::uint32_t of_request = 0;  ///< Nodes that its request is for.

    friend bool operator==(const StoredPoolNode&, const StoredPoolNode&) = default;
};

/// What `seasonal` has learned of the demand of a pool, so that it lasts longer than a leadership.
struct StoredSeason {
    std::string name;     ///< Of the pool.
    std::string usual{};  ///< As Seasonal::learned() writes it.

    friend bool operator==(const StoredSeason&, const StoredSeason&) = default;
};

/// Who changed what, or what was refused to whom. Each row has the hash of the row before it, so
/// that no row can be edited or taken away unseen (ADR 25).
struct StoredAudit {
    std::uint64_t number = 0;  ///< From 1, without gaps, also over leaderships.
    CivilMs at{};
    std::string actor{};        ///< The name of the key; on the local socket `local`, or
                                ///< `local: WORD` with the client's word.
    std::string fingerprint{};  ///< Of the key. Empty: it came over the local socket.
    std::string action{};       ///< The verb.
    std::string result{};       ///< `accepted`, or the code of the error.
    std::string detail{};       ///< Before and after, or why it was refused.
    RequestId request{};
    Epoch epoch{};
    Generation counter{};  ///< After the change.
    PublicKey previous{};  ///< The hash of the row before. A hash has the form of a key.
    PublicKey hash{};      ///< Of `previous` and all other members, with the key of the audit.

    friend bool operator==(const StoredAudit&, const StoredAudit&) = default;
};

/// The rows that the audit must have. There is one such row at most.
struct AuditHead {
    std::uint64_t number = 0;  ///< Of the newest row.
    std::uint64_t first = 1;   ///< Of the oldest row that is kept.
    PublicKey hash{};          ///< Of the newest row.
    PublicKey seal{};          ///< The hash of the other members, with the key of the audit.

    friend bool operator==(const AuditHead&, const AuditHead&) = default;
};

/// The key of a row among those of its kind.
[[nodiscard]] inline std::string_view key_of(const StoredTask& row) { return row.wanted.name; }
[[nodiscard]] inline std::string_view key_of(const StoredFreeze& /*row*/) { return {}; }
[[nodiscard]] inline std::string_view key_of(const AuditHead& /*row*/) { return {}; }
[[nodiscard]] std::string_view key_of(const auto& row) { return row.name; }

/// The defaults for a name without a row.
template <class Row>
[[nodiscard]] Row no_row(std::string_view name) {
    Row row{};
    if constexpr (requires { row.name = name; }) {
        row.name = name;
    }
    return row;
}

/// True if a row holds only defaults: it is not stored.
template <class Row>
[[nodiscard]] bool is_default(const Row& row) {
    if constexpr (std::is_same_v<Row, StoredIntent>) {
        return row.admission == Admission::open && row == no_row<Row>(row.name);
    }
    return std::is_same_v<Row, StoredFreeze> && row == Row{};
}

/// The first answer to a change, for its retries.
struct StoredRequest {
    RequestId id;
    Shared<Reply> reply;
    Digest request_digest{};  ///< Another change with this id does not get this answer.
};

/// All that was durable when a leadership began. Each list is sorted by its key.
struct StoreImage {
    Meta meta;
    std::vector<StoredTask> tasks;
    std::vector<StoredNode> nodes;
    std::vector<StoredRequest> requests;
    std::vector<StoredIntent> intents;
    std::vector<StoredSetting> settings;
    std::vector<StoredFreeze> freeze;
    std::vector<StoredEnds> ends;
    std::vector<StoredKey> keys;
    std::vector<StoredToken> tokens;
    std::vector<StoredSecret> secrets;
    std::vector<StoredPool> pools;
    std::vector<StoredPoolNode> pool_nodes;
    std::vector<StoredSeason> seasons;
    /// Of the rows of the audit only this. If it was taken out of the store, while rows are there,
    /// it has their highest number and no seal.
    std::vector<AuditHead> audit;
    std::uint32_t newest_schema = 0;  ///< That this program can write.
};

template <class Row>
struct Erase {
    std::string name;
};
/// Drops requests whose id is not later than the horizon of the Meta in the same Persist.
struct EraseOldRequests {
    CivilMs horizon{};
};

/// Drops rows of the audit up to this number.
struct EraseOldAudit {
    std::uint64_t up_to = 0;
};

/// The last write of a Persist whose change continues in the next one: neither becomes durable
/// alone.
struct Continues {};

/// One row to write or to erase; putting is inserting or replacing by key.
using Write =
    std::variant<Meta, Shared<StoredTask>, StoredNode, StoredRequest, Shared<StoredIntent>,
                 StoredSetting, Erase<StoredTask>, Erase<StoredNode>, Erase<StoredIntent>,
                 EraseOldRequests, StoredFreeze, Erase<StoredFreeze>, Shared<StoredEnds>,
                 Erase<StoredEnds>, Shared<StoredKey>, Erase<StoredKey>, StoredToken,
                 Erase<StoredToken>, Shared<StoredAudit>, AuditHead, EraseOldAudit,
                 Shared<StoredSecret>, Erase<StoredSecret>, Shared<StoredPool>, Erase<StoredPool>,
                 Shared<StoredPoolNode>, Erase<StoredPoolNode>, Shared<StoredSeason>,
                 Erase<StoredSeason>, Continues>;

/// Writes that become durable together, in the order of their numbers. They have no effect and get
/// no answer before the input Persisted of this number.
struct Persist {
    std::uint64_t number = 0;
    std::vector<Write> writes;
};

/// The next Persist belongs to the same change.
[[nodiscard]] inline bool continues(const Persist& persist) {
    return !persist.writes.empty() && std::holds_alternative<Continues>(persist.writes.back());
}

/// Takes all that can become durable now out of the queue: all but the parts of an incomplete
/// change.
[[nodiscard]] inline std::vector<Persist> take_whole(std::vector<Persist>& queue) {
    const auto last = std::find_if(queue.rbegin(), queue.rend(),
                                   [](const Persist& persist) { return !continues(persist); });
    std::vector<Persist> parts{std::move_iterator{last.base()}, std::move_iterator{queue.end()}};
    queue.erase(last.base(), queue.end());
    return std::exchange(queue, std::move(parts));
}

}  // namespace muster::coordinator
