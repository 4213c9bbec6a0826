#include "tests/linearizability/linearizable.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

namespace muster::linearizability {

namespace {

/// A call or an answer, in a list of those whose operation has no place in the order yet.
struct Event {
    std::size_t operation = 0;
    bool is_call = false;
    Moment at = 0;
    std::size_t before = 0;
    std::size_t after = 0;
};

/// The events by time, behind a head. An answer and a call of one moment overlap, so calls come
/// first.
class Events {
public:
    static constexpr std::size_t head = 0;

    explicit Events(const std::vector<Operation>& operations) {
        constexpr Moment never = std::numeric_limits<Moment>::max();
        for (std::size_t at = 0; at < operations.size(); ++at) {
            const Operation& one = operations[at];
            events_.push_back({.operation = at, .is_call = true, .at = one.called});
            events_.push_back({.operation = at, .at = one.answered.value_or(never)});
        }
        std::ranges::sort(events_, [](const Event& a, const Event& b) {
            return std::pair{a.at, !a.is_call} < std::pair{b.at, !b.is_call};
        });
        events_.insert(events_.begin(), Event{});
        answers_.resize(operations.size());
        for (std::size_t at = 0; at < events_.size(); ++at) {
            events_[at].before = at == 0 ? events_.size() - 1 : at - 1;
            events_[at].after = (at + 1) % events_.size();
            if (at != head && !events_[at].is_call) {
                answers_[events_[at].operation] = at;
            }
        }
    }

    [[nodiscard]] const Event& operator[](std::size_t at) const { return events_[at]; }
    [[nodiscard]] std::size_t first() const { return events_[head].after; }

    /// Takes a call and its answer out of the list.
    void take_out(std::size_t call) {
        unlink(call);
        unlink(answers_[events_[call].operation]);
    }
    /// The reverse, for the last that was taken out.
    void put_back(std::size_t call) {
        link(answers_[events_[call].operation]);
        link(call);
    }

private:
    void unlink(std::size_t at) {
        events_[events_[at].before].after = events_[at].after;
        events_[events_[at].after].before = events_[at].before;
    }
    void link(std::size_t at) {
        events_[events_[at].before].after = at;
        events_[events_[at].after].before = at;
    }

    std::vector<Event> events_;
    std::vector<std::size_t> answers_;  // By operation.
};

/// Has an operation a place in the order?
constexpr char no = 0;
constexpr char yes = 1;

/// Which operations have a place, and the value after them.
struct Tried {
    std::string is_placed;  // A character an operation: faster to hash and to compare than bits.
    Value value = 0;

    friend bool operator==(const Tried&, const Tried&) = default;
};
struct HashOfTried {
    std::size_t operator()(const Tried& tried) const {
        return std::hash<std::string>{}(tried.is_placed) ^ std::hash<Value>{}(tried.value);
    }
};

}  // namespace

bool is_linearizable(const std::vector<Operation>& history, Value initial) {
    std::vector<Operation> operations;
    std::ranges::copy_if(history, std::back_inserter(operations), [](const Operation& one) {
        return one.is_write || one.answered.has_value();
    });
    Events events{operations};
    struct Choice {
        std::size_t call = 0;
        Value value_before = 0;
    };
    std::vector<Choice> order;
    std::string is_placed(operations.size(), no);
    std::unordered_set<Tried, HashOfTried> tried;
    Value value = initial;
    for (std::size_t at = events.first(); events.first() != Events::head;) {
        const Event& event = events[at];
        if (!event.is_call) {  // It is answered, but fits nowhere before: the last choice is wrong.
            if (order.empty()) {
                return false;
            }
            const Choice wrong = order.back();
            order.pop_back();
            value = wrong.value_before;
            is_placed[events[wrong.call].operation] = no;
            events.put_back(wrong.call);
            at = events[wrong.call].after;
            continue;
        }
        const Operation& one = operations[event.operation];
        if (one.is_write || one.value == value) {
            is_placed[event.operation] = yes;
            if (tried.insert({is_placed, one.value}).second) {
                order.push_back({.call = at, .value_before = value});
                value = one.value;
                events.take_out(at);
                at = events.first();
                continue;
            }
            is_placed[event.operation] = no;
        }
        at = event.after;
    }
    return true;
}

}  // namespace muster::linearizability
