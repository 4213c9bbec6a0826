#pragma once

#include <cstdint>
#include <deque>

#include "common/base/ids.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// How many nodes may be judged together, and how many of them are silent.
struct Census {
    std::uint32_t counted = 0;
    std::uint32_t silent = 0;

    friend bool operator==(const Census&, const Census&) = default;
};

/// So many silent ones begin a freeze: 25 % and at least 3, or all. 0: nobody is counted.
[[nodiscard]] std::uint32_t enters_at(const Census& census);
/// With fewer silent ones than this it may end: 3, or 15 %.
[[nodiscard]] std::uint32_t leaves_below(const Census& census);

/// Mass silence (S9): if so many nodes fall silent within a few rounds, the fault is rather the
/// network's or ours than theirs. Then nobody is lost and nothing is rescheduled.
///
///     off --- enough of the counted are silent, or by an operator ---> on
///      ^ \--- few are silent and some node answers, for 5 rounds ------/ |
///      \----- by an operator: the silent are not counted until they answer
///
/// One that an operator began ends by an operator.
///
/// Counted are those that served when the window began; so what each node did in the rounds of a
/// window is remembered.
class Freeze {
public:
    static constexpr std::uint64_t window = 10;  ///< Rounds.
    static constexpr std::uint32_t calm_rounds = 5;

    enum class Change : std::uint8_t { none, began, ended };

    /// What a closed round makes of it.
    [[nodiscard]] Change judge(const Census& census, bool some_node_answers);
    void begin_by_operator();
    void end_by_operator();

    [[nodiscard]] bool is_on() const { return on_; }
    [[nodiscard]] bool is_by_operator() const { return by_operator_; }
    /// Rounds in a row in which it might have ended.
    [[nodiscard]] std::uint32_t calm() const { return calm_; }

    // ---- who is counted ----

    /// A new record. `served`: it did, before anything is known of it.
    void add(NodeIndex node, Round now, bool served);
    /// From now on it serves, or does not.
    void serves(NodeIndex node, Round now, bool serving);
    /// It served when the window began that ends now, or has been counted since the freeze began.
    [[nodiscard]] bool is_counted(NodeIndex node, Round now) const;
    /// It is counted until the freeze is over.
    void keep(NodeIndex node) { at(node).kept = true; }
    void keep_nobody();
    /// It is not counted until it answers, in a later round than this.
    void exclude(NodeIndex node, Round now) { at(node).excluded_at = narrow(now); }
    [[nodiscard]] bool is_excused(NodeIndex node, Round answered_in) const;
    /// True if it was not silent when the round before this one closed.
    [[nodiscard]] bool fell_silent(NodeIndex node, Round closed);

private:
    friend struct CoreFields;

    /// There is one for each record, so the rounds are narrow: at one a second they last 136 years.
    struct Past {
        std::uint32_t at = 0;           // The round when it last began to serve, or ended it.
        std::uint32_t silent = 0;       // Last seen so when this round closed.
        std::uint32_t excluded_at = 0;  // In this round; 0: it is not.
        std::uint16_t served = 0;       // Bit n: it did, when the round `at` - n ended.
        bool kept = false;
    };
    [[nodiscard]] Past& at(NodeIndex node) { return made_at(pasts_, node); }
    [[nodiscard]] static std::uint32_t narrow(Round round) {
        return static_cast<std::uint32_t>(raw(round));
    }

    bool on_ = false;
    bool by_operator_ = false;
    std::uint32_t calm_ = 0;
    std::deque<Past> pasts_;  // By NodeIndex. They never move, and there is none too many.
};

}  // namespace muster::coordinator
