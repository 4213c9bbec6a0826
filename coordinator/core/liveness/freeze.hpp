#pragma once

#include <cstdint>
#include <deque>

#include "common/base/ids.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// How many nodes are counted, and how many of them are silent.
struct Census {
    std::uint32_t counted = 0;
    std::uint32_t silent = 0;

    friend bool operator==(const Census&, const Census&) = default;
};

/// This many silent nodes begin a freeze: 25 % and at least 3, or all. 0: no node is counted.
[[nodiscard]] std::uint32_t enters_at(const Census& census);
/// With fewer silent nodes than this it may end: 3, or 15 %.
[[nodiscard]] std::uint32_t leaves_below(const Census& census);

/// Mass silence (S9): if many nodes fall silent within a few rounds, the cause is more likely the
/// network or this coordinator than the nodes. Then no node becomes lost and nothing is
/// rescheduled.
///
///     off --- enough of the counted are silent, or by an operator ---> on
///      ^ \--- few are silent and some node answers, for 5 rounds ------/ |
///      \----- by an operator: the silent are not counted until they answer
///
/// Only an operator ends a freeze that an operator began.
///
/// A node is counted if it served when the window began. So the class remembers in which rounds of
/// the window each node served.
class Freeze {
public:
    static constexpr std::uint64_t window = 10;  ///< Rounds.
    static constexpr std::uint32_t calm_rounds = 5;

    enum class Change : std::uint8_t { none, began, ended };

    /// Updates the freeze after a closed round.
    [[nodiscard]] Change judge(const Census& census, bool some_node_answers);
    void begin_by_operator();
    void end_by_operator();

    [[nodiscard]] bool is_on() const { return on_; }
    [[nodiscard]] bool is_by_operator() const { return by_operator_; }
    /// Rounds in a row that met the condition to end.
    [[nodiscard]] std::uint32_t calm() const { return calm_; }

    // ---- the counted nodes ----

    /// Adds a new record. `served`: whether the node counts as having served before.
    void add(NodeIndex node, Round now, bool served);
    /// The node serves from now on, or does not.
    void serves(NodeIndex node, Round now, bool serving);
    /// It served when the present window began, or has been counted since the freeze began.
    [[nodiscard]] bool is_counted(NodeIndex node, Round now) const;
    /// Counts the node until the freeze is over.
    void keep(NodeIndex node) { at(node).kept = true; }
    void keep_nobody();
    /// Does not count the node until it answers in a later round than this.
    void exclude(NodeIndex node, Round now) { at(node).excluded_at = narrow(now); }
    [[nodiscard]] bool is_excluded(NodeIndex node, Round answered_in) const;
    /// True if the node was not silent when the round before this one closed.
    [[nodiscard]] bool fell_silent(NodeIndex node, Round closed);

private:
    friend struct CoreFields;

    /// One for each record, so the round numbers are narrow: at one round a second they last 136
    /// years.
    struct Past {
        std::uint32_t at = 0;           // The round when it last began or ceased to serve.
        std::uint32_t silent = 0;       // The last round that closed while it was silent.
        std::uint32_t excluded_at = 0;  // In this round; 0: it is not excluded.
        std::uint16_t served = 0;       // Bit n: it served when round `at` - n ended.
        bool kept = false;
    };
    [[nodiscard]] Past& at(NodeIndex node) { return made_at(pasts_, node); }
    [[nodiscard]] static std::uint32_t narrow(Round round) {
        return static_cast<std::uint32_t>(raw(round));
    }

    bool on_ = false;
    bool by_operator_ = false;
    std::uint32_t calm_ = 0;
    // By NodeIndex. A deque: entries never move, and there is no spare capacity.
    std::deque<Past> pasts_;
};

}  // namespace muster::coordinator
