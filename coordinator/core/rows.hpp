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
#include "common/messages/operator.hpp"
#include "common/spec/spec.hpp"

/// What the coordinator keeps for ever. Placements are not among it: they come from reports.
namespace muster::coordinator {

/// The one row of its kind.
struct Meta {
    ClusterId cluster;
    Epoch epoch{};
    LeaderId leader;
    Generation counter{};       ///< The last number given to a durable change.
    CivilMs request_horizon{};  ///< Request ids not later than this are refused.

    friend bool operator==(const Meta&, const Meta&) = default;
};

struct StoredTask {
    WantedTask wanted;
    Generation generation{};  ///< Of the spec.
    Generation created{};     ///< Its first generation since it was last added.

    friend bool operator==(const StoredTask&, const StoredTask&) = default;
};

/// A set of a task's ordinals, a bit each.
struct OrdinalSet {
    std::vector<std::uint64_t> words;  ///< Bit `ordinal % 64` of word `ordinal / 64`.

    [[nodiscard]] bool contains(Ordinal ordinal) const {
        return ordinal / 64 < words.size() && (words[ordinal / 64] >> (ordinal % 64) & 1U) != 0;
    }
    /// False: it was there.
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

/// The instances of a task that ended well in this generation, and are not run in it again. A row
/// of another generation than that of its task says nothing.
struct StoredEnds {
    std::string name;  ///< Of the task.
    Generation generation{};
    OrdinalSet ordinals;

    friend bool operator==(const StoredEnds&, const StoredEnds&) = default;
};

struct StoredNode {
    std::string name;
    Incarnation incarnation{};  ///< The last one welcomed.
    bool lost = false;          ///< Decided lost, and not heard since.
    bool gone = false;          ///< Said goodbye, and not heard since.
    bool ahead = false;         ///< Knows a later or another store: no command goes there.

    friend bool operator==(const StoredNode&, const StoredNode&) = default;
};

/// What an operator wants of a node.
enum class Intent : std::uint8_t { active, draining, offline };
/// Whether the name may join. Listed: an operator named it; removed: refused until it is named.
enum class Admission : std::uint8_t { open, listed, removed };

/// What operators decided of a name, whether or not a node of that name ever came. It stays until
/// an operator decides otherwise, whatever the node does. Without a row it is as below.
struct StoredIntent {
    std::string name;
    Intent intent = Intent::active;
    Admission admission = Admission::open;
    std::string pool{};    ///< By the list; empty: as its agent says.
    std::string reason{};  ///< For the intent, in the words of
    std::string author{};  ///< whoever asked for it.
    CivilMs since{};       ///< The intent.
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
    std::string reason{};  ///< In the words of
    std::string author{};  ///< whoever began it.
    CivilMs since{};

    friend bool operator==(const StoredFreeze&, const StoredFreeze&) = default;
};

/// By what a row is found among those of its kind.
[[nodiscard]] inline std::string_view key_of(const StoredTask& row) { return row.wanted.name; }
[[nodiscard]] inline std::string_view key_of(const StoredFreeze& /*row*/) { return {}; }
[[nodiscard]] std::string_view key_of(const auto& row) { return row.name; }

/// What holds of a name without a row.
template <class Row>
[[nodiscard]] Row no_row(std::string_view name) {
    Row row{};
    if constexpr (requires { row.name = name; }) {
        row.name = name;
    }
    return row;
}

/// True of a row that says no more than no row does: it is not stored.
template <class Row>
[[nodiscard]] bool says_nothing(const Row& row) {
    if constexpr (std::is_same_v<Row, StoredIntent>) {
        return row.admission == Admission::open && row == no_row<Row>(row.name);
    }
    return std::is_same_v<Row, StoredFreeze> && row == Row{};
}

/// The first answer to a change, for its retries.
struct StoredRequest {
    RequestId id;
    Shared<Reply> reply;
    Digest asked{};  ///< Of the change: another one does not get this answer.
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
};

template <class Row>
struct Erase {
    std::string name;
};
/// Drops requests whose id is not later than the horizon of the Meta in the same Persist.
struct EraseOldRequests {
    CivilMs horizon{};
};

/// The last of a Persist whose change goes on in the next one: neither becomes durable alone.
struct GoesOn {};

/// One row to write or to erase; putting is inserting or replacing by key.
using Write = std::variant<Meta, Shared<StoredTask>, StoredNode, StoredRequest,
                           Shared<StoredIntent>, StoredSetting, Erase<StoredTask>,
                           Erase<StoredNode>, Erase<StoredIntent>, EraseOldRequests, StoredFreeze,
                           Erase<StoredFreeze>, Shared<StoredEnds>, Erase<StoredEnds>, GoesOn>;

/// Writes that become durable together, in the order of their numbers. Nothing that follows from
/// them is said or done before the input Persisted of this number.
struct Persist {
    std::uint64_t number = 0;
    std::vector<Write> writes;
};

/// The next one belongs to it.
[[nodiscard]] inline bool goes_on(const Persist& persist) {
    return !persist.writes.empty() && std::holds_alternative<GoesOn>(persist.writes.back());
}

/// Takes out of the queue what can become durable now: all but the parts of a change that lacks
/// its last.
[[nodiscard]] inline std::vector<Persist> take_whole(std::vector<Persist>& queue) {
    const auto last = std::find_if(queue.rbegin(), queue.rend(),
                                   [](const Persist& persist) { return !goes_on(persist); });
    std::vector<Persist> parts{std::move_iterator{last.base()}, std::move_iterator{queue.end()}};
    queue.erase(last.base(), queue.end());
    return std::exchange(queue, std::move(parts));
}

}  // namespace muster::coordinator
